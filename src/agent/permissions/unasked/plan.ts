import { delimiter, dirname } from "node:path";
import { isInside, isUpward, joinLiterally, type PathContext, pathsNamed } from "../places.ts";
import {
  type PlainCommand,
  type PlainLine,
  type PlainStep,
  type Redirect,
  readPlainLine,
} from "../shell/plain-line.ts";
import { GIT_ENVIRONMENT, gitLookOf } from "./git.ts";
import { lookOf } from "./programs.ts";
import type { Sight } from "./sight.ts";

/**
 * How to run a command line if only its individual commands were allowed: with exactly these words, and without a shell
 * that could interpret them differently.
 */
export interface CommandPlan {
  /** The real, absolute path of the folder where the command line runs, after any leading `cd`. */
  readonly folder: string;
  readonly steps: readonly PlannedStep[];
}

export interface PlannedStep extends PlainStep {
  readonly pipeline: readonly PlannedCommand[];
}

export interface PlannedCommand extends PlainCommand {
  /** The real locations of the paths that the command names, where known. */
  readonly places: readonly string[];
  /** The first word in the command that points outside the workspace. */
  readonly outside?: string;
  /**
   * Present if the command is known to be read-only, inside or outside the workspace. "wide": the command reads more
   * than the paths that it names.
   */
  readonly looks?: "named" | "wide";
  /** How to run the command. Absent if the command runs with its words unchanged. */
  readonly run?: PlannedRun;
}

