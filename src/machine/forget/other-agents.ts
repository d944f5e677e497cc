import { sep } from "node:path";
import type { Entry } from "../../record/entry.ts";
import type { SessionId } from "../../record/ids.ts";
import { TOMBSTONE } from "./request.ts";

/** A session that another agent keeps by itself, and that may know what one of ours knows. */
export interface HostSession {
  readonly host: string;
  readonly hostSession: string;
}

/** What a session says of the other agents that worked on it. */
export interface HostTrace {
  /** The folder that they worked in; empty where it is not known. */
  readonly workspace: string;
  /** The session whose sub-agent this one was. Its agent keeps what its sub-agents know. */
  readonly caller?: SessionId;
  readonly hostSessions: readonly HostSession[];
}

/** Nothing else: what would change in all sessions at once may be more than there is room for. */
export function traceOf({ workspace, caller, hostSessions }: HostTrace): HostTrace {
  return { workspace, hostSessions, ...(caller === undefined ? {} : { caller }) };
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

/** Where something was found. */
export interface Found {
  readonly sessions: readonly SessionId[];
  /** Of files, whole. */
  readonly paths: readonly string[];
}

/**
 * The sessions in which it was not found, but another agent of which may know it all the same: a sub-agent of theirs had
 * it, or a file where they work. Other agents are shown more of files than they tell us.
 */
export function mayKnow(
  { sessions, paths }: Found,
  traces: ReadonlyMap<SessionId, HostTrace>,
): readonly SessionId[] {
  const above = callersOf(sessions, traces);
  return [...traces].flatMap(([session, { hostSessions, workspace }]) => {
    if (hostSessions.length === 0 || sessions.includes(session)) return [];
    return above.has(session) || paths.some((path) => isBelow(path, workspace)) ? [session] : [];
  });
}

function callersOf(
  sessions: readonly SessionId[],
  traces: ReadonlyMap<SessionId, HostTrace>,
): ReadonlySet<SessionId> {
  const above = new Set<SessionId>();
  for (const session of sessions) {
    let caller = traces.get(session)?.caller;
    while (caller !== undefined && !above.has(caller)) {
      above.add(caller);
      caller = traces.get(caller)?.caller;
    }
  }
  return above;
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
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
