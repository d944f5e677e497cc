import { allowsWords, isExactly, matchesPath, meetingWords, piecesOf, wildcardMatcher } from "./matching.ts";
import {
  isOutside,
  type NamedPath,
  type PathContext,
  pathsInWord,
  pathsNamed,
  protectedPart,
} from "./places.ts";
import { PATH_TOOLS, type Rule } from "./rules.ts";
import { everyCommand, unwrapped } from "./shell/every-command.ts";
import type { ShellPart } from "./shell/read-shell.ts";
import { gitLookOf } from "./unasked/git.ts";
import type { CommandPlan, PlannedCommand } from "./unasked/plan.ts";
import { lookOf } from "./unasked/programs.ts";

/** A command line with everything that can be recognized in it. */
export interface SeenCommand {
  readonly text: string;
  /** Exactly what the line runs. Undefined if only a shell can determine this. */
  readonly plan: CommandPlan | undefined;
  /** Every command that can be recognized anywhere in the line, and perhaps some text that is not a command. */
  readonly every: readonly ShellPart[];
  /** "no" if the line contains more commands than could be read. */
  readonly whole: "yes" | "no";
}

export function seeCommand(text: string, plan?: CommandPlan): SeenCommand {
  const { commands, whole } = everyCommand(text);
  return { text, plan, every: commands, whole };
}

/** Returns the first path outside the workspace that the command names. */
export function outsideOf(
  pathContext: PathContext,
  { every }: Pick<SeenCommand, "every">,
): NamedPath | undefined {
  return every.flatMap((part) => namedBy(pathContext, part)).find((named) => isOutside(pathContext, named));
}

/**
 * Returns the protected part of the first path that needs permission in every mode. Paths that the command only reads
 * do not count.
 */
export function protectedOf(
  pathContext: PathContext,
  { every }: Pick<SeenCommand, "every">,
): string | undefined {
  return every
    .filter((part) => !isLooking(part))
    .flatMap((part) => namedBy(pathContext, part))
    .map((named) => protectedIn(pathContext, named))
    .find((part) => part !== undefined);
}

function protectedIn(pathContext: PathContext, { path }: NamedPath): string | undefined {
  return path === undefined ? undefined : protectedPart(pathContext, path);
}

/** Checks whether a deny or ask rule applies to any part of the command, or to a path that the command names. */
export function meetsCommand(rule: Rule, { every }: SeenCommand, pathContext: PathContext): boolean {
  if (rule.tool === "Bash") {
    if (rule.pattern.kind !== "command") return true;
    const isMet = meetingWords(rule.pattern);
    return every.some((part) => isMet(part.words));
  }
  if (rule.pattern.kind !== "path" || !["Read", "Edit", "Write"].includes(rule.tool)) return false;
  const { all, changed } = pathsIn(every, pathContext);
  const paths = rule.tool === "Read" ? all : changed;
  return paths.some((path) => matchesPath(rule.pattern, path, pathContext));
}

interface PathsIn {
  readonly pathContext: PathContext;
  readonly all: readonly string[];
  /** All paths except those that are only read. */
  readonly changed: readonly string[];
}

/** The paths are cached, because there may be many rules, and thousands of commands may name the same paths. */
const knownPaths = new WeakMap<SeenCommand["every"], PathsIn>();

function pathsIn(every: SeenCommand["every"], pathContext: PathContext): PathsIn {
  const known = knownPaths.get(every);
  if (known?.pathContext === pathContext) return known;
  const distinct = (parts: readonly ShellPart[]): readonly string[] => {
    const named = parts.flatMap((part) => namedBy(pathContext, part));
    return [...new Set(named.map(({ path }) => path).filter((path) => path !== undefined))];
  };
  const found = {
    pathContext,
    all: distinct(every),
    changed: distinct(every.filter((part) => !isLooking(part))),
  };
  knownPaths.set(every, found);
  return found;
}

/**
 * Returns "deny" if the command must not read a path that it names, or must not write to a path that it redirects
 * output to. Returns "ask" if it is unknown whether the command changes the path.
 */
export function strengthOf(rule: Rule, { every }: SeenCommand, pathContext: PathContext): "deny" | "ask" {
  if (!PATH_TOOLS.includes(rule.tool) || rule.tool === "Read") return "deny";
  const files = every.flatMap((part) => part.files.flatMap((file) => pathsInWord(pathContext, file)));
  return files.some((named) => meetsNamed(rule, named, pathContext)) ? "deny" : "ask";
}

