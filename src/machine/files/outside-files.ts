import { isAbsolute, relative, sep } from "node:path";
import { SerialQueue } from "../../disk/lock.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { PathOutcome } from "../../ports/workspace-files.ts";
import type { Choice, Entry } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import {
  type FileState,
  isOutsideFile,
  isSameOutside,
  isWithin,
  type OutsideChange,
  type OutsideState,
  outsideOf,
  type PathBytes,
  pathOfText,
} from "../../record/files.ts";
import type { ObjectHash, SessionId } from "../../record/ids.ts";
import { isJourney } from "../../timeline/row.ts";
import { outcomesIn } from "../../travel/logged-files.ts";
import { type FilesPlan, type KeptPath, type OutsideEdit, planFiles } from "../../travel/plan-files.ts";
import type { SessionView } from "../view.ts";
import { type Look, lookAtPath, restorePath, stateOf } from "./outside-paths.ts";
import { outcomeNotice, type WritingView, writeRestored } from "./perform.ts";
import type { FileChoices, FilesProgress, SettledRestore } from "./requests.ts";

/** The changes to make after the journey has been written to the log. The current contents are already stored. */
export interface DecidedOutside {
  /** The changes, in the form that the journey's entry records. */
  readonly changes: readonly OutsideChange[];
  readonly kept: readonly KeptPath[];
  restore(onProgress?: (progress: FilesProgress) => void): Promise<readonly PathOutcome[]>;
}

/**
 * Files that no snapshot covers, tracked by path. These are files outside the workspace, or all files if the workspace
 * is not captured, as in the home folder. The log records the changes that tools made to these files, and the session's
 * blobs contain the files' contents.
 */
export class OutsideFiles {
  /** Option for previews. It means that a journey also stores the files that no snapshot covers. */
  readonly kept = { touchedFiles: "follow" } as const;
  readonly #view: WritingView;
  readonly #contents: KeptContents;
  readonly #follows: "outside" | "everything";
  readonly #queue = new SerialQueue();

  constructor(view: WritingView, store: KeptContents["store"], follows: "outside" | "everything") {
    this.#view = view;
    this.#contents = { session: view.id, store };
    this.#follows = follows;
  }

  /** "touched": only files that tools have written are tracked. */
  get tracked(): { readonly tracked?: "touched" } {
    return this.#follows === "everything" ? { tracked: "touched" } : {};
  }

