import { type Disk, isMissing } from "../../../disk/disk.ts";
import { readWhole } from "../../../disk/durable-files.ts";
import { type EntryOf, isKind } from "../../../record/entry.ts";
import type { SessionPlaces } from "../places.ts";
import { readUnended } from "./scan.ts";

export interface RecalledHeader {
  readonly entry: EntryOf<"session">;
  /** Where it stands in the copy. */
  readonly start: number;
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
  const [line, ...more] = readUnended(bytes);
  if (line?.entry === undefined || more.length > 0) return undefined;
  const { entry, start, length } = line;
  return isKind(entry, "session") && entry.session === places.session ? { entry, start, length } : undefined;
}
