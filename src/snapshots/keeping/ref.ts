import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import type { Disk } from "../../disk/disk.ts";
import { readError, writeError } from "../../disk/disk.ts";
import { besideOf, readWhole, removeFile, tryToRemove, writeNew } from "../../disk/durable-files.ts";
import type { KeptFor } from "../../ports/workspace-files.ts";
import { NEWLINE, SEAL_LENGTH, SEAL_START } from "../../record/codec.ts";
import { errnoOf, isMissing } from "../../record/error.ts";
import { isSnapshotId, type SessionId, type SnapshotId } from "../../record/ids.ts";
import { isJsonObject, type JsonObject } from "../../record/parts.ts";

/** A snapshot that is kept, and the reason for keeping it. */
export interface Ref {
  readonly keptFor: KeptFor;
  readonly snapshot: SnapshotId;
  /** The real path of the workspace. */
  readonly workspace: string;
  /** The time when the snapshot was captured, in ISO 8601 format and UTC. */
  readonly at: string;
  /** The key of the store that contains the session. Absent for the session files in this home folder. */
  readonly store?: string;
}

/** A line in the file that contains a session's references. */
export type RefLine =
  | { readonly do: "keep"; readonly ref: Ref }
  | { readonly do: "release"; readonly key: string }
  | { readonly do: "label"; readonly checkpoint: number; readonly label: string };

/**
 * Returns the key of a reference. Lines with the same key describe the same reference. Writing a reference a second
 * time has no effect, and releasing it releases both lines.
 */
export function keyOf({ keptFor, snapshot, at, store }: Ref): string {
  const what = "checkpoint" in keptFor ? keptFor.checkpoint : keptFor.journey;
  return [what, snapshot, at, ...(store === undefined ? [] : [store])].join(" ");
}

export function snapshotOfKey(key: string): SnapshotId | undefined {
  const [, snapshot] = key.split(" ");
  return isSnapshotId(snapshot) ? snapshot : undefined;
}

/** Compares references by age, oldest first. References with the same time are always sorted in the same way. */
export function byAge(a: Ref, b: Ref): number {
  return (
    compare(a.at, b.at) ||
    compare(a.keptFor.session, b.keptFor.session) ||
    numberOf(a) - numberOf(b) ||
    compare(keyOf(a), keyOf(b))
  );
}

export function bySession(refs: readonly Ref[]): Map<SessionId, Ref[]> {
  const sessions = new Map<SessionId, Ref[]>();
  for (const ref of refs) {
    const own = sessions.get(ref.keptFor.session) ?? [];
    own.push(ref);
    sessions.set(ref.keptFor.session, own);
  }
  return sessions;
}

/** Returns the name that users see for the reference: `session:checkpoint`, or one of the ends of a journey. */
export function nameOf({ keptFor, at }: Ref): string {
  const { session } = keptFor;
  return "checkpoint" in keptFor
    ? `${session}:${keptFor.checkpoint}`
    : `${session} (${keptFor.journey} by the journey at ${at})`;
}

export function encodeRefLine(line: RefLine): JsonObject {
  if (line.do !== "keep") return { ...line };
  const { keptFor, ...ref } = line.ref;
  const { session: _, ...why } = keptFor;
  return { do: "keep", ...ref, ...why };
}

/**
 * Decodes a line. Returns undefined if the kind of the line is unknown, because a later version may write more kinds.
 */
export function decodeRefLine(line: JsonObject, session: SessionId): RefLine | undefined {
  const { do: what, key, checkpoint, label } = line;
  if (what === "release" && typeof key === "string") return { do: "release", key };
  if (what === "label" && typeof checkpoint === "number" && typeof label === "string") {
    return { do: "label", checkpoint, label };
  }
  const ref = what === "keep" ? refOf(line, session) : undefined;
  return ref === undefined ? undefined : { do: "keep", ref };
}

function refOf(line: JsonObject, session: SessionId): Ref | undefined {
  const { snapshot, workspace, at, store } = line;
  const keptFor = keptForOf(line, session);
  if (keptFor === undefined || !isSnapshotId(snapshot)) return undefined;
  if (typeof workspace !== "string" || typeof at !== "string") return undefined;
  return { keptFor, snapshot, workspace, at, ...(typeof store === "string" ? { store } : {}) };
}

function keptForOf(line: JsonObject, session: SessionId): KeptFor | undefined {
  const { checkpoint, on, label, journey } = line;
  if (journey === "left" || journey === "reached") return { session, journey };
  if (typeof checkpoint !== "number" || (on !== "prompt" && on !== "manual" && on !== "step"))
    return undefined;
  return { session, checkpoint, on, ...(typeof label === "string" ? { label } : {}) };
}

