import { sep } from "node:path";
import type { Entry } from "../../record/entry.ts";
import type { SessionId } from "../../record/ids.ts";
import { TOMBSTONE } from "./request.ts";

/** A session that another agent stores and that may contain the same text as one of our sessions. */
export interface HostSession {
  readonly host: string;
  readonly hostSession: string;
}

/** What a session records about the other agents that worked on it. */
export interface HostTrace {
  /** The folder that the other agents worked in; empty if it is unknown. */
  readonly workspace: string;
  /**
   * The session that started this session as a sub-agent. The other agent also stores the conversations of its
   * sub-agents.
   */
  readonly caller?: SessionId;
  readonly hostSessions: readonly HostSession[];
}

/**
 * Copies only these fields, because keeping all changes of all sessions in memory at the same time could use too much
 * memory.
 */
export function traceOf({ workspace, caller, hostSessions }: HostTrace): HostTrace {
  return { workspace, hostSessions, ...(caller === undefined ? {} : { caller }) };
}

/**
 * The other agent's session that the entry refers to; undefined if the entry refers to none, or if the session's id had
 * to be forgotten.
 */
export function hostSessionOf(entry: Entry): HostSession | undefined {
  if (entry.kind !== "host" || entry.hostSession.includes(TOMBSTONE)) return undefined;
  return { host: entry.host, hostSession: entry.hostSession };
}

export function eachOnce(hostSessions: readonly HostSession[]): readonly HostSession[] {
  const byName = new Map(hostSessions.map((each) => [`${each.host} ${each.hostSession}`, each]));
  return [...byName.values()];
}

/** The sessions and files in which the text was found. */
export interface Found {
  readonly sessions: readonly SessionId[];
  /** Full paths of files. */
  readonly paths: readonly string[];
}

/**
 * The sessions that do not contain the text themselves, but whose agent may have stored it. Either a session of one of
 * their sub-agents contains the text, or a file in their workspace does. Other agents show their models more of a file
 * than they report to us.
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
 * Removes the message id, so that the other agent's session cannot be continued from this place. Otherwise, the agent
 * would send the forgotten text from its own files to the model again.
 */
export function withoutPlace(entry: Entry): Entry {
  if (entry.kind !== "host" || entry.message === undefined) return entry;
  const { message: _message, ...rest } = entry;
  return rest;
}
