import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { z } from "zod";
import { textPart } from "../../record/parts.ts";
import { allowedPlace, faultOf, lookAt, nothingThere, openFile, pathSubject, shownPath } from "./files.ts";
import { descriptions } from "./generated/descriptions.ts";
import { firstCharacters, oneLine, plural } from "./text.ts";
import { defineTool, failed, interrupted, systemText, type Tool, type ToolResult } from "./tool.ts";

const DEFAULT_LINES = 2_000;
/**
 * Maximum size of a file to read. The whole file is read in order to hash it, which would take too long for a larger
 * file.
 */
const MAX_BYTES = 1_000_000_000;
const HEAD_BYTES = 8_192;
const PIECE_BYTES = 256 * 1_024;
/** Maximum size of an image to read. Larger images are not read at all, not even to report what is wrong with them. */
const MAX_READ_IMAGE_BYTES = 5_000_001;

const input = z.strictObject({
  file_path: systemText("The path of the file, absolute or relative to the workspace."),
  offset: z.int().min(0).optional().describe("The number of the first line to show, counting from 1."),
  limit: z.int().min(1).optional().describe("The number of lines to show (default 2,000)."),
});
type Input = z.infer<typeof input>;

/** A file that is being read. */
interface Reading {
  readonly file: FileHandle;
  readonly place: string;
  /** The path in the form that the model sees. */
  readonly shown: string;
  readonly size: number;
  readonly signal: AbortSignal;
}

export function readTool({ workspace }: { readonly workspace: string }): Tool {
  return defineTool<Input>({
    name: "Read",
    description: descriptions.read,
    input,
    reach: "reads",
    subjects: async ({ file_path: path }) => pathSubject(workspace, path, "read"),
    about: ({ file_path: path }) => oneLine(path),
    run: async (wanted, call) => {
      const { signal } = call;
      const place = await allowedPlace(workspace, wanted.file_path, call);
      const shown = shownPath(workspace, place);
      const look = await lookAt(place);
      if (look.kind === "missing") {
        return failed((await nothingThere("file", workspace, place)).why);
      }
      if (look.kind === "folder") {
        return failed(`${shown} is a folder. List it with Glob, or with \`ls\` in Bash.`);
      }
      if (look.kind === "unusable") return failed(`${shown} cannot be read: ${look.fault.why}.`);
      if (look.stats.size > MAX_BYTES) {
        return failed(`${shown} is larger than 1 GB. Use a Bash command to examine it.`);
      }
      return withFile({ place, shown, size: look.stats.size, signal }, wanted);
    },
  });
}

async function withFile(reading: Omit<Reading, "file">, wanted: Input): Promise<ToolResult> {
  let file: FileHandle | undefined;
  try {
    file = await openFile(reading.place);
    return await readFrom({ ...reading, file }, wanted);
  } catch (error) {
    if (reading.signal.aborted) return interrupted();
    return failed(`${reading.shown} cannot be read: ${faultOf(error).why}.`);
  } finally {
    await file?.close();
  }
}

async function readFrom(reading: Reading, wanted: Input): Promise<ToolResult> {
  const { file, shown, size } = reading;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  const head = buffer.subarray(0, bytesRead);
  const mediaType = imageType(head);
  if (mediaType !== undefined) return readImage(reading, mediaType);
  if (head.includes(0)) {
    return failed(`${shown} is a binary file (${plural(size, "byte")}). Use a Bash command to examine it.`);
  }
  return readText(reading, wanted);
}

async function readImage(reading: Reading, mediaType: string): Promise<ToolResult> {
  const pieces: Buffer[] = [];
  const sha256 = await readThrough({
    ...reading,
    onPiece: (piece) => {
      if (reading.size <= MAX_READ_IMAGE_BYTES) pieces.push(Buffer.from(piece));
    },
  });
  const bytes =
    reading.size <= MAX_READ_IMAGE_BYTES ? Buffer.concat(pieces) : Buffer.alloc(MAX_READ_IMAGE_BYTES);
  const fault = imageFault(bytes, mediaType);
  if (fault !== undefined) return failed(`${reading.shown} cannot be shown: ${fault}.`);
  return {
    outcome: "ok",
    parts: [
      textPart(`${reading.shown}: ${mediaType}, ${plural(bytes.length, "byte")}`),
      { type: "image", mediaType, data: bytes.toString("base64") },
    ],
    seen: [{ path: reading.place, sha256 }],
  };
}

