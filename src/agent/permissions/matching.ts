import { posix } from "node:path";
import { userHome } from "../../disk/folders.ts";
import { globMatcher } from "./glob.ts";
import type { PathContext } from "./places.ts";
import { type CommandPattern, type Rule, type RulePattern, type Rules, requireRule } from "./rules.ts";
import { programOf } from "./shell/every-command.ts";

/** The tools that rules for Edit and Read apply to. */
const COVERS: Readonly<Record<string, readonly string[]>> = {
  Edit: ["Edit", "Write"],
  Read: ["Read", "Glob", "Grep"],
};

/** Checks whether the rule applies to this tool. */
export function isAbout(rule: Rule, tool: string): boolean {
  if (rule.tool.startsWith("mcp__")) return tool === rule.tool || tool.startsWith(`${rule.tool}__`);
  return (COVERS[rule.tool] ?? [rule.tool]).includes(tool);
}

/**
 * Checks whether the pattern matches a path. A pattern that does not end with a wildcard names a file, or a folder and
 * everything in it.
 */
export function matchesPath(pattern: RulePattern, path: string, pathContext: PathContext): boolean {
  const byDeps = matchers.get(pattern) ?? new WeakMap<PathContext, (path: string) => boolean>();
  const matches = byDeps.get(pathContext) ?? pathMatcher(pattern, pathContext);
  matchers.set(pattern, byDeps.set(pathContext, matches));
  return matches(path);
}

/** The matchers are cached, because a pattern may be long and a command may name thousands of paths. */
const matchers = new WeakMap<RulePattern, WeakMap<PathContext, (path: string) => boolean>>();

/** Returns a matcher for many paths, so that the pattern is parsed only once. */
function pathMatcher(pattern: RulePattern, pathContext: PathContext): (path: string) => boolean {
  if (pattern.kind === "any") return () => true;
  if (pattern.kind !== "path") return () => false;
  const { glob } = pattern;
  const from = { workspace: pathContext.workspace, root: "/", home: pathContext.home }[pattern.from];
  const isBelow = belowMatcher(glob);
  return (path) => {
    const relative = posix.relative(from, path);
    if (relative === ".." || relative.startsWith("../")) return false;
    // The base folder has no relative name, so only patterns for everything in the folder match it.
    return relative === "" ? ["**", "*"].includes(glob) : isBelow(relative);
  };
}

function belowMatcher(glob: string): (path: string) => boolean {
  const named = glob.replace(/\/\*\*$/u, "");
  // Comparing names is much faster, and a search checks every path that it finds.
  if (!/[*?[{\\]/u.test(named)) return (path) => path === named || path.startsWith(`${named}/`);
  return globMatcher(glob);
}

/**
 * Checks whether the pattern matches the host of a URL. With "narrowing", which is used for deny and ask rules, the
 * pattern also matches subdomains.
 */
export function matchesUrl(pattern: RulePattern, url: string, use: "allowing" | "narrowing"): boolean {
  if (pattern.kind === "any") return true;
  if (pattern.kind !== "domain" || !URL.canParse(url)) return false;
  const host = new URL(url).hostname.toLowerCase().replace(/\.$/u, "");
  const { domain } = pattern;
  if (domain.startsWith("*.")) return host.endsWith(domain.slice(1));
  return host === domain || (use === "narrowing" && host.endsWith(`.${domain}`));
}

/** Checks whether an allow rule matches the words of a command. A space inside a word does not separate words. */
export function allowsWords({ text, match }: CommandPattern, words: readonly string[]): boolean {
  // A rule with a line break was written for several commands, not for one command with the words of all of them.
  if (piecesOf(text).some((piece) => piece.includes("\n"))) return false;
  return wildcardMatcher(text, match)(words.map((word) => word.replace(/\s/gu, "\u0001")).join(" "));
}

/**
 * Returns a matcher for deny and ask rules. Quotes and the program's folder do not hide a command from these rules. The
 * matcher is built once, because a line may contain thousands of commands.
 */
export function meetingWords({ text, match }: CommandPattern): (words: readonly string[]) => boolean {
  const matches = wildcardMatcher(text.replace(/["']/gu, ""), match);
  const isMet = (words: readonly string[]) => matches(lineOf(words));
  return (words) =>
    isMet(words) || (words[0]?.includes("/") === true && isMet([programOf(words), ...words.slice(1)]));
}

/** The lines are cached, because there may be many rules. */
const lines = new WeakMap<readonly string[], string>();

function lineOf(words: readonly string[]): string {
  const line = lines.get(words) ?? words.join(" ").replace(/\s+/gu, " ");
  lines.set(words, line);
  return line;
}

/** Checks whether the rule names this exact command, regardless of what the command does. */
export function isExactly(pattern: RulePattern, command: string): boolean {
  if (pattern.kind !== "command" || pattern.match !== "whole") return false;
  const [text, ...more] = piecesOf(pattern.text);
  return more.length === 0 && text === command.trim();
}

/**
 * Escapes a command for a rule that allows exactly this command. In a list of rules, the result is parsed as one rule.
 */
export function escapedCommand(command: string): string {
  return command.replace(/[\\*(),]/gu, "\\$&").replaceAll("\n", "\\n");
}

/**
 * Splits a pattern at its stars. `\` makes a star, a parenthesis, a comma or a backslash literal. `\n` stands for a
 * line break.
 */
export function piecesOf(text: string): readonly [string, ...string[]] {
  const pieces: [string, ...string[]] = [""];
  for (const [token] of text.matchAll(/\\[\\*(),n]|[\s\S]/gu)) {
    if (token === "*") pieces.push("");
    else pieces.push((pieces.pop() ?? "") + (token === "\\n" ? "\n" : token.replace(/\\(?=.)/u, "")));
  }
  return pieces;
}

/**
 * Returns a matcher for a pattern in which `*` matches anything. The matcher searches for each piece once, from left to
 * right, so it takes at most linear time per piece.
 */
export function wildcardMatcher(pattern: string, match: "whole" | "prefix"): (line: string) => boolean {
  const [first = "", ...rest] = piecesOf(pattern.trim()).map((piece) => piece.replace(/\s+/gu, " "));
  const last = rest.pop();
  const isEnd = (line: string, at: number): boolean =>
    at === line.length || (match === "prefix" && line.charAt(at) === " ");
  return (line) => {
    if (!line.startsWith(first)) return false;
    let at = first.length;
    if (last === undefined) return isEnd(line, at);
    for (const piece of rest) {
      const found = line.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    if (line.length - last.length >= at && line.endsWith(last)) return true;
    if (match === "whole") return false;
    return line.includes(`${last} `, at);
  };
}

/** Checks whether a search must leave out a real path because a rule denies reading it. */
export type Hides = (path: string) => boolean;

interface HiddenRequest {
  readonly tool: "Glob" | "Grep";
  readonly deny: Rules["deny"];
  /** The real path of the workspace. */
  readonly workspace: string;
  /** The folder that `~` stands for. The default is the user's home folder. */
  readonly home?: string;
}

/**
 * Returns a function that finds denied paths, or undefined if no rule denies a path. Permission to search a folder
 * depends only on the folder itself, and denied paths below it are left out of the results.
 */
export function hiddenFrom({ tool, deny, workspace, home = userHome() }: HiddenRequest): Hides | undefined {
  const matchers = deny
    .map(requireRule)
    .filter((rule) => rule.pattern.kind === "path" && isAbout(rule, tool))
    .map(({ pattern }) => pathMatcher(pattern, { workspace, home }));
  return matchers.length === 0 ? undefined : (path) => matchers.some((isMet) => isMet(path));
}
