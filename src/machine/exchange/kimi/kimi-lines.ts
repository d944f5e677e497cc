import { readFile } from "node:fs/promises";
import type { DraftOf } from "../../../record/entry.ts";
import { problemIn, type Remark, remark, WorldlineError } from "../../../record/error.ts";
import {
  isJsonObject,
  type JsonObject,
  type Part,
  type ToolCallPart,
  type Usage,
} from "../../../record/parts.ts";
import type { KimiFile } from "./kimi-files.ts";
import { type KimiFault, type KimiRecord, recordOf, textIn } from "./kimi-record.ts";

export interface KimiLine {
  readonly file: string;
  readonly line: number;
  /** The text of the line. kimi-cli copies lines from file to file unchanged, so the text also identifies the line. */
  readonly text: string;
  readonly record: KimiRecord;
}

/** A line that was not imported completely. */
export interface DamagedLine extends Remark {
  readonly file: string;
  readonly line: number;
  readonly imported: "nothing" | "in-part";
}

/** Reads the lines of a file without changing the file. Only `\n` ends a line. */
export async function readKimiLines(
  file: KimiFile,
): Promise<{ readonly lines: readonly KimiLine[]; readonly damaged: readonly DamagedLine[] }> {
  const bytes = await bytesOf(file);
  const lines: KimiLine[] = [];
  const damaged: DamagedLine[] = [];
  let number = 0;
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    number += 1;
    readLine(bytes.subarray(start, end), { file: file.name, line: number }, { lines, damaged });
    start = end + 1;
  }
  return { lines, damaged };
}

async function bytesOf(file: KimiFile): Promise<Buffer> {
  try {
    return await readFile(file.path);
  } catch (cause) {
    throw new WorldlineError("import-file-unreadable", { path: file.path }, { cause });
  }
}

interface Place {
  readonly file: string;
  readonly line: number;
}

function readLine(
  bytes: Buffer,
  place: Place,
  into: { readonly lines: KimiLine[]; readonly damaged: DamagedLine[] },
): void {
  const text = bytes.toString("utf8");
  if (text.trim() === "") return;
  const pieces = piecesOf(text);
  const good: KimiLine[] = [];
  const faults: KimiFault[] = [];
  for (const piece of pieces) {
    const value = parse(piece);
    const record = value === undefined ? "kimi-not-an-object" : recordOf(value);
    if (typeof record === "string") faults.push(record);
    else good.push({ ...place, text: piece, record });
  }
  if (pieces.length > 1) faults.unshift("kimi-glued");
  // Like kimi-cli, reads invalid bytes as U+FFFD, but unlike kimi-cli, also reports them.
  if (!bytes.equals(Buffer.from(text))) faults.push("kimi-not-utf8");
  into.lines.push(...good);
  if (faults.length > 0) {
    const imported = good.length > 0 ? "in-part" : "nothing";
    into.damaged.push({ ...place, ...remarkOn([...new Set(faults)]), imported });
  }
}

function remarkOn(faults: readonly KimiFault[]): Remark {
  const [only, ...others] = faults;
  if (only !== undefined && others.length === 0) return remark(only);
  return remark("several", { problems: faults.map((fault) => problemIn(remark(fault))) });
}

/**
 * Splits a line in which a torn record is directly followed by the next record. Within a string, the quotes of
 * `{"role"` would be escaped, so each unescaped occurrence begins a record.
 */
function piecesOf(text: string): string[] {
  const whole = text.trim();
  if (parse(whole) !== undefined) return [whole];
  const pieces = whole.split(/(?=\{\s*"role"\s*:)/u).map((piece) => piece.trim());
  return pieces.filter((piece) => piece !== "");
}

function parse(text: string): JsonObject | undefined {
  return parseStrict(text) ?? parseStrict(escapeControls(text));
}

function parseStrict(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Escapes control characters in strings, because kimi-cli accepts unescaped control characters but JSON does not. */
function escapeControls(text: string): string {
  return text.replace(
    /\p{Cc}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The lines of one file. The lines are converted together, because the meaning of a line depends on its neighbors. */
type LinesOfFile = readonly KimiLine[];

/**
 * Matches kimi-cli's own messages, which it sends to the model as user lines. These messages are imported as notices,
 * which are kept and shown but do not count as turns.
 */
const OWN_TEXT = /^\s*<(?:system|system-reminder|notification)[\s>]/;

/**
 * Checks whether the line is the marker that kimi-cli writes after a checkpoint. `<system>CHECKPOINT 3</system>` counts
 * only directly after checkpoint 3, because the text alone could come from anywhere.
 */
export function isMarker(lines: LinesOfFile, at: number): boolean {
  const record = lines[at]?.record;
  const before = lines[at - 1]?.record;
  if (record?.is !== "user" || before?.is !== "checkpoint") return false;
  return (
    isOnlyText(record.parts) && textIn(record.parts) === `<system>CHECKPOINT ${before.original}</system>`
  );
}

export function isOwnText(parts: readonly Part[]): boolean {
  return isOnlyText(parts) && OWN_TEXT.test(textIn(parts));
}

/** Returns whether the checkpoint is followed by a prompt from the user or by a model call. */
export function standsBefore(lines: LinesOfFile, at: number): "prompt" | "step" {
  for (let next = at + 1; next < lines.length; next += 1) {
    const record = lines[next]?.record;
    if (record === undefined || record.is === "checkpoint" || record.is === "reply") return "step";
    if (record.is === "user" && !isMarker(lines, next) && !isOwnText(record.parts)) return "prompt";
  }
  return "step";
}

/**
 * A reply's token usage. The token count before the reply is the size of its input. The count after the reply is the
 * combined size of the input and the reply.
 */
export function usageOf(lines: LinesOfFile, at: number): Usage | undefined {
  const before = tokensAt(lines[at - 1]?.record);
  const after = tokensAt(lines[at + 1]?.record);
  if (after === undefined || after === 0) return undefined;
  const input = before === undefined || before === 0 || before > after ? after : before;
  return { input, output: after - input, cacheRead: 0, cacheWrite: 0 };
}

/** A note that the agent sent to one of its earlier checkpoints. */
export interface SentNote {
  readonly to: number;
  readonly message: string;
}

export function sentNoteIn(reply: DraftOf<"reply">): SentNote | undefined {
  const call = reply.parts.find(
    (part): part is ToolCallPart => part.type === "tool-call" && part.name === "SendDMail",
  );
  const input = call?.input as { checkpoint_id?: unknown; message?: unknown } | null | undefined;
  const { checkpoint_id: to, message } = input ?? {};
  return typeof to === "number" && typeof message === "string" ? { to, message } : undefined;
}

function tokensAt(record: KimiRecord | undefined): number | undefined {
  return record?.is === "usage" ? record.tokens : undefined;
}

function isOnlyText(parts: readonly Part[]): boolean {
  return parts.length > 0 && parts.every((part) => part.type === "text");
}
