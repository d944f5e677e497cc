import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Seq, SessionId } from "../../../src/record/ids.ts";

export function folderOf(root: string, session: SessionId): string {
  return join(root, "sessions", session);
}

export function logOf(root: string, session: SessionId): string {
  return join(folderOf(root, session), "log.jsonl");
}

/**
 * Sets one byte in the middle of an entry's line, whichever file it is in. Repeating it has no further
 * effect.
 */
export function damageLine(root: string, session: SessionId, seq: Seq): void {
  for (const name of readdirSync(folderOf(root, session))) {
    if (!/^log\.jsonl(\.\d+)?$/.test(name)) continue;
    const path = join(folderOf(root, session), name);
    const bytes = readFileSync(path);
    const start = bytes.indexOf(`{"seq":${seq},`);
    if (start === -1) continue;
    const middle = (start + bytes.indexOf("\n", start)) >> 1;
    bytes[middle] = 0;
    writeFileSync(path, bytes);
  }
}
