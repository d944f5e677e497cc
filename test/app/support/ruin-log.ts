import { mkdirSync, rmSync } from "node:fs";
import type { SessionId } from "../../../src/record/ids.ts";
import { placesOf } from "../../../src/stores/files/places.ts";

/** Replaces a session's log with a folder, so that no line of it can be read. */
export function ruinLog(home: string, session: SessionId): void {
  const { log } = placesOf(home, session);
  rmSync(log);
  mkdirSync(log);
}
