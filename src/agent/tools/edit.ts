import { z } from "zod";
import { type Remark, type RemarkParams, remark } from "../../record/error.ts";
import { nothingThere, pathSubject } from "./files.ts";
import { descriptions } from "./generated/descriptions.ts";
import {
  knownTarget,
  type Refusal,
  refused,
  type Target,
  textIn,
  unifiedDiff,
  type WriteOptions,
  write,
} from "./put-file.ts";
import { firstCharacters, lineCount, oneLine, plural } from "./text.ts";
import { defineTool, interrupted, systemText, type Tool } from "./tool.ts";

const BYTE_ORDER_MARK = "\ufeff";

const editInput = z.strictObject({
  file_path: systemText("The path of the file, absolute or relative to the workspace."),
  old_string: z.string().describe("The text to replace, exactly as it appears in the file."),
  new_string: z.string().describe("The text to replace it with."),
  replace_all: z
    .boolean()
    .optional()
    .describe("Replace every occurrence. By default, there must be exactly one."),
});
type EditInput = z.infer<typeof editInput>;

export function editTool(pathContext: WriteOptions): Tool {
  const { workspace } = pathContext;
  return defineTool<EditInput>({
    name: "Edit",
    description: descriptions.edit,
    input: editInput,
    reach: "files",
    subjects: async ({ file_path: path }) => pathSubject(workspace, path, "write"),
    about: ({ file_path: path }) => oneLine(path),
    preview: async (wanted) => {
      const target = await knownTarget(pathContext, wanted.file_path);
      if ("refused" in target) return target;
      const edit = await edited(workspace, target, wanted);
      return "refused" in edit ? edit : unifiedDiff(target, edit.content);
    },
    run: async (wanted, { signal, places }) => {
      const target = await knownTarget(pathContext, wanted.file_path, places);
      if ("refused" in target) return refused(target.refused.why);
      const edit = await edited(workspace, target, wanted);
      if ("refused" in edit) return refused(edit.refused.why);
      if (signal.aborted) return { ...interrupted("Interrupted. Nothing was written."), touched: [] };
      return write(target, edit.content, edit.said);
    },
  });
}

/** The file's new contents, and the text that the model gets. */
interface EditedFile {
  readonly content: string;
  readonly said: string;
}

async function edited(workspace: string, target: Target, wanted: EditInput): Promise<EditedFile | Refusal> {
  const { shown, before } = target;
  const { old_string: old, new_string: by } = wanted;
  if (old === by) return { refused: remark("edit-without-change") };
  if (before === undefined) {
    if (old === "") return { content: by, said: `Created ${shown} (${plural(lineCount(by), "line")}).` };
    return { refused: await nothingThere("file", workspace, target.place) };
  }
  if (old === "") return { refused: remark("edit-file-exists", { path: shown }) };
  const whole = textIn(before.bytes);
  if (whole === undefined) return { refused: remark("edit-not-text", { path: shown }) };
  return editedText(shown, whole, wanted);
}

function editedText(shown: string, whole: string, wanted: EditInput): EditedFile | Refusal {
  const { old_string: old, new_string: by, replace_all: all = false } = wanted;
  const mark = whole.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const text = whole.slice(mark.length);
  const replaced = replaceText(text, { old, by, times: all ? "all" : "once" });
  if ("refused" in replaced) return { refused: refusalOf(shown, replaced, adviceFor(text, old)) };
  const times = replaced.pieces.length;
  return {
    content: mark + replaced.text,
    said: `Edited ${shown}${times === 1 ? "" : ` in ${times} places`}. It now reads:\n${changedLines(replaced.text, replaced.pieces)}`,
  };
}

/** Returns the reason for refusing an edit. `advice` is used if `old_string` is not in the file. */
export function refusalOf(
  path: string,
  replaced: Extract<Replaced, { refused: string }>,
  advice: Advice,
): Remark {
  switch (replaced.refused) {
    case "several":
      return remark("edit-several", { path, times: replaced.times });
    case "unchanged":
      return remark("edit-leaves-file", { path });
    case "missing":
      return remark("edit-text-missing", { path, advice });
    default:
      return replaced satisfies never;
  }
}

type Advice = RemarkParams<"edit-text-missing">["advice"];

function adviceFor(text: string, old: string): Advice {
  const withoutNumbers = old.replace(/^ *\d+\t/gm, "");
  if (withoutNumbers !== old && text.includes(withoutNumbers)) return "line-numbers";
  const bare = (each: string): string => each.replace(/\s+/gu, "");
  return bare(old) !== "" && bare(text).includes(bare(old)) ? "whitespace" : "read-again";
}

const AROUND = 2;
const MAX_LINES = 60;
const MAX_LINE_CHARACTERS = 300;

/** Returns the numbered lines that contain the changed pieces, with some context. */
function changedLines(
  text: string,
  pieces: readonly { readonly start: number; readonly end: number }[],
): string {
  if (text === "") return "(The file is empty.)";
  const lines = text.split("\n");
  if (lines.at(-1) === "" && lines.length > 1) lines.pop();
  const shown: string[] = [];
  let last: number | undefined;
  for (const number of numbersOf(text, pieces, lines.length)) {
    if (shown.length >= MAX_LINES) return [...shown, "   ... and more"].join("\n");
    if (last !== undefined && number > last + 1) shown.push("   ...");
    shown.push(numbered(number, lines[number - 1] ?? ""));
    last = number;
  }
  return shown.join("\n");
}

