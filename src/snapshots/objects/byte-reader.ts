import { isUtf8 } from "node:buffer";
import { WorldlineError } from "../../record/error.ts";
import type { PathBytes } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { PlainDamage } from "../../strings/errors/facts.ts";

const HASH_BYTES = 32;

/**
 * Reads what `ByteWriter` wrote. Only that: each value has one spelling, so that equal objects have equal
 * hashes. Throws SNAPSHOT_DAMAGED, with `kind` in its parameters, where the bytes are anything else.
 */
export class ByteReader {
  readonly #bytes: Buffer;
  readonly #kind: "folder" | "snapshot";
  #at = 0;

  constructor(bytes: Uint8Array, kind: "folder" | "snapshot") {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#kind = kind;
  }

  byte(): number {
    return this.#bytes[this.#advance(1)] ?? 0;
  }

  number(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (value > Number.MAX_SAFE_INTEGER) throw this.damaged("number-too-large");
      if (byte < 0x80) {
        if (byte === 0 && scale > 1) throw this.damaged("number-too-long");
        return value;
      }
      scale *= 0x80;
      if (scale > Number.MAX_SAFE_INTEGER) throw this.damaged("number-too-large");
    }
  }

  hash(): ObjectHash {
    const start = this.#advance(HASH_BYTES);
    return this.#bytes.toString("hex", start, start + HASH_BYTES) as ObjectHash;
  }

  path(): PathBytes {
    const length = this.number();
    const start = this.#advance(length);
    return this.#bytes.toString("latin1", start, start + length);
  }

  text(): string {
    const length = this.number();
    const start = this.#advance(length);
    const bytes = this.#bytes.subarray(start, start + length);
    if (!isUtf8(bytes)) throw this.damaged("not-utf8");
    return bytes.toString("utf8");
  }

  end(): void {
    if (this.#at < this.#bytes.length) throw this.damaged("too-long");
  }

  damaged(damage: PlainDamage): WorldlineError {
    return new WorldlineError("object-unreadable", { kind: this.#kind, damage: { damage } });
  }

  #advance(count: number): number {
    const start = this.#at;
    if (count > this.#bytes.length - start) throw this.damaged("cut-short");
    this.#at += count;
    return start;
  }
}