interface PlannedRun {
  /** The program to run. This is an absolute path for read-only commands. */
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

interface PlanContext extends PathContext {
  /** The folder where the command starts. The default is the workspace. */
  readonly folder?: string;
}

/**
 * Plans how to run a command line. Returns undefined if the line contains anything except literal words and a few
 * operators, because then only a shell can determine what it does.
 */
export function planCommand(text: string, pathContext: PlanContext, sight: Sight): CommandPlan | undefined {
  const line = readPlainLine(text);
  if (line === undefined) return undefined;
  const start = leadingFolder(line, pathContext, sight);
  if (start === undefined) return undefined;
  const { folder, steps } = start;
  return {
    folder,
    steps: steps.map((step) => ({
      ...step,
      pipeline: step.pipeline.map((command) => planned(command, { ...pathContext, folder }, sight)),
    })),
  };
}

/** Checks whether every command of the plan is known to be read-only. */
export function onlyLooks(plan: CommandPlan | undefined): boolean {
  return plan?.steps.every(({ pipeline }) => pipeline.every(({ looks }) => looks !== undefined)) ?? false;
}

/**
 * Removes `cd` from the start of a line and returns the folder that the rest of the line runs in. Returns undefined if
 * there is a `cd` anywhere else, because that `cd` might never run.
 */
function leadingFolder(
  line: PlainLine,
  pathContext: PlanContext,
  sight: Sight,
): { readonly folder: string; readonly steps: PlainLine } | undefined {
  let folder = sight.place(pathContext.folder ?? pathContext.workspace);
  if (!isInside(pathContext, folder)) return undefined;
  let count = 0;
  for (const { join: joint, pipeline } of line) {
    const [program, to, ...more] = pipeline.flatMap(({ words }) => words);
    if (program !== "cd" || pipeline.length > 1) break;
    // A word that begins with a dash is an option or stands for the previous folder. A `cd` after `||` does not run.
    if (to === undefined || /^(?:-|$)/u.test(to) || more.length > 0 || joint === "||") return undefined;
    folder = sight.place(joinLiterally(folder, to));
    if (!isInside(pathContext, folder) || sight.kind(folder) !== "folder") return undefined;
    count += 1;
  }
  const steps = line.slice(count);
  const isLater = steps.some(({ pipeline }) => pipeline.some(({ words }) => words[0] === "cd"));
  return isLater || steps[0]?.join === "||" ? undefined : { folder, steps };
}

function planned(command: PlainCommand, pathContext: Required<PlanContext>, sight: Sight): PlannedCommand {
  const { words } = command;
  const run = words[0] === "git" ? gitRun(words, pathContext, sight) : lookRun(words, pathContext, sight);
  return { ...command, ...placesOf(words, pathContext, sight), ...run };
}

type Run = Pick<PlannedCommand, "looks" | "run">;

/**
 * Finds the paths that the words name. Every word is treated as a possible path, because systems differ in which
 * options take a path.
 */
function placesOf(
  words: readonly string[],
  { workspace, home, folder }: Required<PlanContext>,
  sight: Sight,
): Pick<PlannedCommand, "places" | "outside"> {
  const places = new Set<string>();
  for (const { word, piece, path } of pathsNamed({ workspace: folder, home }, ["", ...words.slice(1)])) {
    const place =
      path === undefined ? undefined : sight.place(isUpward(piece) ? joinLiterally(folder, piece) : path);
    if (place === undefined || !(isInside({ workspace }, place) || place === "/dev/null"))
      return { places: [...places], outside: word };
    places.add(place);
  }
  return { places: [...places] };
}

function lookRun(
  [name = "", ...args]: readonly string[],
  { folder }: Required<PlanContext>,
  sight: Sight,
): Run {
  const look = lookOf([name, ...args]);
  if (look === undefined) return {};
  const program = sight.program(name);
  if (program === undefined) return {};
  const { opens, operands, looks } = look;
  const isFit = opens === "nothing" || operands.every((operand) => isOpenable(operand, opens, folder, sight));
  return isFit ? { looks, run: { program, args, environment: {} } } : {};
}

/**
 * Checks whether an operand can be opened safely. Reading a pipe or a device may never end, or may affect another
 * program.
 */
function isOpenable(operand: string, opens: "paths" | "files", folder: string, sight: Sight): boolean {
  const path = joinLiterally(folder, operand);
  const kind = path === "/dev/null" ? "file" : sight.kind(path);
  return kind === "file" || kind === "missing" || (kind === "folder" && opens === "paths");
}

/**
 * Plans how to run a git command. Even if a rule allows git, it must not run programs from the repository's
 * configuration or use a bare repository among the workspace's files.
 */
function gitRun(words: readonly string[], pathContext: Required<PlanContext>, sight: Sight): Run {
  const look = gitLookOf(words);
  if (look === undefined) {
    const args = ["-c", "safe.bareRepository=explicit", ...words.slice(1)];
    return { run: { program: "git", args, environment: {} } };
  }
  const isHere = look.folder === undefined;
  const folder = isHere ? pathContext.folder : sight.place(joinLiterally(pathContext.folder, look.folder));
  const args = isHere ? look.args : ["-C", folder, ...look.args];
  const top = isInside(pathContext, folder) ? sight.repository(folder) : undefined;
  const program = sight.program("git");
  // The list of folders above which git must not search cannot contain a folder whose path contains the delimiter.
  if (top === undefined || dirname(top).includes(delimiter) || program === undefined)
    return { run: { program: program ?? "git", args, environment: GIT_ENVIRONMENT } };
  // If the repository that was checked is not valid, git must not continue its search above it.
  const environment = { ...GIT_ENVIRONMENT, GIT_WORK_TREE: top, GIT_CEILING_DIRECTORIES: dirname(top) };
  return { looks: look.looks, run: { program, args, environment } };
}

/**
 * Converts a plan to a shell line, for hosts that cannot run an argument vector. Every word is in single quotes, so
 * that a shell does not expand it. Read-only programs are given by their full path, and git is given the options that
 * prevent it from running other programs.
 */
export function planText({ folder, steps }: CommandPlan): string {
  const line = steps
    .map(({ join, pipeline }, index) => {
      const text = pipeline.map(commandText).join(" | ");
      if (index === 0) return text;
      return join === ";" ? `; ${text}` : ` ${join} ${text}`;
    })
    .join("");
  const start = `cd -P -- ${quoted(folder)}`;
  // The commands are grouped, so that none of them runs if the folder no longer exists.
  return steps.length === 0 ? start : `${start} && { ${line}; }`;
}

function commandText({ words, run, redirects }: PlannedCommand): string {
  return [...(run === undefined ? words : runWords(run)).map(quoted), ...redirects.map(redirectText)].join(
    " ",
  );
}

function runWords({ program, args, environment }: PlannedRun): readonly string[] {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return variables.length === 0 ? [program, ...args] : ["/usr/bin/env", ...variables, program, ...args];
}

function redirectText({ fd, to }: Redirect): string {
  if (to !== "null") return `${fd}>&${to}`;
  return fd === 0 ? "</dev/null" : `${fd}>/dev/null`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