async function readText(reading: Reading, { offset = 1, limit = DEFAULT_LINES }: Input): Promise<ToolResult> {
  const first = Math.max(1, offset);
  const reader = new LineReader({ first, count: limit });
  const sha256 = await readThrough({ ...reading, onPiece: (piece) => reader.add(piece) });
  const lines = reader.end();
  if (lines.total > 0 && first > lines.total) {
    return failed(`${reading.shown} has only ${plural(lines.total, "line")}; line ${first} is past the end.`);
  }
  const text =
    lines.total === 0 ? "(The file is empty.)" : [...lines.shown, ...notesOn(lines, first)].join("\n");
  return { outcome: "ok", parts: [textPart(text)], seen: [{ path: reading.place, sha256 }] };
}

/** Returns notes about what the displayed lines leave out. */
function notesOn({ shown, total, cut, odd, returns }: ReadLines, first: number): string[] {
  const next = first + shown.length;
  const notes: string[] = [];
  if (next <= total) {
    const range = `lines ${first} to ${next - 1} of ${total.toLocaleString("en")}`;
    notes.push(`showing ${range}; to continue, use offset ${next}`);
  }
  if (cut > 0)
    notes.push(`${plural(cut, "line")} truncated at ${MAX_LINE_CHARACTERS.toLocaleString("en")} characters`);
  if (odd > 0) notes.push(`invalid UTF-8 in ${plural(odd, "line")}, shown as \ufffd`);
  if (returns > 0) notes.push("lines end with CRLF");
  return notes.length === 0 ? [] : [`[${notes.join("; ")}]`];
}

/** Reads the whole file and calls `onPiece` with each piece. Returns the file's sha256. */
async function readThrough({
  file,
  signal,
  onPiece,
}: Reading & { readonly onPiece: (piece: Buffer) => void }): Promise<string> {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  for (let position = 0; ; ) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, PIECE_BYTES, position);
    if (bytesRead === 0) return hash.digest("hex");
    const piece = buffer.subarray(0, bytesRead);
    hash.update(piece);
    onPiece(piece);
    position += bytesRead;
  }
}

const MAX_LINE_CHARACTERS = 2_000;
/** Maximum number of characters in all displayed lines combined. */
const MAX_CHARACTERS = 100_000;
/** Enough bytes for `MAX_LINE_CHARACTERS` characters of any kind. */
const MAX_LINE_BYTES = 4 * MAX_LINE_CHARACTERS + 4;
const NEW_LINE = 0x0a;
const RETURN = 0x0d;

/**
 * Picks lines from a file that is read in pieces. Keeps only the text to be shown in memory, no matter how long the
 * file and its lines are.
 */
class LineReader {
  readonly #first: number;
  readonly #last: number;
  readonly #shown: string[] = [];
  #characters = 0;
  #room: "left" | "none" = "left";
  /** The first bytes of the current line, in pieces. */
  #pieces: Buffer[] = [];
  #kept = 0;
  #length = 0;
  #number = 1;
  #cut = 0;
  #odd = 0;
  #returns = 0;

  constructor(range: { readonly first: number; readonly count: number }) {
    this.#first = range.first;
    this.#last = range.first + range.count - 1;
  }

