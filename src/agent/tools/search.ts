import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import picomatch from "picomatch";
import { z } from "zod";
import { hiddenFrom } from "../permissions/matching.ts";
import { allowedPlace, lookAt, nothingThere, pathSubject, shownPath, whileInPlace } from "./files.ts";
import { descriptions } from "./generated/descriptions.ts";
import {
  complaintsText,
  newestFirst,
  type RipgrepAnswer,
  ripgrep,
  type SearchOptions,
  Sieve,
  WALKING,
} from "./ripgrep.ts";
import { oneLine, plural, visible, visibleName } from "./text.ts";
import { defineTool, done, failed, interrupted, systemText, type Tool } from "./tool.ts";

const MAX_SHOWN = 100;
/** Maximum number of files to find. With more files, finding the newest ones would take too long. */
const MAX_FOUND = 50_000;

const globInput = z.strictObject({
  pattern: systemText(
    "A glob pattern, such as **/*.ts or src/**/*.{js,jsx}. Without a slash, it matches names at any depth.",
  ),
  path: systemText("The folder to search (default: the workspace).").optional(),
});
type GlobInput = z.infer<typeof globInput>;

export function globTool({ workspace, environment, denied = [] }: SearchOptions): Tool {
  return defineTool<GlobInput>({
    name: "Glob",
    description: descriptions.glob,
    input: globInput,
    reach: "reads",
    subjects: async (wanted) => pathSubject(workspace, whereOf(workspace, wanted).folder, "read"),
    about: ({ pattern, path }) => oneLine(path === undefined ? pattern : `${pattern} in ${path}`),
    run: async (wanted, call) => {
      const { signal } = call;
      const where = whereOf(workspace, wanted);
      const place = await allowedPlace(workspace, where.folder, call);
      const shown = shownPath(workspace, place);
      const look = await lookAt(place);
      if (look.kind === "unusable") return failed(`${shown} cannot be searched: ${look.fault.why}.`);
      if (look.kind !== "folder") {
        return failed((await nothingThere("folder", workspace, place)).why);
      }
      const matches = matcherOf(where);
      if (typeof matches === "string") return failed(`Invalid pattern: ${matches}`);
      const hides = hiddenFrom({ tool: "Glob", deny: denied, workspace });
      const sieve = new Sieve({ folder: place, hides });
      let count = 0;
      const found = await whileInPlace(place, async () =>
        ripgrep({
          args: ["--files", "--null", ...WALKING],
          cwd: place,
          environment,
          signal,
          separator: "\0",
          onRecord: (path) => {
            if (!matches(path) || !sieve.keepsPath(path)) return "skip";
            count += 1;
            return count > MAX_FOUND ? "enough" : "more";
          },
        }),
      );
      if (found.end === "interrupted") return interrupted();
      if (found.fault !== undefined) return failed(found.fault);
      const paths = await newestFirst(place, found.records);
      const shownPaths = paths
        .slice(0, MAX_SHOWN)
        .map((path) => visibleName(shownPath(workspace, join(place, path))));
      return done([...shownPaths, ...notesOn(found, wanted.pattern), ...sieve.notes].join("\n"));
    },
  });
}

interface Where {
  readonly folder: string;
  /** The pattern for paths below the folder. */
  readonly glob: string;
  readonly depth: "any" | "given";
}

/**
 * Splits a pattern into the folder at its fixed start and the rest. For example, "/tmp/x/*.c" searches for "*.c" in
 * /tmp/x.
 */
function whereOf(workspace: string, { pattern, path = "." }: GlobInput): Where {
  const start = resolve(workspace, path);
  if (!pattern.includes("/")) return { folder: start, glob: pattern, depth: "any" };
  if (pattern.endsWith("/")) return { folder: resolve(start, pattern), glob: "**", depth: "given" };
  const { base, glob } = picomatch.scan(pattern);
  if (glob !== "") return { folder: resolve(start, base), glob, depth: "given" };
  const literal = resolve(start, pattern);
  return { folder: dirname(literal), glob: basename(literal), depth: "given" };
}

