import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { z } from "zod";
import { textPart } from "../../../record/parts.ts";
import { faultText, lookAt, openFile } from "../files/look.ts";
import { allowedPlace, pathSubject, shownPath } from "../files/places.ts";
import { didYouMean } from "../files/similar-names.ts";
import { descriptions } from "../generated/descriptions.ts";
import { oneLine, plural } from "../text.ts";
import { defineTool, failed, interrupted, systemText, type Tool, type ToolResult } from "../tool.ts";
import { imageFault, imageType } from "./image.ts";
import { LineReader, MOST_IN_A_LINE, type ReadLines } from "./line-reader.ts";

const DEFAULT_LINES = 2_000;
/** The whole file is read, to know it; beyond this that would take too long. */
const MOST_BYTES = 1_000_000_000;
const HEAD_BYTES = 8_192;
const PIECE_BYTES = 256 * 1_024;
/** The largest image that is worth reading in order to say what is wrong with it. */
const MOST_IMAGE_BYTES = 5_000_001;

const input = z.strictObject({
  file_path: systemText("The file, absolute or relative to the workspace."),
  offset: z.int().min(0).optional().describe("The number of the first line to show, from 1."),
  limit: z.int().min(1).optional().describe("How many lines to show, by default 2,000."),
});
type Input = z.infer<typeof input>;

/** Where a read stands. */
interface Reading {
  readonly file: FileHandle;
  readonly place: string;
  /** As the model is told of it. */
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
        return failed(`There is no file ${shown}.${await didYouMean(workspace, place)}`);
      }
      if (look.kind === "folder") {
        return failed(`${shown} is a folder. List it with Glob, or with \`ls\` in Bash.`);
      }
      if (look.kind === "unusable") return failed(`${shown} cannot be read: ${look.why}.`);
      if (look.stats.size > MOST_BYTES) {
        return failed(`${shown} is larger than 1 GB. Look into it with a command, by Bash.`);
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
    return failed(`${reading.shown} cannot be read: ${faultText(error)}.`);
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
    return failed(
      `${shown} is a binary file of ${plural(size, "byte")}. Look into it with a program, by Bash.`,
    );
  }
  return readText(reading, wanted);
}

async function readImage(reading: Reading, mediaType: string): Promise<ToolResult> {
  const pieces: Buffer[] = [];
  const sha256 = await readThrough({
    ...reading,
    onPiece: (piece) => {
      if (reading.size <= MOST_IMAGE_BYTES) pieces.push(Buffer.from(piece));
    },
  });
  const bytes = reading.size <= MOST_IMAGE_BYTES ? Buffer.concat(pieces) : Buffer.alloc(MOST_IMAGE_BYTES);
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
    return failed(`${reading.shown} has only ${plural(lines.total, "line")}; ${first} is past its end.`);
  }
  const text =
    lines.total === 0 ? "(The file is empty.)" : [...lines.shown, ...notesOn(lines, first)].join("\n");
  return { outcome: "ok", parts: [textPart(text)], seen: [{ path: reading.place, sha256 }] };
}

/** What the lines do not say themselves. */
function notesOn({ shown, total, cut, odd, returns }: ReadLines, first: number): string[] {
  const next = first + shown.length;
  const notes: string[] = [];
  if (next <= total) {
    const range = `lines ${first} to ${next - 1} of ${total.toLocaleString("en")}`;
    notes.push(`${range} are shown; read on with offset ${next}`);
  }
  if (cut > 0) notes.push(`${plural(cut, "line")} cut at ${MOST_IN_A_LINE.toLocaleString("en")} characters`);
  if (odd > 0) notes.push(`${plural(odd, "line")} with bytes that are not UTF-8, shown as \ufffd`);
  if (returns > 0) notes.push("lines end with CRLF");
  return notes.length === 0 ? [] : [`[${notes.join("; ")}]`];
}

/** Hands on the whole file, piece by piece; the sha256 of all of it. */
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
