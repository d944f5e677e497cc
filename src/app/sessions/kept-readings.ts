import type { LogStore } from "../../ports/log-store.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";

interface Kept<Value> {
  readonly stamp: string;
  readonly value: Value;
}

/** What was read of sessions, for as long as nothing is written to them: lists of hundreds are opened often. */
export class KeptReadings<Value> {
  readonly #kept = new Map<SessionId, Kept<Value>>();

  /** What `read` says of a session; undefined where the session is gone. */
  async of(store: LogStore, session: SessionId, read: () => Promise<Value>): Promise<Value | undefined> {
    const stamp = await stampOf(store, session);
    if (stamp === "gone") return undefined;
    if (stamp === "unreadable") return read();
    const kept = this.#kept.get(session);
    if (kept?.stamp === stamp.is) return kept.value;
    const value = await read();
    this.#kept.set(session, { stamp: stamp.is, value });
    return value;
  }
}

/** One that cannot be looked at costs only itself: reading it says why. */
async function stampOf(
  store: LogStore,
  session: SessionId,
): Promise<{ readonly is: string } | "gone" | "unreadable"> {
  try {
    return { is: await store.stamp(session) };
  } catch (error) {
    if (isWorldlineError(error, "SESSION_UNKNOWN")) return "gone";
    if (isWorldlineError(error, "STORE_UNREADABLE")) return "unreadable";
    throw error;
  }
}
