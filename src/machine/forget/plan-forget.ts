import type { LogStore } from "../../ports/log-store.ts";
import type { ForgettableFiles } from "../../ports/snapshot-objects.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { checkArguments, option } from "../../record/options.ts";
import { type FilesFinding, findInFiles } from "./in-files.ts";
import { eachOnce, type Found, type HostSession, type HostTrace, mayKnow, traceOf } from "./other-agents.ts";
import { changesIn, type SessionChanges } from "./session-changes.ts";
import { checkWish, type ForgetWish } from "./wish.ts";

/** What was found in one session. */
export interface Finding {
  readonly session: SessionId;
  /** 0 when it is only in bytes that are no entry, such as a damaged line. */
  readonly entries: number;
  readonly times: number;
}

/** What forgetting would do. Nothing has been changed. */
export interface ForgetPlan {
  readonly wish: ForgetWish;
  readonly findings: readonly Finding[];
  /** Sessions in the trash: they can be searched only when it is carried out, and then are. */
  readonly inTrash: readonly SessionId[];
  /** Sessions with parts that cannot be read, or of which only remnants are there: these could not be searched. */
  readonly unseen: readonly SessionId[];
  /** Sessions in which it was not found, but another agent of which may know it. */
  readonly mayKnow: readonly SessionId[];
  /** The sessions of other agents that may know it. They are not ours to change, and are not gone on with. */
  readonly hostSessions: readonly HostSession[];
  readonly files: FilesFinding;
}

/** `files` are those of all snapshots; without them, only sessions are searched. */
export async function planForget(
  store: LogStore,
  wanted: ForgetWish,
  files?: ForgettableFiles,
): Promise<ForgetPlan> {
  checkArguments("planForget", {
    store: [store, option.openStore],
    wish: [wanted, option.object],
    files: [files, option.optional(option.object)],
  });
  const wish = checkWish(wanted);
  const { finding } = await findInFiles(files, wish);
  return { ...(await planSessions(store, wish, finding)), files: finding };
}

/** The plan without what is in files. */
export async function planSessions(
  store: LogStore,
  wish: ForgetWish,
  { places }: Pick<FilesFinding, "places">,
): Promise<Omit<ForgetPlan, "files">> {
  const findings: Finding[] = [];
  const unseen: SessionId[] = [];
  const structural: Error[] = [];
  const traces = new Map<SessionId, HostTrace>();
  for (const session of await store.list()) {
    const changes = await tryChanges(store, session, wish);
    if (changes === undefined || changes.unseen === "something") unseen.push(session);
    if (changes === undefined) continue;
    traces.set(session, traceOf(changes));
    if (changes.structuralLine > 0) structural.push(structuralRefusal(session, changes));
    if (changes.times > 0) findings.push(findingOf(session, changes));
  }
  const [holding] = structural;
  if (holding !== undefined && findings.length > 0) throw holding;
  const inTrash = [...new Set((await store.listTrash()).map((trashed) => trashed.session))];
  const found = { sessions: findings.map(({ session }) => session), paths: places };
  const others = othersOf(found, traces);
  return {
    ...{ wish, findings, inTrash, ...others },
    unseen: [...new Set([...unseen, ...(await store.listRemnants())])],
  };
}

function othersOf(
  found: Found,
  traces: ReadonlyMap<SessionId, HostTrace>,
): Pick<ForgetPlan, "mayKnow" | "hostSessions"> {
  const suspected = mayKnow(found, traces);
  const known = [...found.sessions, ...suspected].flatMap((each) => traces.get(each)?.hostSessions ?? []);
  return { mayKnow: suspected, hostSessions: eachOnce(known) };
}

export function findingOf(session: SessionId, changes: SessionChanges): Finding {
  return { session, entries: changes.entriesByLine.size, times: changes.times };
}

export function structuralRefusal(
  session: SessionId,
  { structuralLine, inExecutionId }: Pick<SessionChanges, "structuralLine" | "inExecutionId">,
): Error {
  return inExecutionId === "yes"
    ? new WorldlineError("forget-execution-name", { session })
    : new WorldlineError("forget-structure", { session, line: structuralLine });
}

/** A session that cannot even be opened must not keep the others from being searched. */
async function tryChanges(
  store: LogStore,
  session: SessionId,
  wish: ForgetWish,
): Promise<SessionChanges | undefined> {
  try {
    return await changesIn(store, session, wish);
  } catch (error) {
    if (isWorldlineError(error, "STORE_UNREADABLE") || isWorldlineError(error, "SESSION_UNKNOWN"))
      return undefined;
    throw error;
  }
}