function numberOf({ keptFor }: Ref): number {
  return "checkpoint" in keptFor ? keptFor.checkpoint : 0;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The contents of a file that consists of sealed lines. */
interface SealedLines {
  readonly lines: readonly JsonObject[];
  /** Bytes that are not a complete line, either because a write was interrupted or because they were damaged later. */
  readonly damaged: readonly string[];
}

const TRIES = 3;
const NEWLINES = Buffer.from("\n");

/** A file that consists of lines, each with a checksum. Any number of processes may append to it at the same time. */
export class SealedFile {
  readonly #disk: Disk;
  readonly #path: string;
  /**
   * Whether the file's name is durable. The name may not be durable even if the file exists, because the process that
   * created the file may have been killed right afterward.
   */
  #isNameDurable = false;

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#path = path;
  }

  /**
   * Appends lines so that they survive a power loss. All lines are written in a single write that begins with a
   * newline, so that an earlier write that was interrupted affects only its own line. After an error, the caller can
   * repeat the call, provided that a repeated line has no effect.
   */
  append(lines: readonly JsonObject[]): void {
    if (lines.length === 0) return;
    const bytes = Buffer.from(`\n${lines.map((line) => `${sealed(line)}\n`).join("")}`);
    try {
      appendOnce(this.#disk, this.#path, bytes);
      if (this.#isNameDurable) return;
      this.#disk.syncFolder(dirname(this.#path));
      this.#isNameDurable = true;
    } catch (error) {
      throw writeError(error, { what: "path", of: this.#path });
    }
  }

  read(): SealedLines {
    return readSealed(this.#disk, this.#path);
  }

  /**
   * Rewrites the file, applying `line` to each line and `damaged` to each range of bytes that is not a line. No other
   * process may append to the file while it is being rewritten. After a crash, the file has either its old content or
   * its new content.
   */
  rewrite(line: (line: JsonObject) => JsonObject, damaged: (bytes: string) => string): void {
    const beside = besideOf(this.#path);
    const { lines, damaged: torn } = this.read();
    // The meaning of a line does not depend on the bytes between lines, so the damaged bytes can be moved to the end.
    const pieces = [
      ...lines.map(({ sum: _sum, ...each }) => Buffer.from(sealed(line(each)))),
      ...torn.map((each) => Buffer.from(damaged(each), "latin1")),
    ];
    const bytes = Buffer.concat(pieces.flatMap((piece) => [NEWLINES, piece, NEWLINES]));
    try {
      removeFile(this.#disk, beside);
      writeNew(this.#disk, beside, bytes);
      this.#disk.rename(beside, this.#path);
      this.#disk.syncFolder(dirname(this.#path));
    } catch (error) {
      tryToRemove(this.#disk, beside);
      throw writeError(error, { what: "path", of: this.#path });
    }
  }
}

function readSealed(disk: Disk, path: string): SealedLines {
  let bytes: Buffer;
  try {
    bytes = readWhole(disk, path);
  } catch (error) {
    if (isMissing(error)) return { lines: [], damaged: [] };
    throw readError(error, { what: "path", of: path });
  }
  const lines: JsonObject[] = [];
  const damaged: string[] = [];
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, start);
    const end = found === -1 ? bytes.length : found;
    const line = bytes.subarray(start, end);
    const opened = opening(line);
    if (opened !== undefined) lines.push(opened);
    else if (line.length > 0) damaged.push(line.toString("latin1"));
    start = end + 1;
  }
  return { lines, damaged };
}

/**
 * Appends the bytes in a single write. After a partial write, writes all of the bytes again, because a partial line is
 * useless and other processes may already have appended lines after it.
 */
function appendOnce(disk: Disk, path: string, bytes: Uint8Array): void {
  const file = openToAppend(disk, path);
  try {
    for (let tries = 1; disk.write(file, bytes) < bytes.length; tries += 1) {
      if (tries === TRIES)
        throw Object.assign(new Error(`${path} accepts only partial writes`), { code: "ENOSPC" });
    }
    disk.sync(file);
  } finally {
    disk.close(file);
  }
}

function openToAppend(disk: Disk, path: string): number {
  try {
    return disk.open(path, "append");
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
  try {
    return disk.open(path, "create");
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    return disk.open(path, "append");
  }
}

function sealed(line: JsonObject): string {
  const open = JSON.stringify(line).slice(0, -1);
  return `${open}${sealOf(Buffer.from(open))}`;
}

function sealOf(body: Uint8Array): string {
  return `${SEAL_START}${crc32(body).toString(16).padStart(8, "0")}"}`;
}

function opening(line: Buffer): JsonObject | undefined {
  const body = line.subarray(0, Math.max(0, line.length - SEAL_LENGTH));
  if (body.length === 0 || line.toString("latin1", body.length) !== sealOf(body)) return undefined;
  try {
    const value: unknown = JSON.parse(line.toString("utf8"));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
