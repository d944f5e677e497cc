import { WorldlineError } from "../../record/error.ts";
import type { ByteReader } from "./byte-reader.ts";

/** The first byte of every folder and snapshot. */
export const OBJECT_VERSION = 1;

/** Throws FORMAT_NEWER, which is no damage: the object's hash fits, or it would not have been handed out. */
export function expectVersion(reader: ByteReader, what: "folder" | "snapshot"): void {
  const version = reader.byte();
  if (version === 0) throw reader.damaged("no-version");
  if (version > OBJECT_VERSION) throw new WorldlineError("object-newer", { kind: what });
}
