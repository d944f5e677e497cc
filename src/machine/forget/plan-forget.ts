import type { LogStore } from "../../ports/log-store.ts";
import type { ErasedContents, FilesQuery, ForgettableFiles } from "../../ports/snapshot-objects.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { ObjectHash, SessionId, SnapshotId } from "../../record/ids.ts";
import { checkArguments, option } from "../../record/options.ts";
import { eachOnce, type Found, type HostSession, type HostTrace, mayKnow, traceOf } from "./other-agents.ts";
import { checkForgetRequest, type ForgetRequest } from "./request.ts";
import { changesIn, type SessionChanges } from "./session-changes.ts";
import { TextForms } from "./text-forms.ts";

/** How often the text was found in one session. */
export interface Finding {
  readonly session: SessionId;
  /**
   * The number of entries that contain the text; 0 if the text was found only in bytes that are not part of an entry,
   * such as a damaged line.
   */
  readonly entries: number;
  readonly times: number;
}

/** What `performForget` would do. Creating a plan does not change anything. */
export interface ForgetPlan {
  readonly request: ForgetRequest;
  readonly findings: readonly Finding[];
  /** Sessions in the trash. They are not searched until the plan is carried out. */
  readonly inTrash: readonly SessionId[];
  /**
   * Sessions that could not be searched completely, because parts of them cannot be read or because only remnants
   * exist.
   */
  readonly unseen: readonly SessionId[];
  /** Sessions in which the text was not found, but whose agent may have stored it. */
  readonly mayKnow: readonly SessionId[];
  /**
   * Other agents' sessions that may contain the text. Worldline cannot change these sessions, but will no longer
   * continue them.
   */
  readonly hostSessions: readonly HostSession[];
  readonly files: FilesFinding;
}

/**
 * Searches all sessions without changing anything. If `files` (the files in all snapshots) is passed, searches these
 * files as well.
 */
export async function planForget(
  store: LogStore,
  wanted: ForgetRequest,
  files?: ForgettableFiles,
): Promise<ForgetPlan> {
  checkArguments("planForget", {
    store: [store, option.openStore],
    request: [wanted, option.object],
    files: [files, option.optional(option.object)],
  });
  const request = checkForgetRequest(wanted);
  const { finding } = await findInFiles(files, request);
  return { ...(await planSessions(store, request, finding)), files: finding };
}

/** The part of the plan that concerns sessions. */
export async function planSessions(
  store: LogStore,
  request: ForgetRequest,
  { places }: Pick<FilesFinding, "places">,
): Promise<Omit<ForgetPlan, "files">> {
  const findings: Finding[] = [];
  const unseen: SessionId[] = [];
  const structural: Error[] = [];
  const traces = new Map<SessionId, HostTrace>();
  for (const session of await store.list()) {
    const changes = await tryChanges(store, session, request);
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
    ...{ request, findings, inTrash, ...others },
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

/**
 * The changes in one session. Returns undefined if the session cannot be opened, so that the other sessions can still
 * be searched.
 */
async function tryChanges(
  store: LogStore,
  session: SessionId,
  request: ForgetRequest,
): Promise<SessionChanges | undefined> {
  try {
    return await changesIn(store, session, request);
  } catch (error) {
    if (isWorldlineError(error, "STORE_UNREADABLE") || isWorldlineError(error, "SESSION_UNKNOWN"))
      return undefined;
    throw error;
  }
}

/** How often the text was found in the snapshots' files. Paths are shown without the text to forget. */
export interface FilesFinding {
  /** The number of file contents that contain the text. Each one is erased completely, at all of its paths. */
  readonly contents: number;
  readonly snapshots: number;
  readonly places: readonly string[];
  /** Current files that contain the text. The next capture would store the text again. */
  readonly inWorkspace: readonly string[];
  /** The number of paths with the text in their name or link target, where it cannot be erased. */
  readonly inNames: number;
  /** The number of snapshot labels that contain the text. */
  readonly labels: number;
  /** The number of file contents and folders that could not be read. */
  readonly unreadable: number;
  /** Snapshots that contain the text in too many places to list. */
  readonly unlisted: readonly SnapshotId[];
}

interface FoundInFiles {
  readonly finding: FilesFinding;
  readonly hashes: readonly ObjectHash[];
  readonly request: FilesQuery;
}

/** What was erased from the snapshots' files. */
export interface ForgottenFiles extends FilesFinding {
  readonly erased: number;
  readonly left: ErasedContents["left"];
}

const NOTHING: FilesFinding = {
  ...{ contents: 0, snapshots: 0, places: [], inWorkspace: [] },
  ...{ inNames: 0, labels: 0, unreadable: 0, unlisted: [] },
};

export async function findInFiles(
  files: ForgettableFiles | undefined,
  request: ForgetRequest,
): Promise<FoundInFiles> {
  const wanted = filesQueryOf(request);
  if (files === undefined) return { finding: NOTHING, hashes: [], request: wanted };
  const found = await files.find(wanted);
  const { contents, places, inWorkspace, inNames, ...counts } = found;
  const shown = (path: string): string => (wanted.what === "path" ? path : wanted.eraseFrom(path));
  const paths = { places: places.map(shown), inWorkspace: inWorkspace.map(shown), inNames: inNames.length };
  return { finding: { contents: contents.length, ...counts, ...paths }, hashes: contents, request: wanted };
}

function filesQueryOf(request: ForgetRequest): FilesQuery {
  if (request.what === "path") return { what: "path", path: request.path };
  const forms = new TextForms(request.text);
  return {
    what: "content",
    matches: ({ buffer, byteOffset, byteLength }) => forms.isIn(Buffer.from(buffer, byteOffset, byteLength)),
    inName: (name) => forms.isIn(name),
    eraseFrom: (text) => forms.eraseFrom(text).erased,
    inTorn: (text) => forms.isIn(text) || forms.beginningAtEnd(text) > 0,
  };
}

/**
 * Erases the text from the snapshots' files. Calls `before` when the request can no longer be refused, but before
 * anything is changed.
 */
export async function forgetInFiles(
  files: ForgettableFiles | undefined,
  { finding, hashes, request }: FoundInFiles,
  before: () => Promise<void>,
): Promise<ForgottenFiles> {
  if (files === undefined || hashes.length + finding.labels === 0) {
    await before();
    return { ...finding, erased: 0, left: [] };
  }
  return { ...finding, ...(await files.erase({ contents: hashes, request, before })) };
}
