import { crc32 } from "node:zlib";
import type { Owner } from "../../ports/lease.ts";
import type { Damage, OpenedLog, Piece, Scrap } from "../../ports/log-store.ts";
import { decodeLine, encodeEntry, isReadable } from "../../record/codec.ts";
import type { Entry, EntryOf } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import type { BlobHash, Seq, SessionId } from "../../record/ids.ts";
import { blobsOf } from "../../record/shape.ts";
import { Outline } from "../../timeline/outline.ts";
import { blobHashOf } from "../blob-hash.ts";

/**
 * One session. Lines are kept as the bytes that a file would hold, so that what is read back
 * is what any store would give: no shared objects, no `undefined`, the same damage.
 */
export class MemorySession {
  readonly id: SessionId;
  readonly blobs: Map<BlobHash, Uint8Array> = new Map();
  owner: Owner | undefined;
  /** Of all sessions together, so that one that is made again under the same id has no stamp of the first. */
  static #changes = 0;
  #lines: Uint8Array[] = [];
  #stamp = 0;

  constructor(id: SessionId) {
    this.id = id;
  }

  open(): OpenedLog {
    const outline = new Outline();
    const damage: Damage[] = [];
    for (const [at, line] of this.#lines.entries()) {
      const decoded = decodeLine(line.subarray(0, -1), crc32);
      if (decoded.ok) outline.add(decoded.entry);
      else {
        outline.addGap();
        const why = `The line cannot be read (${decoded.fault}).`;
        damage.push({ what: "line", file: "", line: at + 1, bytes: line.length, why });
      }
    }
    return { outline, damage };
  }

  append(expectedSeq: Seq, entries: readonly Entry[]): void {
    const next = this.#lines.length + 1;
    if (entries.length > 0 && expectedSeq !== next) {
      throw new WorldlineError("line-taken", { next, expected: expectedSeq });
    }
    const lines = entries.map((entry, at) => encodeAs(entry, next + at));
    for (const line of lines) this.#lines.push(line);
    if (lines.length > 0) this.#change();
  }

  get stamp(): string {
    return String(this.#stamp);
  }

  /** The first entry, where it can be read. */
  get header(): EntryOf<"session"> | undefined {
    const [first] = this.read(1 as Seq, 1 as Seq);
    return first?.kind === "session" ? first : undefined;
  }

  get pieces(): Piece[] {
    const log = this.#lines.reduce((sum, { length }) => sum + length, 0);
    const blobs = [...this.blobs].sort(([a], [b]) => (a < b ? -1 : 1));
    return [
      ...blobs.map(([hash, { length }]) => ({ name: `blobs/${hash}`, bytes: length })),
      { name: "log", bytes: log },
    ];
  }

  read(from: Seq, to: Seq): Entry[] {
    return this.#lines.slice(Math.max(0, from - 1), Math.max(0, to)).flatMap((line) => {
      const decoded = decodeLine(line.subarray(0, -1), crc32);
      return decoded.ok ? [decoded.entry] : [];
    });
  }

  verify(): Damage[] {
    const entries = this.read(1 as Seq, this.#lines.length as Seq);
    const wanted = new Set([...entries.flatMap(blobsOf), ...this.blobs.keys()]);
    const blobs = [...wanted].filter((hash) => !isWhole(hash, this.blobs.get(hash)));
    return [
      ...this.open().damage,
      ...blobs.map((hash) => ({
        what: "blob" as const,
        file: "",
        line: 0,
        bytes: 0,
        why: `Blob ${hash} is lost.`,
      })),
    ];
  }

  scraps(): Scrap[] {
    return this.#lines.flatMap((line, at) =>
      decodeLine(line.subarray(0, -1), crc32).ok
        ? []
        : [{ name: `line ${at + 1}`, bytes: Uint8Array.from(line) }],
    );
  }

  rewrite(replace: (entry: Entry) => Entry): void {
    const kept = new Set<BlobHash>();
    const rewritten = this.#lines.map((line, at) => {
      const decoded = decodeLine(line.subarray(0, -1), crc32);
      if (!decoded.ok) return new Uint8Array(1);
      const replaced = replace(decoded.entry);
      if (replaced.id !== decoded.entry.id) throw misplaced(replaced, at + 1);
      for (const hash of blobsOf(replaced)) kept.add(hash);
      return encodeAs(replaced, at + 1);
    });
    this.#lines = rewritten;
    this.#change();
    for (const hash of this.blobs.keys()) if (!kept.has(hash)) this.blobs.delete(hash);
  }

  #change(): void {
    MemorySession.#changes += 1;
    this.#stamp = MemorySession.#changes;
  }

  /** For tests of what a damaged line costs. */
  damage(seq: Seq): void {
    const line = this.#lines[seq - 1];
    if (line !== undefined) line[line.length >> 1] = (line[line.length >> 1] ?? 0) ^ 1;
  }
}

export function isWhole(hash: BlobHash, bytes: Uint8Array | undefined): bytes is Uint8Array {
  return bytes !== undefined && blobHashOf(bytes) === hash;
}

/** A line that could not be read back is not written. */
function encodeAs(entry: Entry, seq: number): Uint8Array {
  if (entry.seq !== seq) throw misplaced(entry, seq);
  if (isReadable(entry)) return encodeEntry(entry, crc32);
  throw new WorldlineError("entry-malformed", { seq: entry.seq, kind: entry.kind });
}

function misplaced({ seq }: Entry, line: number): WorldlineError {
  return new WorldlineError("entry-misplaced", { line, seq });
}
