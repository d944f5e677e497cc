import { crc32 } from "node:zlib";
import { sealRecord } from "./records.ts";

const GZIP_HEAD = Buffer.from("1f8b08000000000000ff", "hex");

/** How many bytes at the end of a bundle are its seal. */
export const SEAL_BYTES: number = sealMember("0".repeat(64)).length;

/**
 * The last bytes of a bundle: the sha256 of all bytes before them, as a record, in a gzip member
 * of its own, so that `zcat` shows it as the last line. Gzip itself leaves bits unchecked (its
 * header, the padding of the last block); with this no flipped bit goes unseen. It is built
 * here byte by byte, not compressed, so that it can be compared as a whole.
 */
export function sealMember(sha256: string): Buffer {
  const line = sealRecord({ record: "seal", sha256 });
  const block = Buffer.alloc(5);
  block.writeUInt8(1, 0);
  block.writeUInt16LE(line.length, 1);
  block.writeUInt16LE(0xffff - line.length, 3);
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(crc32(line), 0);
  tail.writeUInt32LE(line.length, 4);
  return Buffer.concat([GZIP_HEAD, block, line, tail]);
}