/** Yields the numbers of the lines to show, in ascending order and without duplicates. */
function* numbersOf(
  text: string,
  pieces: readonly { readonly start: number; readonly end: number }[],
  count: number,
): Generator<number> {
  let next = 1;
  for (const [first, last] of rangesOf(text, pieces, count)) {
    for (next = Math.max(first, next); next <= last; next += 1) yield next;
  }
}

/** Yields the first and last line to show for each piece, in order. Takes one pass over the text. */
function* rangesOf(
  text: string,
  pieces: readonly { readonly start: number; readonly end: number }[],
  count: number,
): Generator<readonly [first: number, last: number]> {
  let line = 1;
  let next = text.indexOf("\n");
  const lineAt = (place: number): number => {
    while (next !== -1 && next < place) {
      line += 1;
      next = text.indexOf("\n", next + 1);
    }
    return line;
  };
  for (const { start, end } of pieces) {
    const first = lineAt(start);
    yield [Math.max(1, Math.min(first, count) - AROUND), Math.min(count, lineAt(end) + AROUND)];
  }
}

function numbered(number: number, line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  const cut =
    text.length > MAX_LINE_CHARACTERS ? `${firstCharacters(text, MAX_LINE_CHARACTERS)} … (truncated)` : text;
  return `${String(number).padStart(6)}\t${cut}`;
}

/** The result of a replacement, or the reason that nothing was replaced. */
type Replaced =
  | {
      readonly text: string;
      /** The offsets of the new pieces in the new text, in order. */
      readonly pieces: readonly Piece[];
    }
  | { readonly refused: "missing" | "unchanged" }
  | { readonly refused: "several"; readonly times: number };

interface Piece {
  readonly start: number;
  readonly end: number;
}

interface Replacement {
  readonly old: string;
  readonly by: string;
  readonly times: "once" | "all";
}

/**
 * Replaces one string with another. A line break in `old` matches both LF and CRLF. The replacement uses the kind of
 * line break that the file had there, and all other bytes of the text stay the same.
 */
export function replaceText(text: string, { old, by, times }: Replacement): Replaced {
  const wanted = flat(old);
  const found = placesOf(flat(text), wanted);
  if (found.length === 0) return { refused: "missing" };
  if (found.length > 1 && times === "once") return { refused: "several", times: found.length };
  const borders = unflatten(
    text,
    found.flatMap((place) => [place, place + wanted.length]),
  );
  const pieces: Piece[] = [];
  let result = "";
  let done = 0;
  for (let index = 0; index < borders.length; index += 2) {
    const [start = 0, end = 0] = borders.slice(index, index + 2);
    result += text.slice(done, start);
    const piece = withEndings(by, endingFor(text, text.slice(start, end)));
    pieces.push({ start: result.length, end: result.length + piece.length });
    result += piece;
    done = end;
  }
  result += text.slice(done);
  return result === text ? { refused: "unchanged" } : { text: result, pieces };
}

function flat(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function placesOf(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    places.push(at);
  return places;
}

/** Maps ascending offsets in the text without carriage returns to offsets in the original text. */
function unflatten(text: string, places: readonly number[]): number[] {
  let returns = 0;
  let next = text.indexOf("\r\n");
  return places.map((place) => {
    while (next !== -1 && next - returns < place) {
      returns += 1;
      next = text.indexOf("\r\n", next + 2);
    }
    return place + returns;
  });
}

/**
 * Returns the kind of line break to use: the kind in the replaced text, otherwise the most frequent kind in the file.
 */
function endingFor(text: string, replaced: string): "\r\n" | "\n" {
  const sample = replaced.includes("\n") ? replaced : text;
  const returns = sample.split("\r\n").length - 1;
  const all = sample.split("\n").length - 1;
  return returns > all / 2 ? "\r\n" : "\n";
}

function withEndings(text: string, ending: "\r\n" | "\n"): string {
  // If the line break is "\n", the text stays unchanged, because any "\r\n" in it is intended.
  return ending === "\n" ? text : flat(text).replaceAll("\n", "\r\n");
}

const writeInput = z.strictObject({
  file_path: systemText("The path of the file, absolute or relative to the workspace."),
  content: z.string().describe("The complete content of the file."),
});

export function writeTool(pathContext: WriteOptions): Tool {
  const { workspace } = pathContext;
  return defineTool<z.infer<typeof writeInput>>({
    name: "Write",
    description: descriptions.write,
    input: writeInput,
    reach: "files",
    subjects: async ({ file_path: path }) => pathSubject(workspace, path, "write"),
    about: ({ file_path: path }) => oneLine(path),
    preview: async ({ file_path: path, content }) => {
      const target = await knownTarget(pathContext, path);
      return "refused" in target ? target : unifiedDiff(target, content);
    },
    run: async ({ file_path: path, content }, { signal, places }) => {
      const target = await knownTarget(pathContext, path, places);
      if ("refused" in target) return refused(target.refused.why);
      if (signal.aborted) return { ...interrupted("Interrupted. Nothing was written."), touched: [] };
      return write(target, content, outcomeText(target, content));
    },
  });
}

function outcomeText({ shown, before }: Target, content: string): string {
  const lines = plural(lineCount(content), "line");
  if (before === undefined) return `Created ${shown} (${lines}).`;
  const old = textIn(before.bytes);
  if (old === undefined) return `Overwrote ${shown} (${lines}; it was not a text file before).`;
  const endings =
    old.includes("\r\n") && !content.includes("\r\n") ? " Its line endings changed from CRLF to LF." : "";
  return `Overwrote ${shown} (${lines}, previously ${lineCount(old).toLocaleString("en")}).${endings}`;
}
