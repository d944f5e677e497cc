import type { ExportedPart, ObjectsCheck } from "../../../ports/snapshot-objects.ts";
import type { SnapshotId } from "../../../record/ids.ts";
import type { JsonObject } from "../../../record/json.ts";
import { type BundleFault, bundleInvalid } from "./bundle-error.ts";
import { Pieces } from "./read-pieces.ts";
import {
  type AbsentRecord,
  type FilesRecord,
  isAbsent,
  isFiles,
  isObject,
  isObjectLine,
  type ObjectRecord,
  openRecord,
} from "./records.ts";
import { BundleBytes, type BundleSource } from "./unpack.ts";

/** What a bundle has of the files of its session. */
export interface BundleFiles {
  readonly snapshots: readonly SnapshotId[];
  readonly missing: readonly SnapshotId[];
  readonly objects: number;
  readonly absent: number;
}

/** No larger file is ever captured by default, and one object at a time is held. */
const MOST_OBJECT_BYTES = 1024 ** 3;

/** No line can be longer in a bundle that was checked. */
const MAX_LINE_BYTES = 2 * 1024 ** 3;

export interface ObjectLimits {
  /** The most that all objects together may be. */
  readonly maxFilesBytes: number;
}

/** Reads the records of files, one after the other, and keeps none of the objects. Each call returns what is wrong, if anything is. */
export class ObjectsReading {
  readonly #check: ObjectsCheck | undefined;
  readonly #limits: ObjectLimits;
  readonly #pieces = new Pieces();
  #announced: FilesRecord | undefined;
  #objects = 0;
  #absent = 0;
  #bytes = 0;

  constructor(check: ObjectsCheck | undefined, limits: ObjectLimits) {
    this.#check = check;
    this.#limits = limits;
  }

  /** Undefined for a bundle without any. */
  get files(): BundleFiles | undefined {
    if (this.#announced === undefined) return undefined;
    const { snapshots, missing } = this.#announced;
    return { snapshots, missing, objects: this.#objects, absent: this.#absent };
  }

  announced(record: JsonObject): BundleFault | undefined {
    if (!isFiles(record) || this.#announced !== undefined) return { why: "snapshots-wrong" };
    this.#announced = record as unknown as FilesRecord;
    return undefined;
  }

  object(record: JsonObject): BundleFault | undefined {
    if (!isObject(record) || this.#announced === undefined) return { why: "object-wrong" };
    const piece = record as unknown as ObjectRecord;
    const tooLarge = this.#weigh(piece);
    if (tooLarge !== undefined) return tooLarge;
    const pieced = this.#pieces.take(piece);
    if (pieced === undefined) return undefined;
    if ("fault" in pieced) return pieced.fault;
    this.#objects += 1;
    const { kind, hash } = piece;
    return asFault(this.#check?.object({ kind, hash, bytes: pieced.bytes }));
  }

  absent(record: JsonObject): BundleFault | undefined {
    if (!isAbsent(record) || this.#announced === undefined) return { why: "absent-wrong" };
    this.#absent += 1;
    return asFault(this.#check?.absent((record as unknown as AbsentRecord).hash));
  }

  finish(): BundleFault | undefined {
    if (this.#pieces.isOpen) return { why: "object-incomplete" };
    return this.#announced === undefined
      ? undefined
      : asFault(this.#check?.finish(this.#announced.snapshots));
  }

  #weigh({ offset, size }: ObjectRecord): BundleFault | undefined {
    if (size > MOST_OBJECT_BYTES) return { why: "object-size", size };
    if (offset === 0) this.#bytes += size;
    const { maxFilesBytes } = this.#limits;
    return this.#bytes > maxFilesBytes ? { why: "files-size", most: maxFilesBytes } : undefined;
  }
}

function asFault(said: string | undefined): BundleFault | undefined {
  return said === undefined ? undefined : { why: "objects", said };
}

type Part = Exclude<ExportedPart, { readonly part: "snapshots" }>;

/** The objects once more, for whoever brings them in. `seal` is that of the bundle which was checked. */
export async function* objectsOf(source: BundleSource, seal: string): AsyncGenerator<Part> {
  const bytes = new BundleBytes(source);
  const pieces = new Pieces();
  for await (const line of bytes.lines({ maxBytes: MAX_LINE_BYTES, isStreamed: () => true })) {
    const part = partIn(line, pieces);
    if (part !== undefined) yield part;
  }
  if (bytes.checkSeal() !== seal) throw bundleInvalid({ why: "changed-meanwhile" });
}

function partIn(line: Buffer, pieces: Pieces): Part | undefined {
  if (!isObjectLine(line) && !line.subarray(0, ABSENT_LINE.length).equals(ABSENT_LINE)) return undefined;
  const record = openRecord(line);
  if (record === undefined) throw bundleInvalid({ why: "changed-meanwhile" });
  if (record.record === "absent") {
    const { hash, why } = record as unknown as AbsentRecord;
    return { part: "absent", hash, why };
  }
  const piece = record as unknown as ObjectRecord;
  const pieced = pieces.take(piece);
  if (pieced === undefined || "fault" in pieced) return undefined;
  return { part: "object", kind: piece.kind, hash: piece.hash, bytes: pieced.bytes };
}

const ABSENT_LINE = Buffer.from('{"record":"absent"');
