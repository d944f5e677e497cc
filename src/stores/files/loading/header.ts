import { crc32 } from "node:zlib";
import { decodeLine } from "../../../record/codec.ts";
import { type EntryOf, isKind } from "../../../record/entry.ts";
import { type Disk, isMissing } from "../disk/disk.ts";
import { readWhole } from "../disk/durable-files.ts";
import type { SessionPlaces } from "../places.ts";

export interface RecalledHeader {
  readonly entry: EntryOf<"session">;
  readonly length: number;
}

/** The first line as its copy has it; undefined when that cannot be read either. */
export function recallHeader(disk: Disk, places: SessionPlaces): RecalledHeader | undefined {
  let bytes: Buffer;
  try {
    bytes = readWhole(disk, places.header);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const line = bytes.at(-1) === 0x0a ? bytes.subarray(0, -1) : bytes;
  const decoded = decodeLine(line, crc32);
  if (!decoded.ok || !isKind(decoded.entry, "session") || decoded.entry.session !== places.session)
    return undefined;
  return { entry: decoded.entry, length: line.length };
}
