import type { BlobRecord, ObjectRecord } from "./records.ts";

/** What a piece has made whole, or what is wrong with it; undefined while more are to come. */
export type Pieced = { readonly bytes: Buffer } | { readonly fault: string } | undefined;

/** Puts pieces together, one thing at a time. */
export class Pieces {
  #open: { readonly name: string; readonly size: number; readonly pieces: Buffer[] } | undefined;
  #length = 0;

  /** Whether something is still incomplete. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  take(piece: BlobRecord | ObjectRecord): Pieced {
    const name = `${piece.record} ${piece.hash}`;
    this.#open ??= { name, size: piece.size, pieces: [] };
    const { pieces, ...open } = this.#open;
    if (name !== open.name || piece.size !== open.size || piece.offset !== this.#length)
      return { fault: "this piece does not follow the one before it" };
    const bytes = Buffer.from(piece.data, "base64");
    pieces.push(bytes);
    this.#length += bytes.length;
    if (this.#length < piece.size && bytes.length > 0) return undefined;
    this.#open = undefined;
    const whole = this.#length === piece.size;
    this.#length = 0;
    return whole
      ? { bytes: pieces.length === 1 ? bytes : Buffer.concat(pieces) }
      : { fault: `the ${piece.record} is not as long as it says` };
  }
}
