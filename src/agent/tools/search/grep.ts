import { dirname, isAbsolute } from "node:path";
import { z } from "zod";
import { hiddenFrom } from "../../permissions/hidden.ts";
import { lookAt, whileInPlace } from "../files/look.ts";
import { allowedPlace, pathSubject, shownPath } from "../files/places.ts";
import { didYouMean } from "../files/similar-names.ts";
import { descriptions } from "../generated/descriptions.ts";
import { oneLine, visible, visibleName } from "../text.ts";
import { defineTool, done, failed, interrupted, systemText, type Tool } from "../tool.ts";
import {
  complaintsText,
  newestFirst,
  type RipgrepAnswer,
  ripgrep,
  type SearchOptions,
  Sieve,
  WALKING,
} from "./ripgrep.ts";

const DEFAULT_RECORDS = 250;
const MOST_CHARACTERS = 30_000;
const MOST_COLUMNS = 500;
/** Beyond that, finding out which ones are the newest would take too long. */
const MOST_PATHS = 50_000;

const lines = z.int().min(0).max(1_000);
const input = z.strictObject({
  pattern: systemText(
    "A regular expression, as ripgrep takes it: literal braces and parentheses need a backslash.",
  ),
  path: systemText("The file or folder to search, by default the workspace.").optional(),
  glob: systemText("Only files that match, such as *.ts or src/**/*.{js,jsx}.").optional(),
  type: z
    .string()
    .min(1)
    .optional()
    .describe("Only files of a type that ripgrep knows, such as js, py, rust."),
  output_mode: z
    .enum(["content", "files_with_matches", "count"])
    .optional()
    .describe("Matching lines, paths only (default), or how many lines match in each file."),
  "-i": z.boolean().optional().describe("Upper and lower case are the same."),
  "-n": z.boolean().optional().describe("Line numbers; by default they are shown. Only for content."),
  "-A": lines.optional().describe("Lines after each match. Only for content."),
  "-B": lines.optional().describe("Lines before each match. Only for content."),
  "-C": lines.optional().describe("Lines before and after each match. Only for content."),
  multiline: z.boolean().optional().describe("A match may span lines, and a dot matches a line break."),
  head_limit: z.int().min(0).optional().describe("At most so many lines or paths, by default 250."),
});
type Input = z.infer<typeof input>;

export function grepTool({ workspace, environment, denied = [] }: SearchOptions): Tool {
  const hides = hiddenFrom({ tool: "Grep", deny: denied, workspace });
  return defineTool<Input>({
    name: "Grep",
    description: descriptions.grep,
    input,
    reach: "reads",
    subjects: async ({ path = "." }) => pathSubject(workspace, path, "read"),
    about: ({ pattern, path }) => oneLine(path === undefined ? pattern : `${pattern} in ${path}`),
    run: async (wanted, call) => {
      const { signal } = call;
      const place = await allowedPlace(workspace, wanted.path ?? ".", call);
      const shown = shownPath(workspace, place);
      const look = await lookAt(place);
      if (look.kind === "missing")
        return failed(`There is no ${shown}.${await didYouMean(workspace, place)}`);
      if (look.kind === "unusable") return failed(`${shown} cannot be searched: ${look.why}.`);
      const start = pathArgument(shown);
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

/** Always one: without any, ripgrep would read its standard input. */
function pathArgument(shown: string): string {
  if (shown === ".") return "./";
  return isAbsolute(shown) ? shown : `./${shown}`;
}

function argumentsFor(wanted: Input): string[] {
  return [
    "--sort=path",
    ...modeArguments(wanted),
    ...(wanted["-i"] === true ? ["--ignore-case"] : []),
    ...(wanted.multiline === true ? ["--multiline", "--multiline-dotall"] : []),
    ...(wanted.glob === undefined ? [] : [`--glob=${wanted.glob}`]),
    ...(wanted.type === undefined ? [] : [`--type=${wanted.type}`]),
    // Behind the glob of the model, which would win otherwise.
    ...WALKING,
    `--regexp=${wanted.pattern}`,
  ];
}

function modeOf({ output_mode: mode = "files_with_matches" }: Input): NonNullable<Input["output_mode"]> {
  return mode;
}

function modeArguments(wanted: Input): string[] {
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
    `--max-columns=${MOST_COLUMNS}`,
    "--max-columns-preview",
    ...around,
  ];
}

/** Stops the search as soon as nothing more would be shown. Paths are sorted by age afterwards, so all are wanted. */
function takerOf(wanted: Input, sieve: Sieve): (record: string) => "more" | "skip" | "enough" {
  const isPath = modeOf(wanted) === "files_with_matches";
  const most = isPath ? MOST_PATHS : limitIn(wanted);
  let count = 0;
  return (record) => {
    if (!(isPath ? sieve.keepsPath(record) : sieve.keepsLine(record))) return "skip";
    count += 1;
    return count > most ? "enough" : "more";
  };
}

function limitIn({ head_limit: limit = DEFAULT_RECORDS }: Input): number {
  return limit === 0 ? MOST_CHARACTERS : limit;
}

/** Without the NULs that the sieve needs. */
function plain(wanted: Input, answer: RipgrepAnswer, sieve: Sieve): RipgrepAnswer {
  const numbers = modeOf(wanted) === "content" && wanted["-n"] !== false ? "shown" : "none";
  return { ...answer, records: answer.records.map((record) => sieve.plain(record, numbers)) };
}

async function answerText(workspace: string, wanted: Input, answer: RipgrepAnswer): Promise<string> {
  const complaints = complaintsText(answer);
  const found = answer.records.map((record) => record.replace(/^\.\//, ""));
  if (found.length === 0) {
    const nothing = "Nothing found. Ignored files (.gitignore) are not searched unless `path` names them.";
    return [nothing, ...complaints].join("\n");
  }
  const ordered =
    modeOf(wanted) === "files_with_matches"
      ? (await newestFirst(workspace, found)).map(visibleName)
      : found.map(visible);
  const shown = whatFits(ordered.slice(0, limitIn(wanted)));
  const isCut = answer.end === "cut" || shown.length < ordered.length;
  const more = `[... there is more; narrow the search, or raise head_limit (now ${shown.length} shown)]`;
  return [...shown, ...(isCut ? [more] : []), ...complaints].join("\n");
}

function whatFits(records: readonly string[]): string[] {
  let room = MOST_CHARACTERS;
  return records.filter((record) => {
    room -= record.length + 1;
    return room >= 0;
  });
}
