import { resolve } from "node:path";
import type { Lease } from "../../ports/lease.ts";
import type { LogStore, Trashed } from "../../ports/log-store.ts";
import type { ForgettableFiles } from "../../ports/snapshot-objects.ts";
import type { Entry } from "../../record/entry.ts";
import { isWorldlineError, problemOf, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { checkArguments, option } from "../../record/options.ts";
import { publishCheckpoints } from "../checkpoint-list.ts";
import { type Holding, type SessionContext, viewSession } from "../open.ts";
import { defaultSessionSettings } from "../settings.ts";
import { eachOnce, type HostSession, withoutPlace } from "./other-agents.ts";
import {
  type Finding,
  type ForgottenFiles,
  findInFiles,
  findingOf,
  forgetInFiles,
  planSessions,
  structuralRefusal,
} from "./plan-forget.ts";
import { checkForgetRequest, type ForgetRequest } from "./request.ts";
import { changesIn, type SessionChanges } from "./session-changes.ts";

export interface ForgetReport {
  readonly sessions: readonly Finding[];
  readonly inTrash: readonly Finding[];
  /**
   * Sessions in which only the final check found the text, because another program wrote it while it was being erased.
   */
  readonly left: readonly Finding[];
  /**
   * Sessions in the trash that still contain the text, because the text is in a field that cannot be changed, or
   * because the session could not be read.
   */
  readonly keptInTrash: readonly SessionId[];
  /** Sessions with parts that could not be searched, including sessions in the trash. */
  readonly unseen: readonly SessionId[];
  /**
   * Other agents' sessions that may contain the text. Worldline cannot change these sessions, and will no longer
   * continue them.
   */
  readonly hostSessions: readonly HostSession[];
  readonly files: ForgottenFiles;
  /** Why removed text may still be in the store's free space. Forgetting the same text again retries the cleanup. */
  readonly notScrubbed?: string;
}

export interface ForgetOptions extends Holding {
  /** The files in all snapshots. Without this option, only sessions are searched. */
  readonly files?: ForgettableFiles;
}

/**
 * Permanently erases a string or a file. In all sessions, replaces the text with tombstones. In all snapshots, erases the
 * contents of files that contain the text. Acquires leases on the affected sessions first, so that nothing is changed
 * if another program is writing to one of them.
 */
export async function performForget(
  context: SessionContext,
  wanted: ForgetRequest,
  options: ForgetOptions,
): Promise<ForgetReport> {
  const report = await tryToForget(context, wanted, options);
  if (isNothing(report)) throw nothingToForget(wanted, report);
  return report;
}

export function isNothing({ sessions, inTrash, keptInTrash, files }: ForgetReport): boolean {
  return sessions.length + inTrash.length + keptInTrash.length + files.contents + files.labels === 0;
}

/** Like `performForget`, but does not throw if there is nothing to forget. */
export async function tryToForget(
  context: SessionContext,
  wanted: ForgetRequest,
  options: ForgetOptions,
): Promise<ForgetReport> {
  checkArguments("performForget", {
    deps: [context, option.deps],
    request: [wanted, option.object],
    options: [options, option.object],
  });
  const progress: Progress = { isBegun: false, done: 0, of: 0 };
  try {
    return await forgetEverywhere(context, { request: checkForgetRequest(wanted), options, progress });
  } catch (error) {
    throw progress.isBegun ? cutOff(error, progress) : error;
  }
}

/** How far the work has progressed. */
interface Progress {
  isBegun: boolean;
  done: number;
  of: number;
}

async function forgetEverywhere(
  context: SessionContext,
  {
    request,
    options,
    progress,
  }: { readonly request: ForgetRequest; readonly options: ForgetOptions; readonly progress: Progress },
): Promise<ForgetReport> {
  const { files, ...holding } = options;
  const { store } = context;
  const inFiles = await findInFiles(files, request);
  const plan = await planSessions(store, request, inFiles.finding);
  const found = plan.findings.map(({ session }) => session);
  const leases = await leaseAll(store, [...found, ...plan.mayKnow], holding);
  const sessions: Finding[] = [];
  progress.of = found.length;
  let forgotten: ForgottenFiles;
  try {
    // Done before any entry is changed, because erasing from snapshots may have to wait for other programs and may then
    // fail.
    forgotten = await forgetInFiles(files, inFiles, async () => {
      progress.isBegun = true;
      // Done before the entries that lead to these sessions are changed, so that the sessions are found again after a
      // crash.
      for (const session of plan.mayKnow) await rewriteWith(context, session, NO_ENTRIES);
    });
    for (const session of found) {
      sessions.push(...findingsOf(session, await forgetIn(context, session, plan.request)));
      progress.done += 1;
    }
  } finally {
    for (const lease of leases) await lease.release();
  }
  const { reachable, hidden } = await trashOf(store);
  const inTrash: Finding[] = [];
  const keptInTrash: SessionId[] = [];
  const known = [...plan.hostSessions];
  for (const trashed of reachable) {
    const changes = await forgetInTrash(context, trashed, { request: plan.request, holding });
    if (changes === "refused") keptInTrash.push(trashed.session);
    else {
      inTrash.push(...findingsOf(trashed.session, changes));
      known.push(...(changes?.hostSessions ?? []));
    }
  }
  // Removes remnants of sessions that were being created or removed, because they may also contain the text. Does not
  // remove complete sessions in the trash.
  await store.emptyTrash(0);
  // Done even if nothing was found, because an earlier run may have erased the text and then failed before this step.
  const notScrubbed = await store.scrub();
  const after = await planSessions(store, plan.request, { places: [] });
  const unseen = [...after.unseen, ...hidden];
  const scrubbed = notScrubbed === undefined ? {} : { notScrubbed };
  const others = { keptInTrash, hostSessions: eachOnce(known), files: forgotten };
  return { sessions, inTrash, left: after.findings, unseen, ...others, ...scrubbed };
}

function findingsOf(session: SessionId, changes: SessionChanges | undefined): readonly Finding[] {
  return changes === undefined ? [] : [findingOf(session, changes)];
}

/**
 * The sessions in the trash, divided into sessions that can be restored and sessions that cannot. If several sessions
 * in the trash have the same id, only the newest can be restored, and only if no current session has that id.
 */
async function trashOf(
  store: LogStore,
): Promise<{ readonly reachable: readonly Trashed[]; readonly hidden: readonly SessionId[] }> {
  const taken = new Set(await store.list());
  const reachable = new Map<SessionId, Trashed>();
  const hidden: SessionId[] = [];
  for (const trashed of [...(await store.listTrash())].sort((a, b) => b.at - a.at)) {
    if (taken.has(trashed.session) || reachable.has(trashed.session)) hidden.push(trashed.session);
    else reachable.set(trashed.session, trashed);
  }
  return { reachable: [...reachable.values()], hidden };
}

async function leaseAll(store: LogStore, sessions: readonly SessionId[], holding: Holding): Promise<Lease[]> {
  const leases: Lease[] = [];
  try {
    for (const session of sessions) leases.push(await store.lease(session, { waitMs: 0, ...holding }));
    return leases;
  } catch (error) {
    for (const lease of leases) await lease.release();
    if (!isWorldlineError(error, "SESSION_HELD")) throw error;
    throw new WorldlineError("forget-session-held", { problem: problemOf(error) }, { cause: error });
  }
}

/** Reads the leased session again, because it may have grown since the plan was made. */
async function forgetIn(
  context: SessionContext,
  session: SessionId,
  request: ForgetRequest,
): Promise<SessionChanges | undefined> {
  const { store } = context;
  const changes = await changesIn(store, session, request);
  if (changes.times === 0) return undefined;
  if (changes.structuralLine > 0) throw structuralRefusal(session, changes);
  for (const bytes of changes.blobs) await store.putBlob(session, bytes);
  await rewriteWith(context, session, changes.entriesByLine);
  return changes;
}

type EntriesByLine = SessionChanges["entriesByLine"];

/**
 * No changed entries. If the text was not found in a session, the session loses only its references to places in other
 * agents' sessions.
 */
const NO_ENTRIES: EntriesByLine = new Map();

async function rewriteWith(
  context: SessionContext,
  session: SessionId,
  entriesByLine: EntriesByLine,
): Promise<void> {
  const { store } = context;
  await store.rewrite(session, tombstones(entriesByLine, new Date(context.clock.now()).toISOString()));
  // The list of checkpoints next to the log was created from the old log, so it is replaced.
  await store.publish(session, []);
  const keep = context.settings?.keepCheckpoints ?? defaultSessionSettings.keepCheckpoints;
  await publishCheckpoints(await viewSession(store, session), store, keep);
}

function tombstones(entriesByLine: EntriesByLine, at: string): (entry: Entry) => Entry {
  return (stored) => {
    const changed = entriesByLine.get(stored.seq);
    const entry = withoutPlace(changed?.entry ?? stored);
    if (entry === stored) return stored;
    const now = changed === undefined ? 1 : changed.times + changed.lost;
    return { ...entry, forgotten: { at, times: (stored.forgotten?.times ?? 0) + now } };
  };
}

/**
 * Erases the text from a session in the trash. The session cannot be read in the trash, so it is restored and then put
 * back with the same time. If a crash happens in between, the session stays in the list of sessions, so nothing is
 * lost.
 */
async function forgetInTrash(
  context: SessionContext,
  trashed: Trashed,
  { request, holding }: { readonly request: ForgetRequest; readonly holding: Holding },
): Promise<SessionChanges | "refused" | undefined> {
  const { store } = context;
  await store.undelete(trashed.session);
  try {
    const lease = await store.lease(trashed.session, { waitMs: 0, ...holding });
    try {
      return await forgetIn(context, trashed.session, request);
    } catch (error) {
      // A failure here must not prevent the remaining sessions from being handled.
      if (isWorldlineError(error, "INPUT_INVALID") || isWorldlineError(error, "STORE_UNREADABLE"))
        return "refused";
      throw error;
    } finally {
      await lease.release();
    }
  } finally {
    await store.trash(trashed.session, trashed.at);
  }
}

/** Adds the number of completed changes to the error. */
function cutOff(error: unknown, { done, of }: Progress): unknown {
  if (!isWorldlineError(error)) return error;
  return new WorldlineError(
    "forget-cut-off",
    { code: error.code, problem: problemOf(error), done, of },
    { cause: error },
  );
}

const MAX_NAMED = 8;

export function nothingToForget(
  request: ForgetRequest,
  { unseen, notScrubbed }: ForgetReport,
): WorldlineError {
  const searched = {
    unseen: unseen.slice(0, MAX_NAMED),
    ...(notScrubbed === undefined ? {} : { notScrubbed }),
  };
  return request.what === "text"
    ? new WorldlineError("forget-text-nowhere", searched)
    : new WorldlineError("forget-path-nowhere", { ...searched, path: resolve(request.path) });
}
