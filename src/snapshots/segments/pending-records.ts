import type { ObjectHash } from "../../record/ids.ts";
import type { ObjectKind } from "../objects/object-store.ts";
import { type Decoded, decodePayload, HEADER_BYTES, readHeader, setBatch } from "./format/segment-record.ts";
import type { Row } from "./format/settled.ts";

/** Records that wait to be written, in order. They stay until they are durable. */
export class PendingRecords {
  readonly #records = new Map<ObjectHash, Buffer>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#records.size === 0;
  }

  has(hash: ObjectHash): boolean {
    return this.#records.has(hash);
  }

  add(hash: ObjectHash, record: Buffer): void {
    if (this.#records.has(hash)) return;
    this.#records.set(hash, record);
    this.#bytes += record.length;
  }

  remove(hash: ObjectHash): void {
    this.#bytes -= this.#records.get(hash)?.length ?? 0;
    this.#records.delete(hash);
  }

  /** Undefined when it does not wait here. */
  get(hash: ObjectHash, kind: ObjectKind): Decoded | undefined {
    const record = this.#records.get(hash);
    const header = record === undefined ? undefined : readHeader(record);
    if (record === undefined || header === undefined) return undefined;
    if (header.kind !== kind) return { why: { isA: header.kind } };
    const decoded = decodePayload(header, record.subarray(HEADER_BYTES));
    // The caller may do with its bytes what it likes; ours are still to be written.
    return "bytes" in decoded ? { bytes: Buffer.from(decoded.bytes) } : decoded;
  }

  /** All of them as one batch. */
  batch(): Buffer {
    const records = [...this.#records.values()];
    const [first] = records;
    for (const record of records) setBatch(record, record === first ? "begins" : "goes-on");
    return records.length === 1 && first !== undefined ? first : Buffer.concat(records, this.#bytes);
  }

  /** Where each of them stands when the batch was written at `start`; none waits any longer. */
  written(start: number): [ObjectHash, Row][] {
    let at = start;
    const rows: [ObjectHash, Row][] = [];
    for (const [hash, record] of this.#records) {
      const header = readHeader(record);
      if (header !== undefined) {
        const { kind, rawBytes, packedBytes } = header;
        rows.push([hash, { at, kind, rawBytes, packedBytes }]);
      }
      at += record.length;
    }
    this.#records.clear();
    this.#bytes = 0;
    return rows;
  }
}