  add(bytes: Buffer): void {
    let start = 0;
    for (let end = bytes.indexOf(NEW_LINE); end !== -1; end = bytes.indexOf(NEW_LINE, start)) {
      this.#addToLine(bytes.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    this.#addToLine(bytes.subarray(start));
  }

  end(): ReadLines {
    if (this.#length > 0) this.#endLine();
    return {
      shown: this.#shown,
      total: this.#number - 1,
      cut: this.#cut,
      odd: this.#odd,
      returns: this.#returns,
    };
  }

  #addToLine(bytes: Buffer): void {
    this.#length += bytes.length;
    if (!this.#isWanted() || this.#kept >= MAX_LINE_BYTES) return;
    const piece = Buffer.from(bytes.subarray(0, MAX_LINE_BYTES - this.#kept));
    this.#pieces.push(piece);
    this.#kept += piece.length;
  }

  #endLine(): void {
    if (this.#isWanted()) this.#show(Buffer.concat(this.#pieces));
    this.#pieces = [];
    this.#kept = 0;
    this.#length = 0;
    this.#number += 1;
  }

  #show(bytes: Buffer): void {
    const isWhole = bytes.length === this.#length;
    const hasReturn = isWhole && bytes.at(-1) === RETURN;
    const whole = (hasReturn ? bytes.subarray(0, -1) : bytes).toString("utf8");
    const text = firstCharacters(
      this.#number === 1 ? whole.replace(/^\ufeff/, "") : whole,
      MAX_LINE_CHARACTERS,
    );
    const isCut = !isWhole || whole.length > MAX_LINE_CHARACTERS;
    const line = `${String(this.#number).padStart(6)}\t${text}${isCut ? " … (truncated)" : ""}`;
    if (this.#shown.length > 0 && this.#characters + line.length > MAX_CHARACTERS) {
      this.#room = "none";
      return;
    }
    this.#shown.push(line);
    this.#characters += line.length + 1;
    if (isCut) this.#cut += 1;
    if (isWhole && !isUtf8(bytes)) this.#odd += 1;
    if (hasReturn) this.#returns += 1;
  }

  #isWanted(): boolean {
    return this.#room === "left" && this.#number >= this.#first && this.#number <= this.#last;
  }
}

interface ReadLines {
  /** The lines with their numbers, in the format of `cat -n`. */
  readonly shown: readonly string[];
  /** Number of lines in the whole file. */
  readonly total: number;
  /**
   * Number of displayed lines that are truncated (`cut`), contain invalid UTF-8 (`odd`), or end with a carriage return
   * (`returns`).
   */
  readonly cut: number;
  readonly odd: number;
  readonly returns: number;
}

const MAX_IMAGE_BYTES = 5 * 1_000_000;
/** The providers' limit for the width and the height of an image. */
const MAX_PIXELS = 8_000;
const PNG = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);
const JPEG_END = Buffer.from([0xff, 0xd9]);

/**
 * Returns the media type of an image that models can see. The type is detected from the first bytes, because a file
 * name can be wrong.
 */
export function imageType(head: Buffer): string | undefined {
  if (head.subarray(0, PNG.length).equals(PNG)) return "image/png";
  if (head.subarray(0, JPEG_START.length).equals(JPEG_START)) return "image/jpeg";
  if (/^GIF8[79]a$/.test(head.toString("latin1", 0, 6))) return "image/gif";
  if (head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8, 12) === "WEBP")
    return "image/webp";
  return undefined;
}

/**
 * Returns the reason why an image cannot be shown to the model, or undefined if it can. A provider that rejects an
 * image would also reject every later request in the conversation.
 */
export function imageFault(bytes: Buffer, mediaType: string): string | undefined {
  if (bytes.length > MAX_IMAGE_BYTES) return "the image is larger than 5 MB; make it smaller first";
  if (!isWhole(bytes, mediaType)) return "the image is damaged or incomplete";
  const side = longerSide(bytes, mediaType);
  if (side === undefined || side === 0) return "the image is damaged or incomplete";
  if (side > MAX_PIXELS)
    return `the image's longer side has ${side} pixels, and the limit is 8,000; make it smaller first`;
  return undefined;
}

function isWhole(bytes: Buffer, mediaType: string): boolean {
  switch (mediaType) {
    case "image/png":
      return bytes.length > 32 && bytes.lastIndexOf("IEND", undefined, "latin1") > 0;
    case "image/jpeg":
      return bytes.lastIndexOf(JPEG_END) > 0;
    case "image/gif":
      return bytes.length > 13 && bytes.lastIndexOf(0x3b) > 0;
    default:
      return bytes.length > 12 && bytes.readUInt32LE(4) + 8 <= bytes.length;
  }
}

/** Returns the length of an image's longer side in pixels, or undefined if unknown. */
function longerSide(bytes: Buffer, mediaType: string): number | undefined {
  try {
    return Math.max(...sidesOf(bytes, mediaType));
  } catch {
    // The file is shorter than its header claims.
    return undefined;
  }
}

function sidesOf(bytes: Buffer, mediaType: string): readonly [number, number] {
  switch (mediaType) {
    case "image/png":
      return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
    case "image/gif":
      return [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
    case "image/jpeg":
      return sidesOfJpeg(bytes);
    default:
      return sidesOfWebp(bytes);
  }
}

/**
 * Returns the width and height of a JPEG image. Skips segments up to the one that begins a frame. Frame markers are C0
 * to CF, except for three markers with other meanings.
 */
function sidesOfJpeg(bytes: Buffer): readonly [number, number] {
  for (let at = 2; ; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at);
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    if (marker < 0xff00) throw new RangeError("not a JPEG segment");
  }
}

/** Returns the width and height of a WebP image. Supports the extended, lossless and lossy formats. */
function sidesOfWebp(bytes: Buffer): readonly [number, number] {
  const kind = bytes.toString("latin1", 12, 16);
  if (kind === "VP8X") return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
  if (kind === "VP8 ") return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
  const bits = bytes.readUInt32LE(21);
  return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
}
