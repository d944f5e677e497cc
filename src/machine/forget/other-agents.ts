import type { Entry } from "../../record/entry.ts";
import type { SessionId } from "../../record/ids.ts";
import { TOMBSTONE } from "./wish.ts";

/** A session that another agent keeps by itself, and that may know what one of ours knows. */
export interface HostSession {
  readonly host: string;
  readonly hostSession: string;
}

/** What a session says of the other agents that worked on it. */
export interface HostTrace {
  /** The session whose sub-agent this one was. Its agent keeps what its sub-agents know. */
  readonly caller?: SessionId;
  readonly hostSessions: readonly HostSession[];
}

/** Nothing else: what would change in all sessions at once may be more than there is room for. */
export function traceOf({ caller, hostSessions }: HostTrace): HostTrace {
  return { hostSessions, ...(caller === undefined ? {} : { caller }) };
}

/** Undefined where no other agent is named, or its session's own name had to be forgotten. */
export function hostSessionOf(entry: Entry): HostSession | undefined {
  if (entry.kind !== "host" || entry.hostSession.includes(TOMBSTONE)) return undefined;
  return { host: entry.host, hostSession: entry.hostSession };
}

export function eachOnce(hostSessions: readonly HostSession[]): readonly HostSession[] {
  const byName = new Map(hostSessions.map((each) => [`${each.host} ${each.hostSession}`, each]));
  return [...byName.values()];
}

/** Those above `sessions` that other agents worked on, and that are none of these. */
export function callersAbove(
  sessions: readonly SessionId[],
  traces: ReadonlyMap<SessionId, HostTrace>,
): readonly SessionId[] {
  const above = new Set<SessionId>();
  for (const session of sessions) {
    let caller = traces.get(session)?.caller;
    while (caller !== undefined && !above.has(caller)) {
      above.add(caller);
      caller = traces.get(caller)?.caller;
    }
  }
  for (const session of sessions) above.delete(session);
  return [...above].filter((session) => (traces.get(session)?.hostSessions.length ?? 0) > 0);
}

/**
 * Without the name of its message, nobody goes on from there: the other agent would be made to send again what is to be
 * forgotten, which stands in files that are not ours.
 */
export function withoutPlace(entry: Entry): Entry {
  if (entry.kind !== "host" || entry.message === undefined) return entry;
  const { message: _message, ...rest } = entry;
  return rest;
}
