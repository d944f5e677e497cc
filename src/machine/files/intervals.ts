import { hostname } from "node:os";
import type { Edit, WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { Author, Entry, RanCall } from "../../record/entry.ts";
import {
  type FileState,
  isSameState,
  isWithin,
  type PathBytes,
  type PathChange,
} from "../../record/files.ts";
import { type Seq, type SnapshotId, toSeq } from "../../record/ids.ts";
import { isJsonObject, type Json } from "../../record/parts.ts";
import type { Outline } from "../../timeline/outline.ts";
import { type ChangedDuring, pathsOfLimits, type Sign, signsIn } from "../../travel/logged-files.ts";
import type { SessionView } from "../view.ts";

/** A state of the files, and who made the changes between the previous state and this one. */
export interface FilesMoment {
  readonly snapshot: SnapshotId;
  readonly author: Author;
  /** "journey": this state is the result of a journey's restore. */
  readonly by: "anyone" | "journey";
  /** The calls that are known to have run since the previous state. */
  readonly during: readonly RanCall[];
  readonly signs?: ReadonlyMap<PathBytes, Sign>;
}

/** The kinds of entries that record a state of the files. */
export const MOMENT_KINDS = ["snapshot", "interval", "backtrack", "rewind", "redo", "restored"] as const;

/** The last line that records a state of the files, or an attempt to capture one; 0 if there is none. */
export function lastMomentLine(outline: Outline): number {
  return Math.max(0, ...MOMENT_KINDS.map((kind) => outline.linesOf(kind).at(-1) ?? 0));
}

/** The last snapshot in the log; undefined if there is none, or if the last attempt to capture one failed. */
export async function lastSnapshot(view: SessionView): Promise<SnapshotId | undefined> {
  const line = lastMomentLine(view.outline);
  const [stored] = line === 0 ? [] : await view.storedEntries([toSeq(line)]);
  if (stored === undefined) return undefined;
  const entry = await withSnapshotId(view, stored);
  if ("snapshot" in entry)
    return "machine" in entry && isElsewhere(entry.machine) ? undefined : entry.snapshot;
  return "left" in entry ? entry.left : undefined;
}

export interface MomentsOptions {
  /** The current state; absent if only states up to the line `to` are requested. */
  readonly present?: Pick<FilesMoment, "snapshot" | "author">;
  readonly to?: number;
  readonly has: WorkspaceFiles["has"];
}

/** The states of the files on all branches after a line, up to the current state, in log order. */
export async function momentsSince(
  view: SessionView,
  line: number,
  { present, to = Number.POSITIVE_INFINITY, has }: MomentsOptions,
): Promise<readonly FilesMoment[]> {
  const moments: FilesMoment[] = [];
  // If the snapshot of a state is not available, the next state takes over its author and calls. The interval of that
  // next state then covers both.
  let handedOn: CarriedOver = {
    author: (await isOfElsewhere(view, line)) ? "outside" : "timeline",
    during: [],
  };
  const states = await statesBehind(view, { line, to });
  const now: LoggedState[] =
    present === undefined
      ? []
      : [{ ...present, by: "anyone", line: view.outline.nextSeq, after: lastLine(states, line) }];
  for (const said of [...states, ...now]) {
    const { snapshot, by, signs } = said;
    const all: CarriedOver = {
      author: handedOn.author === "outside" ? "outside" : said.author,
      during: [...handedOn.during, ...(await ranIn(view, said))],
    };
    const isThere = snapshot !== undefined && (await has(snapshot));
    handedOn = isThere ? { author: "timeline", during: [] } : all;
    if (isThere) moments.push({ snapshot, by, ...all, ...(signs === undefined ? {} : { signs }) });
  }
  return moments;
}

/** Checks whether this is the name of another machine. */
export function isElsewhere(machine: string | undefined): machine is string {
  return machine !== undefined && machine !== hostname();
}

async function ranIn(view: SessionView, said: LoggedState): Promise<readonly RanCall[]> {
  if (said.during !== undefined) return said.during;
  return said.author === "timeline" && said.by === "anyone" ? startedIn(view, said) : [];
}

interface CarriedOver {
  readonly author: Author;
  readonly during: readonly RanCall[];
}

/** Checks whether the line records a state of the files on another machine. */
async function isOfElsewhere(view: SessionView, line: number): Promise<boolean> {
  if (view.reach === "machine" || line === 0) return false;
  const [entry] = await view.storedEntries([toSeq(line)]);
  return (entry?.kind === "snapshot" || entry?.kind === "interval") && isElsewhere(entry.machine);
}

interface LoggedState {
  readonly snapshot: SnapshotId | undefined;
  readonly author: Author;
  readonly by: FilesMoment["by"];
  readonly during?: readonly RanCall[] | undefined;
  readonly signs?: ReadonlyMap<PathBytes, Sign>;
  readonly line: number;
  /** The line that records the previous state. */
  readonly after: number;
}

type LoggedStateBody = Omit<LoggedState, "line" | "after">;

async function statesBehind(
  view: SessionView,
  { line, to }: { readonly line: number; readonly to: number },
): Promise<readonly LoggedState[]> {
  const lines = MOMENT_KINDS.flatMap((kind) => view.outline.linesOf(kind)).filter(
    (each) => each > line && each <= to,
  );
  const entries = await view.storedEntries(lines.sort((a, b) => a - b).map(toSeq));
  const said: LoggedState[] = [];
  for (const stored of entries) {
    const entry = await withSnapshotId(view, stored);
    for (const each of loggedStatesIn(entry))
      said.push({ ...each, line: entry.seq, after: lastLine(said, line) });
  }
  return said;
}

function lastLine(states: readonly LoggedState[], line: number): number {
  return states.at(-1)?.line ?? line;
}

function loggedStatesIn(entry: Entry): readonly LoggedStateBody[] {
  switch (entry.kind) {
    case "snapshot":
    case "interval": {
      // This state is on another machine's disk, so the timeline did not make the changes on this disk.
      if (isElsewhere(entry.machine)) return [{ snapshot: undefined, author: "outside", by: "anyone" }];
      const { snapshot, author, during, signs } = entry;
      const known = signs === undefined ? {} : { signs: signsIn(signs) };
      return [{ snapshot, author, by: "anyone", during, ...known }];
    }
    case "backtrack":
    case "rewind":
    case "redo":
      if (entry.left === undefined && entry.leftAuthor === undefined) return [];
      return [{ snapshot: entry.left, author: entry.leftAuthor ?? "outside", by: "anyone" }];
    case "restored":
      // Without a snapshot, it is unknown what else changed during the restore, so changes up to the next state are
      // not attributed to the timeline.
      if (entry.snapshot === undefined) return [{ snapshot: undefined, author: "outside", by: "anyone" }];
      return [{ snapshot: entry.snapshot, author: "timeline", by: "journey" }];
    default:
      return [];
  }
}

/** The kinds of entries that end all calls before them, even if the log does not record how each call ended. */
const ENDING_CALLS = ["step", "checkpoint", "interrupt", "backtrack", "rewind", "redo"] as const;

/** The `tool-start` lines of the calls that were still running at a line. */
export async function runningAt(view: SessionView, line: number): Promise<readonly Seq[]> {
  const { outline } = view;
  const since = Math.max(
    0,
    ...ENDING_CALLS.map((kind) => outline.linesOf(kind).findLast((each) => each <= line) ?? 0),
  );
  const isIn = (each: number): boolean => each > since && each < line;
  const starts = await view.entries(outline.linesOf("tool-start").filter(isIn));
  const ends = starts.length === 0 ? [] : await view.storedEntries(outline.linesOf("tool-end").filter(isIn));
  const ended = new Set(ends.flatMap((entry) => (entry.kind === "tool-end" ? [entry.call] : [])));
  return starts.flatMap((entry) =>
    entry.kind === "tool-start" && !ended.has(entry.call) ? [entry.seq] : [],
  );
}

/**
 * Finds the calls that ran in an interval. Used if the interval's entry does not list them, because an older version
 * wrote the entry or a crash interrupted the interval.
 */
async function startedIn(view: SessionView, { line, after }: LoggedState): Promise<readonly RanCall[]> {
  const began = view.outline.linesOf("tool-start").filter((each) => each > after && each < line);
  const lines = [...(await runningAt(view, after)), ...began];
  if (lines.length === 0) return [];
  const starts = await view.entries(lines);
  const replies = view.outline.linesOf("reply");
  const asking = [...new Set(lines.map((each) => replies.findLast((reply) => reply < each) ?? 0))];
  const asked = new Map<string, Json>();
  for (const entry of await view.entries(asking.filter((each) => each > 0).map(toSeq))) {
    if (entry.kind !== "reply") continue;
    for (const part of entry.parts) if (part.type === "tool-call") asked.set(part.call, part.input);
  }
  return starts.flatMap((entry) => {
    if (entry.kind !== "tool-start") return [];
    const input = entry.input ?? asked.get(entry.call);
    // Leaves out edit tools. In versions without intervals, files written by edit tools were captured separately, by
    // their paths.
    return isJsonObject(input) && "file_path" in input
      ? []
      : [{ call: entry.call, about: aboutOf(entry.name, input) }];
  });
}

function aboutOf(name: string, input: Json | undefined): string {
  const command = isJsonObject(input) ? input["command"] : undefined;
  return typeof command === "string" ? (command.split("\n", 1)[0] ?? name) : name;
}

/**
 * Reads the whole entry if its snapshot id, signs, or calls are stored in blobs. Otherwise, returns the stored form,
 * because the paths of a `restored` entry can take up megabytes.
 */
export async function withSnapshotId(view: SessionView, entry: Entry): Promise<Entry> {
  const ids = [
    "snapshot" in entry ? entry.snapshot : undefined,
    "left" in entry ? entry.left : undefined,
    "signs" in entry ? entry.signs : undefined,
  ] as unknown[];
  if (ids.every((id) => id === undefined || typeof id === "string") && !hasSpilledCalls(entry)) return entry;
  return (await view.entries([entry.seq]))[0] ?? entry;
}

function hasSpilledCalls(entry: Entry): boolean {
  if (entry.kind !== "snapshot" && entry.kind !== "interval") return false;
  return (entry.during ?? []).some(({ about, wrote = [] }) =>
    [about, ...wrote].some((text: unknown) => typeof text !== "string"),
  );
}

export interface Span {
  readonly target: SnapshotId;
  /** The states after the target, up to and including the current state. */
  readonly moments: readonly FilesMoment[];
  /** The changes from the current state to the target. Only the changed paths need to be attributed. */
  readonly changes: readonly PathChange[];
}

/** Who changed the paths that now differ from the target. */
export interface Attribution {
  /** Changes since the target that were certainly or probably made from outside. */
  readonly outside: ReadonlyMap<PathBytes, readonly Edit[]>;
  /**
   * Paths that changed while commands ran. If a path is also in `outside`, its value contains the sign that the user
   * changed it.
   */
  readonly during: ReadonlyMap<PathBytes, ChangedDuring>;
}

/**
 * Determines who changed the paths that now differ from the target. If a path matched the target at some point, only
 * changes made after the last such point count. If a journey brings an earlier change back, the change counts again and
 * keeps its attribution.
 */
export async function attribute(
  files: Pick<WorkspaceFiles, "compare">,
  { target, moments, changes }: Span,
): Promise<Attribution> {
  const targets = new Map(changes.map(({ path, after }) => [path, after]));
  const known = new PathNotes();
  let before = target;
  for (const moment of moments) {
    const made = mayTellMore(moment, known) ? await differing(files, before, moment.snapshot) : [];
    for (const change of made.filter(({ path }) => targets.has(path))) {
      if (isSameState(change.after, targets.get(change.path))) known.end(change.path);
      else known.add(moment, change);
    }
    before = moment.snapshot;
  }
  return known.attribution();
}

/** What is known about who changed a path. */
interface Notes {
  readonly edits: readonly Edit[];
  readonly during?: ChangedDuring;
}

const NO_NOTES: Notes = { edits: [] };

/** Collects what is known about each path, now and in each of its earlier states. */
class PathNotes {
  readonly #notes = new Map<PathBytes, Notes>();
  readonly #inStates = new Map<PathBytes, Map<string, Notes>>();

  /** Whether there is any earlier state that a journey could bring back. */
  get hasAny(): boolean {
    return this.#inStates.size > 0;
  }

  end(path: PathBytes): void {
    this.#notes.delete(path);
  }

  add(moment: FilesMoment, change: PathChange): void {
    if (moment.by === "journey" && moment.author === "timeline") this.#bringBack(change);
    else this.#note(change, authorOf(moment, change.path));
  }

  #bringBack({ path, after }: PathChange): void {
    const then = this.#inStates.get(path)?.get(keyOf(after));
    if (then !== undefined) this.#notes.set(path, then);
  }

  #note({ path, before, after }: PathChange, author: Author | ChangedDuring): void {
    const { edits, during } = this.#notes.get(path) ?? NO_NOTES;
    const isOutside = author === "outside" || (author !== "timeline" && author.sign !== undefined);
    const ran = typeof author === "string" ? during : joined(during, author);
    const notes: Notes = {
      edits: isOutside ? [...edits, { before, after }] : edits,
      ...(ran === undefined ? {} : { during: ran }),
    };
    this.#notes.set(path, notes);
    const states = this.#inStates.get(path) ?? new Map<string, Notes>();
    this.#inStates.set(path, states.set(keyOf(after), notes));
  }

  attribution(): Attribution {
    const outside = new Map<PathBytes, readonly Edit[]>();
    const during = new Map<PathBytes, ChangedDuring>();
    for (const [path, notes] of this.#notes) {
      if (notes.edits.length > 0) outside.set(path, notes.edits);
      if (notes.during !== undefined) during.set(path, notes.during);
    }
    return { outside, during };
  }
}

