import { WorldlineError } from "../../record/error.ts";
import { globProblem } from "./glob.ts";

/** One rule as a person writes it: `Tool`, or `Tool(pattern)`. */
export interface Rule {
  /** As it was written, for whoever is told of it. */
  readonly text: string;
  /** A tool, or `mcp__server` for all tools of a server. */
  readonly tool: string;
  readonly pattern: RulePattern;
}

export type RulePattern =
  | { readonly kind: "any" }
  /** "prefix": what follows after a word's end does not matter. A star that is no wildcard, a parenthesis and a comma may stand behind a backslash. */
  | { readonly kind: "command"; readonly match: "whole" | "prefix"; readonly text: string }
  | { readonly kind: "path"; readonly from: "workspace" | "root" | "home"; readonly glob: string }
  | { readonly kind: "domain"; readonly domain: string };

/** What settings say, as they say it. */
export interface Rules {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

export type ParsedRule = { readonly rule: Rule } | { readonly problem: string };

/** The tools that a rule with a path may name. */
export const PATH_TOOLS: readonly string[] = ["Read", "Edit", "Write", "Glob", "Grep"];
const OTHER_TOOLS = [
  "Bash",
  "BashOutput",
  "KillShell",
  "WebFetch",
  "TodoWrite",
  "AskUser",
  "Task",
  "Backtrack",
  "ExitPlanMode",
];
const LONGEST = 4_096;

/** Reads a rule, or says what is wrong with it, so that no rule is silently one that never matches. */
export function parseRule(written: string): ParsedRule {
  const text = written.trim();
  if (text === "") return { problem: "it is empty" };
  const open = text.indexOf("(");
  const tool = (open === -1 ? text : text.slice(0, open)).replace(/__\*$/u, "");
  const wrongName = problemOfName(tool);
  if (wrongName !== undefined) return { problem: wrongName };
  if (open === -1) return { rule: { text, tool, pattern: { kind: "any" } } };
  if (!text.endsWith(")")) return { problem: "its pattern has no closing parenthesis at the end" };
  const pattern = patternOf(tool, text.slice(open + 1, -1));
  return "problem" in pattern ? pattern : { rule: { text, tool, pattern } };
}

/** For rules that were checked when they were read as settings. */
export function requireRule(text: string): Rule {
  const parsed = parseRule(text);
  if ("rule" in parsed) return parsed.rule;
  throw new WorldlineError("SETTINGS_INVALID", `"${text}" is no permission rule: ${parsed.problem}.`, {
    hint: "Write it as Tool or Tool(pattern), such as Bash(npm test:*); see docs/guide/permissions.md.",
  });
}

function problemOfName(tool: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/u.test(tool)) {
    return `"${tool}" cannot be a tool's name; write Tool or Tool(pattern)`;
  }
  if (tool === "mcp__") return "it names no server; write mcp__server or mcp__server__tool";
  const known = [...PATH_TOOLS, ...OTHER_TOOLS].find((each) => each.toLowerCase() === tool.toLowerCase());
  return known === undefined || known === tool ? undefined : `there is no tool "${tool}"; write ${known}`;
}

function patternOf(tool: string, text: string): RulePattern | { readonly problem: string } {
  if (text.trim() === "")
    return { problem: `nothing stands in its parentheses; write ${tool} for all of it` };
  if (tool === "Bash") return commandPattern(text.trim());
  if (text.length > LONGEST) return { problem: `its pattern is longer than ${LONGEST} characters` };
  if (PATH_TOOLS.includes(tool)) return pathPattern(text);
  if (tool === "WebFetch") return domainPattern(text.trim());
  return { problem: `${tool} takes no pattern; only ${["Bash", ...PATH_TOOLS, "WebFetch"].join(", ")} do` };
}

function commandPattern(text: string): RulePattern | { readonly problem: string } {
  const isPrefix = text.endsWith(":*");
  const fixed = isPrefix ? text.slice(0, -2).trim() : text;
  if (fixed === "") return { problem: "nothing stands before :*; write Bash for all commands" };
  return { kind: "command", match: isPrefix ? "prefix" : "whole", text: fixed };
}

function pathPattern(text: string): RulePattern | { readonly problem: string } {
  const segments = text.split("/");
  if (segments.includes("..")) {
    return { problem: "a path with .. in it cannot be told; write //absolute/path, ~/path, or path" };
  }
  const problem = globProblem(text);
  if (problem !== undefined) return { problem };
  if (text.startsWith("//")) return { kind: "path", from: "root", glob: trimmed(text.slice(2)) };
  if (text === "~" || text.startsWith("~/")) {
    return { kind: "path", from: "home", glob: trimmed(text.slice(2)) };
  }
  if (text.startsWith("/")) {
    const rest = text.slice(1);
    return { problem: `write //${rest} for an absolute path, or ${rest || "**"} for one in the workspace` };
  }
  return { kind: "path", from: "workspace", glob: trimmed(text) };
}

/** `src/`, `./src` and `src` are the same folder; the whole of a place is `**`. */
function trimmed(glob: string): string {
  const plain = glob.replace(/^(\.\/)+/u, "").replace(/\/+$/u, "");
  return plain === "" || plain === "." ? "**" : plain;
}

function domainPattern(text: string): RulePattern | { readonly problem: string } {
  const domain = /^domain:(?<name>(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/iu.exec(text)
    ?.groups?.["name"];
  return domain === undefined
    ? { problem: "a pattern of WebFetch is domain:example.com or domain:*.example.com" }
    : { kind: "domain", domain: domain.toLowerCase() };
}
