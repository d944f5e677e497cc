import type { LogStore } from "../../ports/log-store.ts";
import type { SessionId } from "../../record/ids.ts";

/**
 * Appends of one session one after the other, in the order in which they were asked for: on several connections one that
 * was asked for later could come first, and would be refused for the line that it expects.
 */
export function inOrder(store: LogStore): LogStore {
  const last = new Map<SessionId, Promise<void>>();
  const queued = async (session: SessionId, work: () => Promise<void>): Promise<void> => {
    const before = last.get(session) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(work);
    last.set(session, mine);
    try {
      await mine;
    } finally {
      if (last.get(session) === mine) last.delete(session);
    }
  };
  return {
    ...store,
    append: async (session, seq, entries) => queued(session, async () => store.append(session, seq, entries)),
    rotate: async (session, entry) => queued(session, async () => store.rotate(session, entry)),
  };
}
