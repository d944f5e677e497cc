import { mkdirSync, rmSync } from "node:fs";
import type { SessionId } from "../../../src/record/ids.ts";
import { placesOf } from "../../../src/stores/files/places.ts";

/** Puts a folder where a session's log was, of which nobody can read a line. */
export function ruinLog(home: string, session: SessionId): void {
  const { log } = placesOf(home, session);
  rmSync(log);
  mkdirSync(log);
}
