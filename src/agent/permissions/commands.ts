import { allowsWords, expressionOf, isExactly, matchesPath, meetingWords } from "./matching.ts";
import { type Ground, isOutside, type NamedPath, pathsNamed, protectedPart } from "./places.ts";
import { PATH_TOOLS, type Rule } from "./rules.ts";
import { everyCommand, unwrapped } from "./shell/every-command.ts";
import { isReadOnly } from "./shell/read-only.ts";
import { readShell, type ShellPart } from "./shell/read-shell.ts";

/** A command line, with all that can be seen in it. */
export interface SeenCommand {
  readonly text: string;
  /** Simple commands that make up the line; undefined where a shell may read it otherwise. */
  readonly parts: readonly ShellPart[] | undefined;
  /** Every command that can be seen anywhere in it. */
  readonly every: readonly ShellPart[];
}

export function seeCommand(text: string): SeenCommand {
  const { parts, plain } = readShell(text);
  // The same command is often seen in several ways.
  const every = new Map(everyCommand(text).map((part) => [JSON.stringify(part), part]));
  return { text, parts: plain === "yes" ? parts : undefined, every: [...every.values()] };
}

/** Whether every part of the line is on the list of commands that only read. */
export function onlyReads(command: string): boolean {
  const { parts = [] } = seeCommand(command);
  return parts.length > 0 && parts.every((part) => isReadOnly(part, "open"));
}

/** The first path outside the workspace that the command names. */
export function outsideOf(ground: Ground, { every }: Pick<SeenCommand, "every">): NamedPath | undefined {
  return every.flatMap((part) => namedBy(ground, part)).find((named) => isOutside(ground, named));
}

/** The first path that is asked about in every mode, where the command may do more to it than look. */
export function protectedOf(ground: Ground, { every }: Pick<SeenCommand, "every">): string | undefined {
  return every
    .filter((part) => !isReadOnly(part, "open"))
    .flatMap((part) => namedBy(ground, part))
    .map(({ path }) => (path === undefined ? undefined : protectedPart(ground, path)))
    .find((part) => part !== undefined);
}

/** Whether a rule that narrows is about the command: about any part of it, or a path that it names. */
export function meetsCommand(rule: Rule, { every }: SeenCommand, ground: Ground): boolean {
  if (rule.tool === "Bash") {
    const isMet = meetingWords(rule.pattern);
    return rule.pattern.kind === "any" || every.some((part) => isMet(part.words));
  }
  if (rule.pattern.kind !== "path" || !["Read", "Edit", "Write"].includes(rule.tool)) return false;
  return every.some((part) => {
    const isLooking = rule.tool !== "Read" && isReadOnly(part, "open");
    return !isLooking && namedBy(ground, part).some((named) => meetsNamed(rule, named, ground));
  });
}

/** "deny": what is named may not even be read, or would be written by a redirection. "ask": it may be changed, nobody can say. */
export function strengthOf(rule: Rule, { every }: SeenCommand, ground: Ground): "deny" | "ask" {
  if (!PATH_TOOLS.includes(rule.tool) || rule.tool === "Read") return "deny";
  const files = every.flatMap((part) => pathsNamed(ground, ["", ...part.files]));
  return files.some((named) => meetsNamed(rule, named, ground)) ? "deny" : "ask";
}

/** Whether the rules allow the whole line: the line itself, or every part of it. */
export function allowsCommand(rules: readonly Rule[], command: SeenCommand, scene: AllowScene): boolean {
  const own = rules.filter((rule) => rule.tool === "Bash");
  if (own.some(({ pattern }) => isExactly(pattern, command.text))) return true;
  const { ground } = scene;
  const isQuiet = outsideOf(ground, command) === undefined && protectedOf(ground, command) === undefined;
  if (isQuiet && own.some(({ pattern }) => pattern.kind === "any")) return true;
  const { parts = [] } = command;
  return parts.length > 0 && parts.every((part) => allowsPart(own, part, scene));
}

export interface AllowScene {
  readonly ground: Ground;
  readonly paths: "open" | "sealed";
}

function allowsPart(rules: readonly Rule[], part: ShellPart, { ground, paths }: AllowScene): boolean {
  const noted = notedIn(ground, part);
  if (isReadOnly(part, paths) && noted.every((named) => !isOutside(ground, named))) return true;
  if (part.files.some((file) => !/^\/dev\/(?:null|stdout|stderr)$/u.test(file))) return false;
  return rules.some(
    ({ pattern }) =>
      pattern.kind === "command" && allowsWords(pattern, part.words) && namesAll(pattern.text, noted, ground),
  );
}

/** The paths that a rule must name to allow them: outside the workspace, or where code is run from. */
function notedIn(ground: Ground, part: ShellPart): readonly NamedPath[] {
  return unwrapped(part)
    .flatMap((each) => namedBy(ground, each))
    .filter(
      (named) =>
        isOutside(ground, named) ||
        (named.path !== undefined && protectedPart(ground, named.path) !== undefined),
    );
}

/** Whether each of the paths stands in the pattern itself, and not merely where a star or the rest may be anything. */
function namesAll(pattern: string, named: readonly NamedPath[], ground: Ground): boolean {
  const words = pattern.split(/\s+/u).filter((word) => /[^*]/u.test(word));
  return named.every(({ word, path }) => {
    // `/var/log/*` must not name `/var/log/../../etc`.
    if (word.split("/").includes("..") && !words.includes(word)) return false;
    const isNamed = (each: string) => expressionOf(each, "whole").test(word);
    return words.some((each) => isNamed(each) && isSpecific(each, path, ground));
  });
}

function isSpecific(word: string, path: string | undefined, ground: Ground): boolean {
  const fixed = word.slice(0, word.search(/(?<!\\)\*|$/u));
  const named = pathsNamed(ground, ["", fixed]);
  return (
    named.some((each) => isOutside(ground, each)) ||
    (path !== undefined && fixed.includes(protectedPart(ground, path) ?? "\0"))
  );
}

function namedBy(ground: Ground, { words, files }: ShellPart): readonly NamedPath[] {
  return [...pathsNamed(ground, words), ...pathsNamed(ground, ["", ...files])];
}

function meetsNamed(rule: Rule, { path }: NamedPath, ground: Ground): boolean {
  return path !== undefined && matchesPath(rule.pattern, path, ground);
}
