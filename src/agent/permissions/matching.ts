import { posix } from "node:path";
import picomatch from "picomatch";
import type { Ground } from "./places.ts";
import type { Rule, RulePattern } from "./rules.ts";
import { programOf } from "./shell/every-command.ts";

/** What an Edit rule and a Read rule say of other tools that do the same. */
const COVERS: Readonly<Record<string, readonly string[]>> = {
  Edit: ["Edit", "Write"],
  Read: ["Read", "Glob", "Grep"],
};

/** Whether the rule is about this tool at all. */
export function isAbout(rule: Rule, tool: string): boolean {
  if (rule.tool.startsWith("mcp__")) return tool === rule.tool || tool.startsWith(`${rule.tool}__`);
  return (COVERS[rule.tool] ?? [rule.tool]).includes(tool);
}

/** A pattern without a wildcard at its end is a file, or a folder with all that is in it. */
export function matchesPath(pattern: RulePattern, path: string, ground: Ground): boolean {
  return pathMatcher(pattern, ground)(path);
}

/** The same for many paths: the pattern is read once. */
export function pathMatcher(pattern: RulePattern, ground: Ground): (path: string) => boolean {
  if (pattern.kind === "any") return () => true;
  if (pattern.kind !== "path") return () => false;
  const { glob } = pattern;
  const from = { workspace: ground.workspace, root: "/", home: ground.home }[pattern.from];
  const isBelow = belowMatcher(glob);
  return (path) => {
    const relative = posix.relative(from, path);
    if (relative === ".." || relative.startsWith("../")) return false;
    // The place itself has no name below itself; only what means all of it is about it.
    return relative === "" ? ["**", "*"].includes(glob) : isBelow(relative);
  };
}

function belowMatcher(glob: string): (relative: string) => boolean {
  const literal = literalOf(glob.replace(/\/\*\*$/u, ""));
  if (literal !== undefined) return (relative) => relative === literal || relative.startsWith(`${literal}/`);
  return picomatch([glob, `${glob}/**`], { dot: true, nonegate: true });
}

/** What a glob without wildcards means to the letter: names may hold characters that globs have other ideas about. */
function literalOf(glob: string): string | undefined {
  return /[*?[\]{}()!+@|]/u.test(glob.replace(/\\[\s\S]/gu, ""))
    ? undefined
    : glob.replace(/\\(?<kept>[\s\S])/gu, "$<kept>");
}

/** "narrowing" rules also mean what is below a domain. */
export function matchesUrl(pattern: RulePattern, url: string, use: "allowing" | "narrowing"): boolean {
  if (pattern.kind === "any") return true;
  if (pattern.kind !== "domain" || !URL.canParse(url)) return false;
  const host = new URL(url).hostname.toLowerCase().replace(/\.$/u, "");
  const { domain } = pattern;
  if (domain.startsWith("*.")) return host.endsWith(domain.slice(1));
  return host === domain || (use === "narrowing" && host.endsWith(`.${domain}`));
}

/** For rules that allow: a space inside a word is no space between words. */
export function allowsWords(pattern: RulePattern, words: readonly string[]): boolean {
  if (pattern.kind === "any") return true;
  if (pattern.kind !== "command") return false;
  const line = words.map((word) => (word === "" ? "\u0002" : word.replace(/\s/gu, "\u0001"))).join(" ");
  return expressionOf(pattern.text, pattern.match).test(line);
}

/** For rules that narrow: quotes and the program's folder do not hide it. A line may hold thousands of commands, so it is made once. */
export function meetingWords(pattern: RulePattern): (words: readonly string[]) => boolean {
  if (pattern.kind === "any") return () => true;
  if (pattern.kind !== "command") return () => false;
  const expression = expressionOf(pattern.text.replace(/["']/gu, ""), pattern.match);
  const isMet = (words: readonly string[]) => expression.test(words.join(" ").replace(/\s+/gu, " "));
  return (words) =>
    isMet(words) || (words[0]?.includes("/") === true && isMet([programOf(words), ...words.slice(1)]));
}

/** The very command that the rule names, whatever it does. */
export function isExactly(pattern: RulePattern, command: string): boolean {
  if (pattern.kind !== "command" || pattern.match !== "whole") return false;
  return !/(?<!\\)\*/u.test(pattern.text) && pattern.text.replaceAll("\\*", "*") === command.trim();
}

/** `*` is anything; `\*` is a star. */
export function expressionOf(text: string, match: "whole" | "prefix"): RegExp {
  const source = text
    .trim()
    .split(/(?<piece>\\\*|\*|\s+)/u)
    .map((piece) => {
      if (piece === "*") return "[\\s\\S]*";
      if (piece === "\\*") return "\\*";
      return /^\s+$/u.test(piece) ? " " : piece.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");
    })
    .join("");
  return new RegExp(`^${source}${match === "prefix" ? "(?: [\\s\\S]*)?" : ""}$`, "u");
}
