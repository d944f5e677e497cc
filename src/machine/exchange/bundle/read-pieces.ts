import type { BundleFault } from "./bundle-error.ts";
import type { BlobRecord, ObjectRecord } from "./records.ts";

/** What a piece has made whole, or what is wrong with it; undefined while more are to come. */
export type Pieced = { readonly bytes: Buffer } | { readonly fault: BundleFault } | undefined;

/** Puts pieces together, one thing at a time. */
export class Pieces {
  #open: { readonly name: string; readonly size: number } | undefined;
  #bytes = Buffer.alloc(0);
  #length = 0;

  /** Whether something is still incomplete. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  take(piece: BlobRecord | ObjectRecord): Pieced {
    const name = `${piece.record} ${piece.hash}`;
    this.#open ??= { name, size: piece.size };
    const open = this.#open;
    if (name !== open.name || piece.size !== open.size || piece.offset !== this.#length)
      return { fault: { why: "piece-out-of-order" } };
    const bytes = Buffer.from(piece.data, "base64");
    const end = this.#length + bytes.length;
    if (end < piece.size && bytes.length > 0) {
      this.#append(bytes, piece.size);
      return undefined;
    }
    const whole = this.#length === 0 ? bytes : Buffer.concat([this.#bytes.subarray(0, this.#length), bytes]);
    this.#open = undefined;
    this.#length = 0;
    this.#bytes = Buffer.alloc(0);
    return whole.length === piece.size
      ? { bytes: whole }
      : { fault: { why: "piece-length", record: piece.record } };
  }

  /** Copied, so that a million pieces of one byte take a million bytes, and what is only announced takes none. */
  #append(bytes: Buffer, size: number): void {
    const end = this.#length + bytes.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.alloc(Math.min(size, Math.max(2 * this.#bytes.length, end)));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    bytes.copy(this.#bytes, this.#length);
    this.#length = end;
  }
}
