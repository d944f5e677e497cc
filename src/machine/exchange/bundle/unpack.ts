import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, gunzip } from "node:zlib";
import { bundleInvalid } from "./bundle-error.ts";
import { SEAL_BYTES, sealMember } from "./seal.ts";

const inflate = promisify(gunzip);
const GZIP_MAGIC = Buffer.from("1f8b08", "hex");

/**
 * The lines of a bundle. A few kilobytes can unpack to terabytes, so unpacking stops at
 * `maxBytes`. A bundle that was cut gives the lines before the cut: the reader can then say where.
 */
export async function unpack(bytes: Uint8Array, maxBytes: number): Promise<Buffer> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!file.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC))
    throw bundleInvalid("it is not a bundle of Worldline");
  try {
    return await inflate(file.subarray(0, -SEAL_BYTES), {
      maxOutputLength: maxBytes,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
  } catch (error) {
    if (error instanceof RangeError) throw bundleInvalid(`it unpacks to more than ${maxBytes} bytes`, error);
    throw bundleInvalid("its compressed content is damaged", error);
  }
}

/** The last check of all: the others can say where the fault is, this one only that there is one. */
export function checkSeal(bytes: Uint8Array): void {
  const content = bytes.subarray(0, -SEAL_BYTES);
  const seal = sealMember(createHash("sha256").update(content).digest("hex"));
  if (seal.equals(bytes.subarray(-SEAL_BYTES))) return;
  throw bundleInvalid("its seal does not fit its content, so some byte of it was changed or is missing");
}