/** Returns a function that matches paths below the folder, or what is wrong with the pattern. */
function matcherOf({ glob, depth }: Where): ((path: string) => boolean) | string {
  try {
    const matches = picomatch(glob, { dot: true, nonegate: true, basename: depth === "any" });
    // The pattern may also be the literal name of a folder, such as [id].
    return (path) => path === glob || matches(path);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function notesOn(found: RipgrepAnswer, pattern: string): string[] {
  const complaints = complaintsText(found);
  if (found.records.length === 0) {
    return [`No files match ${pattern}. Ignored files (.gitignore) are not searched.`, ...complaints];
  }
  const more = found.records.length - MAX_SHOWN;
  if (more <= 0) return complaints;
  const atLeast = found.end === "cut" ? "at least " : "";
  return [`[... and ${atLeast}${plural(more, "more file")}; narrow the pattern to see them]`, ...complaints];
}

const DEFAULT_RECORDS = 250;
const MAX_CHARACTERS = 30_000;
const MAX_COLUMNS = 500;
/** Maximum number of paths to find. With more paths, finding the newest ones would take too long. */
const MAX_PATHS = 50_000;

const lines = z.int().min(0).max(1_000);
const grepInput = z.strictObject({
  pattern: systemText(
    "A regular expression in ripgrep syntax. Escape literal braces and parentheses with a backslash.",
  ),
  path: systemText("The file or folder to search (default: the workspace).").optional(),
  glob: systemText("Search only files that match this glob, such as *.ts or src/**/*.{js,jsx}.").optional(),
  type: z
    .string()
    .min(1)
    .optional()
    .describe("Search only files of this ripgrep type, such as js, py, or rust."),
  output_mode: z
    .enum(["content", "files_with_matches", "count"])
    .optional()
    .describe(
      "What to show: matching lines, paths only (default), or the number of matching lines in each file.",
    ),
  "-i": z.boolean().optional().describe("Ignore case."),
  "-n": z.boolean().optional().describe("Show line numbers (default true). Only for content."),
  "-A": lines.optional().describe("Number of lines to show after each match. Only for content."),
  "-B": lines.optional().describe("Number of lines to show before each match. Only for content."),
  "-C": lines.optional().describe("Number of lines to show before and after each match. Only for content."),
  multiline: z
    .boolean()
    .optional()
    .describe("Let matches span several lines, and let a dot match line breaks."),
  head_limit: z.int().min(0).optional().describe("Maximum number of lines or paths to return (default 250)."),
});
type GrepInput = z.infer<typeof grepInput>;

export function grepTool({ workspace, environment, denied = [] }: SearchOptions): Tool {
  return defineTool<GrepInput>({
    name: "Grep",
    description: descriptions.grep,
    input: grepInput,
    reach: "reads",
    subjects: async ({ path = "." }) => pathSubject(workspace, path, "read"),
    about: ({ pattern, path }) => oneLine(path === undefined ? pattern : `${pattern} in ${path}`),
    run: async (wanted, call) => {
      const { signal } = call;
      const place = await allowedPlace(workspace, wanted.path ?? ".", call);
      const shown = shownPath(workspace, place);
      const look = await lookAt(place);
      if (look.kind === "missing") return failed((await nothingThere("any", workspace, place)).why);
      if (look.kind === "unusable") return failed(`${shown} cannot be searched: ${look.fault.why}.`);
      const start = pathArgument(shown);
      const hides = hiddenFrom({ tool: "Grep", deny: denied, workspace });
      const sieve = new Sieve({ folder: workspace, hides, start });
      const answer = await whileInPlace(look.kind === "folder" ? place : dirname(place), async () =>
        ripgrep({
          args: [...argumentsFor(wanted), ...sieve.arguments, "--", start],
          cwd: workspace,
          environment,
          signal,
          ...(modeOf(wanted) === "files_with_matches" ? { separator: "\0" } : {}),
          onRecord: takerOf(wanted, sieve),
        }),
      );
      if (answer.end === "interrupted") return interrupted();
      if (answer.fault !== undefined) return failed(answer.fault);
      return done(
        [await answerText(workspace, wanted, plain(wanted, answer, sieve)), ...sieve.notes].join("\n"),
      );
    },
  });
}

/**
 * Returns the path to pass to ripgrep. The path is never empty, because without a path, ripgrep would read its standard
 * input.
 */
function pathArgument(shown: string): string {
  if (shown === ".") return "./";
  return isAbsolute(shown) ? shown : `./${shown}`;
}

function argumentsFor(wanted: GrepInput): string[] {
  return [
    "--sort=path",
    ...modeArguments(wanted),
    ...(wanted["-i"] === true ? ["--ignore-case"] : []),
    ...(wanted.multiline === true ? ["--multiline", "--multiline-dotall"] : []),
    ...(wanted.glob === undefined ? [] : [`--glob=${wanted.glob}`]),
    ...(wanted.type === undefined ? [] : [`--type=${wanted.type}`]),
    // These options follow the model's glob, which would otherwise override them.
    ...WALKING,
    `--regexp=${wanted.pattern}`,
  ];
}

function modeOf({
  output_mode: mode = "files_with_matches",
}: GrepInput): NonNullable<GrepInput["output_mode"]> {
  return mode;
}

function modeArguments(wanted: GrepInput): string[] {
  const mode = modeOf(wanted);
  if (mode === "files_with_matches") return ["--files-with-matches", "--null"];
  if (mode === "count") return ["--count", "--with-filename"];
  const around = (["-A", "-B", "-C"] as const).flatMap((key) => {
    const count = wanted[key];
    return count === undefined ? [] : [`${key}${count}`];
  });
  return [
    "--no-heading",
    "--with-filename",
    wanted["-n"] === false ? "--no-line-number" : "--line-number",
    `--max-columns=${MAX_COLUMNS}`,
    "--max-columns-preview",
    ...around,
  ];
}

/**
 * Returns a function that stops the search when enough records have been found. A search for paths needs all results,
 * because it sorts them by age.
 */
function takerOf(wanted: GrepInput, sieve: Sieve): (record: string) => "more" | "skip" | "enough" {
  const isPath = modeOf(wanted) === "files_with_matches";
  const most = isPath ? MAX_PATHS : limitIn(wanted);
  let count = 0;
  return (record) => {
    if (!(isPath ? sieve.keepsPath(record) : sieve.keepsLine(record))) return "skip";
    count += 1;
    return count > most ? "enough" : "more";
  };
}

function limitIn({ head_limit: limit = DEFAULT_RECORDS }: GrepInput): number {
  return limit === 0 ? MAX_CHARACTERS : limit;
}

/** Removes the NULs, which only the filter needs, from the answer. */
function plain(wanted: GrepInput, answer: RipgrepAnswer, sieve: Sieve): RipgrepAnswer {
  const numbers = modeOf(wanted) === "content" && wanted["-n"] !== false ? "shown" : "none";
  return { ...answer, records: answer.records.map((record) => sieve.plain(record, numbers)) };
}

async function answerText(workspace: string, wanted: GrepInput, answer: RipgrepAnswer): Promise<string> {
  const complaints = complaintsText(answer);
  const found = answer.records.map((record) => record.replace(/^\.\//, ""));
  if (found.length === 0) {
    const nothing = "No matches. Ignored files (.gitignore) are not searched unless `path` names them.";
    return [nothing, ...complaints].join("\n");
  }
  const ordered =
    modeOf(wanted) === "files_with_matches"
      ? (await newestFirst(workspace, found)).map(visibleName)
      : found.map(visible);
  const shown = whatFits(ordered.slice(0, limitIn(wanted)));
  const isCut = answer.end === "cut" || shown.length < ordered.length;
  const more = `[... and more; narrow the search, or raise head_limit (${shown.length} shown)]`;
  return [...shown, ...(isCut ? [more] : []), ...complaints].join("\n");
}

function whatFits(records: readonly string[]): string[] {
  let room = MAX_CHARACTERS;
  return records.filter((record) => {
    room -= record.length + 1;
    return room >= 0;
  });
}