  /**
   * Queues tasks, so that only one runs at a time. Use only for a workspace that is not captured. For any other
   * workspace, use the queue of its `SessionFiles`.
   */
  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#queue.run(work);
  }

  /** Stores the current contents of the files that a tool is about to write and that no snapshot covers. */
  async watch(paths: readonly string[]): Promise<OutsideWatch> {
    return watchPaths(this.#contents, new Set(paths.filter((path) => this.#isFollowed(path))));
  }

  async look(request: OutsideRequest): Promise<OutsidePlan> {
    return lookOutside(this.#view, request);
  }

  /**
   * Stores the current contents, so that the journey can be undone. The journey will not touch a file that has changed
   * since it was read for the plan.
   */
  async decide({ steps, files }: OutsidePlan): Promise<DecidedOutside> {
    const changes: OutsideChange[] = [];
    const kept: KeptPath[] = [...files.kept];
    const { session, store } = this.#contents;
    for (const step of steps) {
      const look = await lookAtPath(step.path);
      if (!isSameOutside(stateOf(look), step.before)) {
        kept.push({ path: pathOfText(step.path), why: "outside" });
        continue;
      }
      // If this fails, the journey is not performed, because it must not remove anything that cannot be restored.
      if (look.there === "file") await store.putBlob(session, look.bytes);
      changes.push(step);
    }
    return { changes, kept, restore: async (onProgress) => this.#restore(changes, onProgress) };
  }

  /** Performs the remaining part of a journey that is already in the log. */
  async finish(journey: Entry): Promise<readonly PathOutcome[]> {
    return this.#restore(outsideOf(journey));
  }

  /**
   * Finishes the journeys that a crash interrupted. A journey that included the workspace's files is finished together
   * with those files. If the workspace is not captured, such a journey stays unfinished.
   */
  async settle(): Promise<readonly SettledRestore[]> {
    const view = this.#view;
    const settled: SettledRestore[] = [];
    for (const journey of await this.#open()) {
      const paths = await this.finish(journey);
      const text = outcomeNotice("An interrupted restore of files has been finished.", paths);
      await writeRestored({ view }, { journey: journey.id, paths, snapshot: undefined, text });
      settled.push({ session: view.id, journey: journey.id, paths });
    }
    return settled;
  }

  /**
   * Unfinished journeys. A journey changes files only after all earlier journeys have ended, so only journeys after the
   * last recorded end can be unfinished.
   */
  async #open(): Promise<readonly Entry[]> {
    const { outline } = this.#view;
    const lastEnd = outline.linesOf("restored").at(-1) ?? 0;
    const lines = (["backtrack", "rewind", "redo"] as const)
      .flatMap((kind) => outline.linesOf(kind))
      .filter((line) => line > lastEnd)
      .sort((a, b) => a - b);
    const journeys = await this.#view.storedEntries(lines);
    return journeys.filter((journey) => {
      const isOfWorkspace = "left" in journey && journey.left !== undefined;
      return outsideOf(journey).length > 0 && !(isOfWorkspace && this.#follows === "everything");
    });
  }

  async #restore(
    changes: readonly OutsideChange[],
    onProgress?: (progress: FilesProgress) => void,
  ): Promise<readonly PathOutcome[]> {
    const outcomes: PathOutcome[] = [];
    for (const change of changes) {
      onProgress?.({ doing: "restore", done: outcomes.length, of: changes.length });
      outcomes.push(await restorePath(this.#contents, change));
    }
    return outcomes;
  }

  #isFollowed(path: string): boolean {
    return this.#follows === "everything" || pathWithin(this.#view.header.workspace, path) === undefined;
  }
}

/** What a journey would do to files that no snapshot covers. No file has been changed yet. */
export interface OutsidePlan {
  /** The same kind of plan as for the workspace's files, but with absolute paths. */
  readonly files: FilesPlan;
  /** The same steps in the form used in the log. Each step leads from the current state to the target state. */
  readonly steps: readonly OutsideChange[];
}

interface OutsideRequest {
  /** The log line to go back to. Each file is restored to its state before the first change after this line. */
  readonly line: number;
  readonly options: FileChoices;
  /** What to do with outside changes that the options do not mention. */
  readonly choice: Choice;
}

/** Plans a journey from the log and the current files, without changing anything. */
export async function lookOutside(view: SessionView, request: OutsideRequest): Promise<OutsidePlan> {
  const { line, options, choice } = request;
  const ways = waysOf(await changesBehind(view, line));
  // Leaves out files whose contents and paths were forgotten, because they cannot be restored.
  const asked = [...ways].filter(
    ([path]) => isAbsolute(path) && isAskedFor(path, view.header.workspace, options.only),
  );
  const known: Known[] = [];
  for (const [path, changes] of asked) {
    const look = await lookAtPath(path);
    known.push({
      path,
      changes,
      now: stateOf(look),
      way: look.there === "elsewhere" ? "elsewhere" : "plain",
    });
  }
  return planOutside(known, { choice: options.choice ?? choice, choices: options.choices });
}

/** A path, the timeline's changes to it since the line (at least one), and its current state. */
interface Known {
  readonly path: string;
  readonly changes: readonly OutsideChange[];
  readonly now: OutsideState | undefined;
  readonly way: "plain" | "elsewhere";
}

/** Decides what to do with each path. This is a pure function, so the same arguments result in the same plan. */
function planOutside(
  known: readonly Known[],
  { choice, choices }: { readonly choice: Choice; readonly choices?: FileChoices["choices"] },
): OutsidePlan {
  const stepsByPath = new Map(
    known.map(({ path, changes, now }) => [pathOfText(path), stepOf(path, now, changes[0]?.before)]),
  );
  const elsewhere = new Set(
    known.filter(({ way }) => way === "elsewhere").map(({ path }) => pathOfText(path)),
  );
  const edits = known.map((each) => [pathOfText(each.path), editsOf(each)] as const);
  const files = planFiles({
    changes: [...stepsByPath]
      .map(([path, { before, after }]) => ({ path, before: fileState(before), after: fileState(after) }))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
    outside: new Map(edits.filter(([, made]) => made.length > 0)),
    guarded: new Set(),
    choice: withoutMerge(choice),
    merged: new Map(edits.map(([path]) => [path, undefined])),
    ...(choices === undefined
      ? {}
      : { choices: new Map([...choices].map(([path, each]) => [path, withoutMerge(each)])) }),
  });
  const kept = files.kept.map(
    ({ path, why }) => ({ path, why: elsewhere.has(path) ? "elsewhere" : why }) as const,
  );
  return { files: { ...files, kept }, steps: files.steps.flatMap(({ path }) => stepsByPath.get(path) ?? []) };
}

function stepOf(
  path: string,
  before: OutsideState | undefined,
  after: OutsideState | undefined,
): OutsideChange {
  return { path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
}

function waysOf(changes: readonly OutsideChange[]): ReadonlyMap<string, readonly OutsideChange[]> {
  const ways = new Map<string, OutsideChange[]>();
  for (const change of changes) {
    const way = ways.get(change.path);
    if (way === undefined) ways.set(change.path, [change]);
    else way.push(change);
  }
  return ways;
}

/**
 * The outside changes to a path. If one of the timeline's changes does not start from the state that the previous one
 * left, there was an outside change in between. If the path matched the target at some point, only changes made after
 * the last such point count.
 */
function editsOf({ changes, now }: Known): readonly OutsideEdit[] {
  const target = changes[0]?.before;
  let edits: OutsideEdit[] = [];
  let at = target;
  const reach = (state: OutsideState | undefined): void => {
    if (isSameOutside(state, target)) edits = [];
    at = state;
  };
  for (const { before, after } of [...changes, { before: now, after: now }]) {
    if (!isSameOutside(at, before)) edits.push({ before: fileState(at), after: fileState(before) });
    reach(before);
    reach(after);
  }
  return edits;
}

function fileState(state: OutsideState | undefined): FileState | undefined {
  if (state === undefined) return undefined;
  if (isOutsideFile(state)) {
    const { blob, mode, size } = state;
    return { kind: "file", mode, size, hash: blob as string as ObjectHash };
  }
  return { kind: "left-out", why: state.why === "forgotten" ? "unreadable" : state.why };
}

/** Replaces "merge" with "keep", because a file that is not in any snapshot cannot be merged. */
function withoutMerge(choice: Choice): Choice {
  return choice === "merge" ? "keep" : choice;
}

/**
 * Checks whether the journey includes the path. A journey can be limited only to paths within the workspace, so a
 * limited journey excludes all paths outside it.
 */
function isAskedFor(path: string, workspace: string, only: FileChoices["only"]): boolean {
  if (only === undefined) return true;
  const inside = pathWithin(workspace, path);
  return inside !== undefined && only.some((above) => isWithin(inside, above));
}

/** The path relative to the workspace; undefined if the path is outside the workspace. */
export function pathWithin(workspace: string, path: string): PathBytes | undefined {
  const inside = relative(workspace, path);
  if (isAbsolute(inside) || inside === ".." || inside.startsWith(`..${sep}`)) return undefined;
  return pathOfText(inside.split(sep).join("/"));
}

const KINDS = ["tool-end", "backtrack", "rewind", "redo"] as const;

/**
 * The timeline's changes, after the given line, to files that no snapshot covers. They are in log order. Changes on all
 * branches are included, because all branches share the same disk. For a path that a journey could not change, the
 * state in which the journey found it counts as both the earlier and the later state.
 */
async function changesBehind(view: SessionView, line: number): Promise<readonly OutsideChange[]> {
  const lines = KINDS.flatMap((kind) => view.outline.linesOf(kind)).filter((each) => each > line);
  const entries = await view.storedEntries(lines.sort((a, b) => a - b));
  const changes: OutsideChange[] = [];
  for (const entry of entries) {
    const said = outsideOf(entry);
    if (said.length === 0) continue;
    changes.push(...(isJourney(entry.kind) ? await asMade(view, entry) : said));
  }
  return changes;
}

async function asMade(view: SessionView, journey: Entry): Promise<readonly OutsideChange[]> {
  const restored = await restoredBy(view, journey);
  return outsideOf(journey).map((change) => {
    if (restored.has(pathOfText(change.path))) return change;
    const { path, before } = change;
    return before === undefined ? { path } : { path, before, after: before };
  });
}

async function restoredBy(view: SessionView, { id, seq }: Entry): Promise<ReadonlySet<PathBytes>> {
  const end = await endOf(view, { id, seq });
  const [whole] = end === undefined ? [] : await view.entries([end.seq]);
  const outcomes = whole?.kind === "restored" ? outcomesIn(whole.paths) : [];
  return new Set(outcomes.filter(({ outcome }) => outcome === "restored").map(({ path }) => path));
}

/** The entry that records the outcome for a journey's files. */
async function endOf(view: SessionView, { id, seq }: Pick<Entry, "id" | "seq">): Promise<Entry | undefined> {
  const ends = view.outline.linesOf("restored").filter((line) => line > seq);
  const entries = await view.storedEntries(ends);
  return entries.find((entry) => entry.kind === "restored" && entry.journey === id);
}

/** Where file contents are stored: in the session's blobs. */
export interface KeptContents {
  readonly session: SessionId;
  readonly store: Pick<LogStore, "putBlob" | "getBlob">;
}

/** Records the states of files before a tool writes to them. */
export interface OutsideWatch {
  /**
   * The files that have changed since their states were recorded, with their states before and after the change. The
   * contents of both states are stored.
   */
  changes(): Promise<readonly OutsideChange[]>;
}

async function watchPaths(contents: KeptContents, paths: ReadonlySet<string>): Promise<OutsideWatch> {
  const before: Watched[] = [];
  for (const path of paths) {
    const look = await lookAtPath(path);
    before.push({ path, look, state: await keep(contents, look) });
  }
  return {
    changes: async () => {
      const changes: OutsideChange[] = [];
      for (const watched of before) changes.push(...(await changeOf(contents, watched)));
      return changes;
    },
  };
}

interface Watched {
  readonly path: string;
  readonly look: Look;
  readonly state: OutsideState | undefined;
}

async function changeOf(
  contents: KeptContents,
  { path, look, state }: Watched,
): Promise<readonly OutsideChange[]> {
  const now = await lookAtPath(path);
  if (isUntouched(look, now)) return [];
  const after = await keep(contents, now);
  return [
    { path, ...(state === undefined ? {} : { before: state }), ...(after === undefined ? {} : { after }) },
  ];
}

function isUntouched(before: Look, now: Look): boolean {
  if (before.there === "elsewhere") return now.there === "elsewhere";
  if (before.there === "unknown") return now.there === "unknown" && before.signature === now.signature;
  return isSameOutside(stateOf(before), stateOf(now));
}

/**
 * Stores a file's content. If the content cannot be stored, the tool continues, and the file's state is recorded as
 * unknown.
 */
async function keep(contents: KeptContents, look: Look): Promise<OutsideState | undefined> {
  const state = stateOf(look);
  if (look.there !== "file") return state;
  try {
    await contents.store.putBlob(contents.session, look.bytes);
    return state;
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return { why: "unreadable" };
  }
}
