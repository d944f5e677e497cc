import { posix } from "node:path";
import { outsideOf, protectedOf, seeCommand } from "./commands.ts";
import { escapedCommand } from "./matching.ts";
import { isInside, type PathContext, protectedPart } from "./places.ts";
import { PATH_TOOLS, type Subject } from "./rules.ts";
import type { CommandPlan } from "./unasked/plan.ts";

/**
 * Commands that a rule "for this session" also allows with other arguments: the project's own scripts and tests, and
 * git commands that work on the repository. Commands that can run any program, script or package, directly or through
 * an option, are not listed. Examples are `npm exec`, `uv run`, `make`, `git config` and `git push --receive-pack`. A
 * rule for such a command would be as broad as a rule for Bash itself.
 */
const WITH_ARGUMENTS: readonly (readonly [programs: string, subcommands: string])[] = [
  ["npm pnpm yarn bun", "test"],
  ["cargo", "build check clippy fmt test"],
  [
    "git",
    "add blame branch checkout cherry-pick commit diff log merge mv reset restore revert rm show stash status switch tag",
  ],
];
/** After these subcommands, the next word is the name of the script. */
const RUNNERS = new Set(["run", "run-script"]);

export interface RuleRequest {
  readonly tool: string;
  readonly subject: Subject;
  readonly pathContext: PathContext;
  /**
   * "usual": the rule allows as much as a user would expect, and no more. "exact": it allows only this path or command.
   */
  readonly extent: "usual" | "exact";
}

/** Returns the rule to add if the user chooses "always". */
export function ruleFor({ tool, subject, pathContext, extent }: RuleRequest): string {
  switch (subject.kind) {
    case "path":
      return PATH_TOOLS.includes(tool) ? pathRule(tool, subject, { pathContext, extent }) : tool;
    case "command":
      return tool === "Bash"
        ? commandRule(subject.command.trim(), subject.plan, { pathContext, extent })
        : tool;
    case "url":
      return tool === "WebFetch" ? urlRule(subject.url) : tool;
    case "tool":
      return tool;
    default:
      return subject satisfies never;
  }
}

/**
 * Returns a rule for a path. Inside the workspace, the rule covers the file's folder. For paths outside the workspace
 * and for protected paths, it covers only the path itself.
 */
function pathRule(
  tool: string,
  { path, access }: Extract<Subject, { kind: "path" }>,
  { pathContext, extent }: Pick<RuleRequest, "pathContext" | "extent">,
): string {
  const name = access === "write" ? "Edit" : "Read";
  if (!isInside(pathContext, path)) return `${name}(/${escaped(path)})`;
  const relative = posix.relative(pathContext.workspace, path);
  if (relative === "") return tool;
  const folder = posix.dirname(relative);
  const isAlone = extent === "exact" || folder === "." || protectedPart(pathContext, path) !== undefined;
  // A name that consists only of spaces would be parsed as an empty pattern.
  const start = relative.trim() === "" ? "./" : "";
  if (isAlone) return `${name}(${start}${escaped(relative)})`;
  return `${name}(${escaped(folder)}/**)`;
}

function escaped(path: string): string {
  return path.replace(/[\\*?[\]{}()!+@|"'~$^,]/gu, "\\$&");
}

/**
 * Returns a rule for a command. The rule covers any arguments if the command's first words say what it does. Otherwise,
 * it covers exactly this command.
 */
function commandRule(
  text: string,
  plan: CommandPlan | undefined,
  { pathContext, extent }: Pick<RuleRequest, "pathContext" | "extent">,
): string {
  const exact = `Bash(${escapedCommand(text) || ":"})`;
  // After `cd`, the script may be from another project.
  const isHere = extent === "usual" && plan?.folder === pathContext.workspace;
  const fixed = isHere ? fixedWords(plan) : undefined;
  if (fixed === undefined) return exact;
  const command = seeCommand(text, plan);
  const isQuiet =
    outsideOf(pathContext, command) === undefined && protectedOf(pathContext, command) === undefined;
  return isQuiet ? `Bash(${fixed.join(" ")}:*)` : exact;
}

/** Returns the first words of a line with a single command, if these words say what the command does. */
function fixedWords(plan: CommandPlan): readonly string[] | undefined {
  const [step, ...steps] = plan.steps;
  const [command, ...commands] = step?.pipeline ?? [];
  if (command === undefined || steps.length > 0 || commands.length > 0) return undefined;
  const [program = "", second = "", third = ""] = command.words;
  if (command.outside !== undefined) return undefined;
  if (RUNNERS.has(second))
    return ["npm", "pnpm", "yarn"].includes(program) && isWord(third) ? [program, second, third] : undefined;
  const isKnown = WITH_ARGUMENTS.some(
    ([programs, subcommands]) =>
      programs.split(" ").includes(program) && subcommands.split(" ").includes(second),
  );
  return isKnown ? [program, second] : undefined;
}

function isWord(word: string): boolean {
  return /^[A-Za-z][\w:@./-]*$/u.test(word);
}

function urlRule(url: string): string {
  const isName =
    URL.canParse(url) && /^(?:[a-z0-9_.-]*[a-z0-9_-]|\[[0-9a-f:.]+\])$/u.test(new URL(url).hostname);
  // An invalid domain name gets a rule for the domain `invalid`, which does not match any real host.
  return `WebFetch(domain:${isName ? new URL(url).hostname : "invalid"})`;
}