function keyOf(state: FileState | undefined): string {
  return JSON.stringify(state ?? null);
}

function joined(known: ChangedDuring | undefined, { calls, sign }: ChangedDuring): ChangedDuring {
  const ids = new Set(known?.calls.map(({ call }) => call));
  const all = [...(known?.calls ?? []), ...calls.filter(({ call }) => !ids.has(call))];
  const pointing = known?.sign ?? sign;
  return { calls: all, ...(pointing === undefined ? {} : { sign: pointing }) };
}

/**
 * Checks whether an interval must be examined. An interval in which only the timeline made changes does not need to be
 * examined, unless a journey may have restored outside changes.
 */
function mayTellMore({ author, during, by }: FilesMoment, { hasAny }: PathNotes): boolean {
  return author === "outside" || during.length > 0 || (by === "journey" && hasAny);
}

/** Who changed a path in the interval before a state. If a command ran and the author is unknown, returns the calls. */
export function authorOf(moment: FilesMoment, path: PathBytes): Author | ChangedDuring {
  if (moment.author === "outside") return "outside";
  const { during } = moment;
  if (moment.by === "journey" || during.length === 0) return "timeline";
  const wrote = during.flatMap((call) => (call.wrote === undefined ? [] : pathsOfLimits(call.wrote)));
  // A folder that had to be created for a file has the same author as the file.
  if (wrote.some((each) => isWithin(each, path))) return "timeline";
  const calls = during.filter((call) => call.wrote === undefined);
  if (calls.length === 0) return "outside";
  const sign = calls.every(({ reads }) => reads === "only") ? READ_ONLY : moment.signs?.get(path);
  return { calls, ...(sign === undefined ? {} : { sign }) };
}

const READ_ONLY: Sign = { sign: "read-only" };

async function differing(
  files: Pick<WorkspaceFiles, "compare">,
  before: SnapshotId,
  after: SnapshotId,
): Promise<readonly PathChange[]> {
  return before === after ? [] : files.compare(before, after);
}