/**
 * "as given": the line itself is allowed. "as planned": only the individual commands in the line are allowed, so the
 * plan must run instead of the line.
 */
export type Allowance = "as given" | "as planned";

/** Checks whether the rules allow the whole line: either the line itself, or each of its commands. */
export function allowsCommand(
  rules: readonly Rule[],
  command: SeenCommand,
  context: AllowContext,
): Allowance | undefined {
  const own = rules.filter((rule) => rule.tool === "Bash");
  if (own.some(({ pattern }) => isExactly(pattern, command.text))) return "as given";
  if (command.whole === "no") return undefined;
  const isAllowed = command.plan?.steps.every(({ pipeline }) =>
    pipeline.every((each) => allowsPart(own, each, context)),
  );
  if (isAllowed === true) return "as planned";
  const { pathContext } = context;
  const isQuiet =
    outsideOf(pathContext, command) === undefined && protectedOf(pathContext, command) === undefined;
  return isQuiet && own.some(({ pattern }) => pattern.kind === "any") ? "as given" : undefined;
}

export interface AllowContext {
  readonly pathContext: PathContext;
  readonly paths: "open" | "sealed";
}

function allowsPart(rules: readonly Rule[], command: PlannedCommand, context: AllowContext): boolean {
  const { pathContext, paths } = context;
  const { words, looks, outside } = command;
  const part = { words, files: [] };
  const noted = notedIn(pathContext, part);
  const isSealed = paths === "sealed" && looks === "wide";
  const isInside = outside === undefined && noted.every((named) => !isOutside(pathContext, named));
  if (looks !== undefined && !isSealed && isInside) return true;
  return rules.some(
    ({ pattern }) =>
      pattern.kind === "command" &&
      allowsWords(pattern, words) &&
      namesAll(pattern.text, noted, pathContext) &&
      (outside === undefined || namesWord(pattern.text, outside)),
  );
}

/**
 * Returns the paths that can be allowed only by a rule that names them: paths outside the workspace and protected
 * paths.
 */
function notedIn(pathContext: PathContext, part: ShellPart): readonly NamedPath[] {
  return unwrapped(part)
    .flatMap((each) => namedBy(pathContext, each))
    .filter((named) => isOutside(pathContext, named) || protectedIn(pathContext, named) !== undefined);
}

/** Checks whether the pattern spells out each of the paths instead of matching it with a wildcard. */
function namesAll(pattern: string, named: readonly NamedPath[], pathContext: PathContext): boolean {
  const words = wordsOf(pattern);
  return named.every(({ word, path }) => {
    // `/var/log/*` must not cover `/var/log/../../etc`.
    if (word.split("/").includes("..") && !words.includes(word)) return false;
    return words.some((each) => wildcardMatcher(each, "whole")(word) && isSpecific(each, path, pathContext));
  });
}

/**
 * Checks whether the pattern names the word, either literally or with a wildcard. In a pattern with a wildcard, the
 * text before the wildcard must contain a slash. A word that points outside the workspace, for example through a link,
 * must be named in this way.
 */
function namesWord(pattern: string, word: string): boolean {
  return wordsOf(pattern).some((each) => {
    const [text, ...more] = piecesOf(each);
    return more.length === 0 ? text === word : wildcardMatcher(each, "whole")(word) && text.includes("/");
  });
}

function wordsOf(pattern: string): readonly string[] {
  return pattern.split(/\s/u);
}

function isSpecific(word: string, path: string | undefined, pathContext: PathContext): boolean {
  const [fixed] = piecesOf(word);
  return (
    pathsInWord(pathContext, fixed).some((each) => isOutside(pathContext, each)) ||
    (path !== undefined && fixed.includes(protectedPart(pathContext, path) ?? "\0"))
  );
}

/**
 * Recognizes known read-only programs and git, without redirections. This function only distinguishes reading from
 * changing. It does not allow anything.
 */
function isLooking({ words, files }: ShellPart): boolean {
  if (files.some((file) => file !== "/dev/null") || words.some((word) => word.includes("$"))) return false;
  return lookOf(words) !== undefined || gitLookOf(words) !== undefined;
}

function namedBy(pathContext: PathContext, { words, files }: ShellPart): readonly NamedPath[] {
  return [...pathsNamed(pathContext, words), ...files.flatMap((file) => pathsInWord(pathContext, file))];
}

function meetsNamed(rule: Rule, { path }: NamedPath, pathContext: PathContext): boolean {
  return path !== undefined && matchesPath(rule.pattern, path, pathContext);
}
