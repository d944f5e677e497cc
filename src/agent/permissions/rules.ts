import { type ErrorParams, type ErrorReason, type Problem, WorldlineError } from "../../record/error.ts";
import { globProblem } from "./glob.ts";
import type { CommandPlan } from "./unasked/plan.ts";

/**
 * What a tool can change. "nothing": it does not even read files, and needs no permission. "reads": it only reads files
 * or data from the network. "files": it changes exactly the files that it names. "anything": its changes are unknown,
 * so all files are captured afterwards.
 */
export type Reach = "nothing" | "reads" | "files" | "anything";

/**
 * The subject of a call, used by rules and in questions to the user. Paths are absolute, and links in the existing part
 * are resolved.
 */
export type Subject =
  | { readonly kind: "path"; readonly path: string; readonly access: "read" | "write" }
  /** `plan` is exactly what the command runs, if this can be determined without a shell. */
  | { readonly kind: "command"; readonly command: string; readonly plan?: CommandPlan }
  | { readonly kind: "url"; readonly url: string }
  /** A call that rules can refer to only by the name of its tool. */
  | { readonly kind: "tool" };

/** One rule, written by a user as `Tool` or `Tool(pattern)`. */
export interface Rule {
  /** The rule as the user wrote it, for display. */
  readonly text: string;
  /** The name of a tool, or `mcp__server` for all tools of a server. */
  readonly tool: string;
  readonly pattern: RulePattern;
}

export type RulePattern =
  | { readonly kind: "any" }
  /**
   * "prefix": anything may follow the text, but only after the end of a word. A backslash makes a star, a parenthesis
   * or a comma literal.
   */
  | { readonly kind: "command"; readonly match: "whole" | "prefix"; readonly text: string }
  | { readonly kind: "path"; readonly from: "workspace" | "root" | "home"; readonly glob: string }
  | { readonly kind: "domain"; readonly domain: string };

export type CommandPattern = Extract<RulePattern, { kind: "command" }>;

/** The rules as they appear in the settings, not yet parsed. */
export interface Rules {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

export type ParsedRule = { readonly rule: Rule } | WrongRule;

/** The tools that a rule with a path can name. */
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

/** Parses a rule or reports what is wrong with it. An invalid rule would otherwise silently never match. */
export function parseRule(written: string): ParsedRule {
  const text = written.trim();
  if (text === "") return wrong("rule-empty", {});
  const open = text.indexOf("(");
  const tool = (open === -1 ? text : text.slice(0, open)).replace(/__\*$/u, "");
  const wrongName = problemOfName(tool);
  if (wrongName !== undefined) return wrongName;
  if (open === -1) return { rule: { text, tool, pattern: { kind: "any" } } };
  if (!text.endsWith(")")) return wrong("rule-unclosed", {});
  const pattern = patternOf(tool, text.slice(open + 1, -1));
  return "problem" in pattern ? pattern : { rule: { text, tool, pattern } };
}

/** Parses a rule that was already checked when the settings were read. Throws if the rule is invalid. */
export function requireRule(text: string): Rule {
  const parsed = parseRule(text);
  if ("rule" in parsed) return parsed.rule;
  throw new WorldlineError("rule-invalid", { rule: text, problem: parsed.problem });
}

/** A problem with a rule. The problem is worded so that it can be part of a longer sentence. */
export interface WrongRule {
  readonly problem: Problem;
}

function wrong<Reason extends ErrorReason>(reason: Reason, params: ErrorParams<Reason>): WrongRule {
  return { problem: { reason, params } };
}

function problemOfName(tool: string): WrongRule | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/u.test(tool)) {
    return wrong("rule-tool-name", { tool });
  }
  if (tool === "mcp__") return wrong("rule-no-server", {});
  const known = [...PATH_TOOLS, ...OTHER_TOOLS].find((each) => each.toLowerCase() === tool.toLowerCase());
  return known === undefined || known === tool ? undefined : wrong("rule-tool-unknown", { tool, known });
}

function patternOf(tool: string, text: string): RulePattern | WrongRule {
  if (text.trim() === "") return wrong("rule-pattern-empty", { tool });
  if (tool === "Bash") return commandPattern(text.trim());
  if (text.length > LONGEST) return wrong("rule-pattern-long", { most: LONGEST });
  if (PATH_TOOLS.includes(tool)) return pathPattern(text);
  if (tool === "WebFetch") return domainPattern(text.trim());
  return wrong("rule-no-pattern", { tool, others: ["Bash", ...PATH_TOOLS, "WebFetch"] });
}

function commandPattern(text: string): RulePattern | WrongRule {
  const isPrefix = text.endsWith(":*");
  const fixed = isPrefix ? text.slice(0, -2).trim() : text;
  if (fixed === "") return wrong("rule-prefix-empty", {});
  return { kind: "command", match: isPrefix ? "prefix" : "whole", text: fixed };
}

function pathPattern(text: string): RulePattern | WrongRule {
  const segments = text.split("/");
  if (segments.includes("..")) {
    return wrong("rule-path-up", {});
  }
  const problem = globProblem(text);
  if (problem !== undefined) return { problem };
  if (text.startsWith("//")) return { kind: "path", from: "root", glob: trimmed(text.slice(2)) };
  if (text === "~" || text.startsWith("~/")) {
    return { kind: "path", from: "home", glob: trimmed(text.slice(2)) };
  }
  if (text.startsWith("/")) {
    return wrong("rule-path-slash", { rest: text.slice(1) });
  }
  return { kind: "path", from: "workspace", glob: trimmed(text) };
}

/** Normalizes a path pattern: `src/`, `./src` and `src` are the same folder, and `**` is everything. */
function trimmed(glob: string): string {
  const plain = glob.replace(/^(\.\/)+/u, "").replace(/\/+$/u, "");
  return plain === "" || plain === "." ? "**" : plain;
}

function domainPattern(text: string): RulePattern | WrongRule {
  const domain = /^domain:(?<name>(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/iu.exec(text)
    ?.groups?.["name"];
  return domain === undefined ? wrong("rule-domain", {}) : { kind: "domain", domain: domain.toLowerCase() };
}
