import { createHash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { constants, createGunzip } from "node:zlib";
import { NEWLINE } from "../../../record/codec.ts";
import { bundleInvalid, sealMember } from "./records.ts";

/** The bytes of a bundle, or a function that can be called repeatedly to read them from the beginning. */
export type BundleSource = Uint8Array | { readonly read: () => AsyncIterable<Uint8Array> };

/** @internal */
export interface UnpackOptions {
  /** The maximum total size of the lines that are not streamed. This is also the maximum length of any single line. */
  readonly maxBytes: number;
  /**
   * Selects the lines that are streamed instead of being held in memory. Their total size can exceed `maxBytes`,
   * because the caller limits it separately.
   */
  readonly isStreamed: (line: Buffer) => boolean;
  /**
   * The first `freeBytes` of unpacked data are not checked. Beyond that, the unpacked data can be at most `times` times
   * as long as the bytes that were read.
   */
  readonly expansion?: { readonly freeBytes: number; readonly times: number };
}

/** Gzip expands data by a factor of at most about 1,030. Sessions with files expand by a factor of 3 to 30. */
const EXPANSION = { freeBytes: 256 * 1024 * 1024, times: 200 };

const GZIP_MAGIC = Buffer.from("1f8b08", "hex");
const CHUNK_BYTES = 256 * 1024;

/** The bytes of a bundle, read once from beginning to end, and the seal at their end. */
export class BundleBytes {
  readonly #source: BundleSource;
  readonly #sum = createHash("sha256");
  #tail: Buffer = Buffer.alloc(0);
  #packedBytes = 0;
  /** The length of the seal at the end of a bundle. */
  readonly #sealBytes = sealMember("0".repeat(64)).length;

  constructor(source: BundleSource) {
    this.#source = source;
  }

  /**
   * The lines of a bundle, without their newlines. A few kilobytes can unpack to terabytes, so unpacking stops at
   * `maxBytes`, or when it produces far more than was read. For a truncated bundle, yields the lines before the point
   * of truncation, so that the reader can report that point. Returns whether the bundle ended within a line.
   *
   * @internal
   */
  async *lines(unpacking: UnpackOptions): AsyncGenerator<Buffer, "within" | "after"> {
    const { maxBytes, isStreamed, expansion = EXPANSION } = unpacking;
    let pieces: Buffer[] = [];
    let held = 0;
    let unpackedBytes = 0;
    for await (const chunk of this.#unpacked()) {
      unpackedBytes += chunk.length;
      if (unpackedBytes > Math.max(expansion.freeBytes, expansion.times * this.#packedBytes))
        throw bundleInvalid({ why: "expansion", most: expansion.times });
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        const line = Buffer.concat([...pieces, chunk.subarray(start, end)]);
        held = held + end + 1 - start - (isStreamed(line) ? line.length + 1 : 0);
        if (held > maxBytes) throw bundleInvalid({ why: "size", most: maxBytes });
        pieces = [];
        start = end + 1;
        yield line;
      }
      pieces.push(Buffer.from(chunk.subarray(start)));
      held += chunk.length - start;
      if (held > maxBytes) throw bundleInvalid({ why: "size", most: maxBytes });
    }
    return pieces.every((piece) => piece.length === 0) ? "after" : "within";
  }

  /**
   * Checks the seal. This check comes last, because the other checks can report where a fault is, but this one can only
   * report that a fault exists.
   */
  checkSeal(): string {
    const sum = this.#sum.copy().digest("hex");
    if (sealMember(sum).equals(this.#tail)) return sum;
    throw bundleInvalid({ why: "seal" });
  }

  async *#unpacked(): AsyncGenerator<Buffer> {
    const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH, chunkSize: CHUNK_BYTES });
    // The code that reads from `gunzip` already receives all errors. This callback exists only to keep errors from
    // terminating the process.
    pipeline(Readable.from(this.#content(), { objectMode: true }), gunzip, () => undefined);
    try {
      for await (const chunk of gunzip) yield chunk as Buffer;
    } catch (error) {
      throw isOfZlib(error) ? bundleInvalid({ why: "compression" }, error) : error;
    }
  }

  /** Yields everything but the seal. */
  async *#content(): AsyncGenerator<Buffer> {
    let isChecked = false;
    for await (const bytes of chunksOf(this.#source)) {
      this.#tail = Buffer.concat([this.#tail, bytes]);
      if (this.#tail.length < GZIP_MAGIC.length || this.#tail.length <= this.#sealBytes) continue;
      if (!isChecked) checkMagic(this.#tail);
      isChecked = true;
      const content = this.#tail.subarray(0, -this.#sealBytes);
      this.#tail = Buffer.from(this.#tail.subarray(-this.#sealBytes));
      this.#sum.update(content);
      this.#packedBytes += content.length;
      yield content;
    }
    if (!isChecked) checkMagic(this.#tail);
  }
}

async function* chunksOf(source: BundleSource): AsyncGenerator<Uint8Array> {
  if (!(source instanceof Uint8Array)) {
    yield* source.read();
    return;
  }
  for (let start = 0; start < source.length; start += CHUNK_BYTES) {
    yield source.subarray(start, start + CHUNK_BYTES);
  }
}

function checkMagic(start: Buffer): void {
  if (!start.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC)) throw bundleInvalid({ why: "not-a-bundle" });
}

function isOfZlib(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}
