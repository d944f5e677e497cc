import { stat } from "node:fs/promises";
import type { SessionId } from "../../../record/ids.ts";
import { placesOf } from "../../../stores/files/places.ts";
import { systemCode } from "../../places/system-error.ts";

interface Kept<Value> {
  readonly stamp: string;
  readonly value: Value;
}

/** What was read of sessions, for as long as nothing is written to them: lists of hundreds are opened often. */
export class KeptReadings<Value> {
  readonly #kept = new Map<SessionId, Kept<Value>>();

  /** What `read` says of a session; undefined where the session is gone. */
  async of(home: string, session: SessionId, read: () => Promise<Value>): Promise<Value | undefined> {
    const stamp = await stampOf(placesOf(home, session).log);
    if (stamp === undefined) return undefined;
    const kept = this.#kept.get(session);
    if (kept?.stamp === stamp) return kept.value;
    const value = await read();
    this.#kept.set(session, { stamp, value });
    return value;
  }
}

/** Two writes within one tick of the clock differ in size: a log only grows, or is put in place anew. */
async function stampOf(log: string): Promise<string | undefined> {
  try {
    const { size, mtimeMs, ino } = await stat(log);
    return `${size} ${mtimeMs} ${ino}`;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
