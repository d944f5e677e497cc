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
  /** 0 if the text was found only in bytes that do not belong to an entry, such as a damaged line. */
  readonly entries: number;
  readonly times: number;
}

/** What `performForget` would do. Creating a plan does not change anything. */
export interface ForgetPlan {
  readonly request: ForgetRequest;
  readonly findings: readonly Finding[];
  /** Sessions in the trash. They are not searched for the plan, only when it is carried out. */
  readonly inTrash: readonly SessionId[];
  /** Sessions that could not be searched completely, because parts of them cannot be read or only remnants exist. */
  readonly unseen: readonly SessionId[];
  /** Sessions in which the text was not found, but whose other agent may know it. */
  readonly mayKnow: readonly SessionId[];
  /**
   * The sessions of other agents that may contain the text. Worldline cannot change these sessions, and will no longer
   * continue them.
   */
  readonly hostSessions: readonly HostSession[];
  readonly files: FilesFinding;
}

/**
 * Searches all sessions without changing anything. `files` are the files of all snapshots; without them, only sessions
 * are searched.
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

/** The part of the plan about sessions. */
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
 * The changes in one session; undefined if the session cannot be opened, so that the other sessions are still
 * searched.
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

/** How often the text was found in the files of snapshots. Paths are shown without the text to forget. */
export interface FilesFinding {
  /** How many contents contain the text. Each of them is erased as a whole, at all of its paths. */
  readonly contents: number;
  readonly snapshots: number;
  readonly places: readonly string[];
  /** Current files that contain the text, so that the next capture would store it again. */
  readonly inWorkspace: readonly string[];
  /** How many paths have the text in their name or link target, where it cannot be erased. */
  readonly inNames: number;
  /** How many labels of kept snapshots contain the text. */
  readonly labels: number;
  /** How many contents and folders could not be read. */
  readonly unreadable: number;
  /** Snapshots with more places than can be listed. */
  readonly unlisted: readonly SnapshotId[];
}

interface FoundInFiles {
  readonly finding: FilesFinding;
  readonly hashes: readonly ObjectHash[];
  readonly request: FilesQuery;
}

/** What was erased from the files of snapshots. */
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
 * Erases the text from the files of snapshots. `before` is called when the request can no longer be refused, before
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
