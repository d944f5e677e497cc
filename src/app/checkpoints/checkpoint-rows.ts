import { executionIdOf } from "../../executions/step-records.ts";
import { startOfPrompt } from "../../machine/checkpoint-list.ts";
import { withSnapshotId } from "../../machine/files/intervals.ts";
import { viewSession } from "../../machine/open.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { Author, Entry, EntryOf } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { EntryId, Seq, SessionId, SnapshotId } from "../../record/ids.ts";
import { typedFor } from "../../timeline/calls.ts";
import { commandOf, promptOf } from "../../timeline/checkpoints.ts";
import { askedBefore, isOnBranch, linesOfBranch, nearest, type Outline } from "../../timeline/outline.ts";
import type { Row } from "../../timeline/row.ts";
import { aboutCall } from "../../timeline/turn-state.ts";

export interface PlaceOfRow {
  readonly session: SessionId;
  readonly number: number;
}

export interface CheckpointRow extends PlaceOfRow {
  readonly entry: EntryId;
  /**
   * "execution": the newest successful step of a program's execution; `execution` identifies the execution and the
   * step.
   */
  readonly place: "here" | "elsewhere" | "execution";
  readonly execution?: { readonly id: string; readonly step: string };
  /** The session's title, in rows from other sessions; absent if the session has none. */
  readonly sessionTitle?: string;
  readonly at: number;
  /**
   * "command": made before a `!command` that the user ran. "after": made automatically after a command or a stopped
   * turn that changed files. Like a step, such a checkpoint belongs to the row before it.
   */
  readonly on: "prompt" | "manual" | "step" | "command" | "after";
  readonly branch: "here" | "left";
  readonly label?: string;
  /** The first 80 characters of the prompt, or of the command after a "!", with line breaks as spaces. */
  readonly text?: string;
  readonly files: RowFiles;
}

type RowFiles = "complete" | "partial" | "pending" | "none" | "let-go";

/** The name that users see for a checkpoint. */
export type NamedPlace =
  /** A step in a program's execution. */
  | { readonly execution: string; readonly step: string }
  | {
      readonly number: number;
      readonly at: number;
      readonly label?: string | undefined;
      /** The beginning of the checkpoint's prompt, or of its command after a "!". */
      readonly text?: string | undefined;
      /** "after": the checkpoint was made automatically after the command or turn that `text` belongs to. */
      readonly on?: "after" | undefined;
    };

/** A session and everything else that is needed to build its rows. */
interface RowSource {
  readonly view: SessionView;
  readonly place: CheckpointRow["place"];
  readonly files: Pick<WorkspaceFiles, "has"> | undefined;
  readonly title?: string;
}

/** Caches what was read from the current session, so that opening the list again reads only new entries. */
export class KnownRows {
  readonly texts = new Map<Seq, string>();
  readonly snapshots = new SnapshotsTold();
}

/**
 * Lists a session's checkpoints, newest first. Unless the session is the current one, steps without a label are left
 * out.
 */
export async function checkpointRows(
  source: RowSource,
  known = new KnownRows(),
): Promise<readonly CheckpointRow[]> {
  const { view } = source;
  const { outline } = view;
  const labels = await view.labels();
  const places = placesIn(outline, source.place === "here" ? "with-steps" : "without-steps");
  if (source.place === "elsewhere") {
    const named = [...labels.keys()].flatMap((id) => outline.byId(id) ?? []);
    places.push(...named.filter(({ kind }) => kind === "step").map((row) => placeOf(outline, row)));
  }
  const here = linesOfBranch(outline);
  const all = await described(source, places, { known, labels, branchOf: (row) => here.has(row.seq) });
  const rows = source.place === "here" ? all : all.filter(({ on }) => on !== "after");
  return rows.sort((a, b) => b.number - a.number);
}

/** Builds the row for one checkpoint. */
export async function checkpointRow(source: RowSource, row: Row, known: KnownRows): Promise<CheckpointRow> {
  const { view } = source;
  const place = placeOf(view.outline, row);
  const labels = await view.labels(row.seq);
  const branchOf = (each: Row): boolean => isOnBranch(view.outline, each);
  const [only] = await described(source, [place], { known, labels, branchOf });
  return only as CheckpointRow;
}

interface Needs {
  readonly known: KnownRows;
  readonly labels: ReadonlyMap<EntryId, string>;
  readonly branchOf: (row: Row) => boolean;
}

async function described(
  source: RowSource,
  found: readonly ListedPlace[],
  { known, labels, branchOf }: Needs,
): Promise<CheckpointRow[]> {
  const { view, place, title } = source;
  const numbers = new Set<number>(found.map(({ row }) => row.number));
  const told = await known.snapshots.of(view, place === "here" ? undefined : numbers);
  const isAfter = ({ on, row }: ListedPlace): boolean =>
    on === "manual" && !labels.has(row.id) && isUnasked(view, told.get(row.number));
  const places = found.map((each) => (isAfter(each) ? placeAfter(view.outline, each) : each));
  await readTexts(view, places, known.texts);
  const rows: CheckpointRow[] = [];
  for (const { row, on, textLine } of places) {
    const label = labels.get(row.id);
    const text = (textLine && known.texts.get(textLine)) || undefined;
    rows.push({
      session: view.id,
      number: row.number,
      entry: row.id,
      place,
      at: row.at,
      on,
      branch: branchOf(row) ? "here" : "left",
      files: await filesOf(source, row, told.get(row.number)),
      ...(title === undefined ? {} : { sessionTitle: title }),
      ...(label === undefined ? {} : { label }),
      ...(text === undefined ? {} : { text }),
    });
  }
  return rows;
}

/**
 * Checks whether a checkpoint was made automatically. The author of the checkpoint's changes tells automatic and manual
 * checkpoints apart: an automatic checkpoint captures the agent's own work, whereas a checkpoint saved by the user
 * records outside changes.
 */
export function isUnasked({ header }: SessionView, told: SnapshotTold | undefined): boolean {
  return header.mode === "agent" && told?.author === "timeline";
}

async function filesOf(source: RowSource, row: Row, told: SnapshotTold | undefined): Promise<RowFiles> {
  if (told === undefined) return isBeingCaptured(source, row) ? "pending" : "none";
  if (told.snapshot === undefined || source.files === undefined) return told.state;
  return (await source.files.has(told.snapshot)) ? told.state : "let-go";
}

/**
 * Checks whether a checkpoint is still being captured. Only a checkpoint that this process made can be waiting for its
 * capture.
 */
function isBeingCaptured({ view, place, files }: RowSource, row: Row): boolean {
  const isNewest = row.number === view.outline.highestNumber;
  return place === "here" && files !== undefined && isNewest && row.at >= performance.timeOrigin;
}

/** Returns the name that users see for a place: its checkpoint, or a program's step. */
export async function namedPlace(view: SessionView, row: Row): Promise<NamedPlace> {
  const step = await stepAt(view, row);
  if (step !== undefined) return { execution: step.execution, step: step.name };
  const source = { view, place: "elsewhere", files: undefined } as const;
  const { number, label, text, at, on } = await checkpointRow(source, row, new KnownRows());
  return { number, at, label, text, on: on === "after" ? on : undefined };
}

/** A checkpoint and the log line that contains its text. */
export interface ListedPlace {
  readonly row: Row;
  readonly on: CheckpointRow["on"];
  /**
   * The log line of the checkpoint's prompt or command. If the checkpoint was made after a turn or command, this is the
   * log line of that turn or command.
   */
  readonly textLine?: Seq;
}

const LONGEST = 80;

/** Lists all of a session's checkpoints, oldest first, optionally without steps. Reads only the outline. */
function placesIn(outline: Outline, steps: "with-steps" | "without-steps"): ListedPlace[] {
  const checkpoints = outline.ofKind("checkpoint").map((row) => placeOfCheckpoint(outline, row));
  if (steps === "without-steps") return checkpoints;
  const above = new Map<number, Seq | undefined>();
  const stepPlaces = outline.ofKind("step").map((row) => placeOfStep(outline, row, above));
  return [...checkpoints, ...stepPlaces].sort((a, b) => a.row.seq - b.row.seq);
}

export function placeOf(outline: Outline, row: Row): ListedPlace {
  return row.kind === "step" ? placeOfStep(outline, row, new Map()) : placeOfCheckpoint(outline, row);
}

function placeOfCheckpoint(outline: Outline, row: Row): ListedPlace {
  const prompt = promptOf(outline, row);
  if (prompt !== undefined) return { row, on: "prompt", textLine: prompt.seq };
  const command = commandOf(outline, row);
  return command === undefined ? { row, on: "manual" } : { row, on: "command", textLine: command.seq };
}

/** Assigns a checkpoint that was made automatically to the turn or command before it. */
export function placeAfter(outline: Outline, place: ListedPlace): ListedPlace {
  const above = nearest(outline, outline.at(place.row.parent), ({ kind }) => BEGINS.has(kind));
  if (above === undefined) return place;
  const line = above.kind === "prompt" ? above : commandOf(outline, above);
  return line === undefined ? place : { row: place.row, on: "after", textLine: line.seq };
}

const BEGINS: ReadonlySet<string> = new Set(["prompt", "checkpoint"]);

/**
 * Finds the prompt that a step belongs to. `above` caches the results for earlier steps, so that a turn with 10,000
 * steps is traversed only once.
 */
function placeOfStep(outline: Outline, step: Row, above: Map<number, Seq | undefined>): ListedPlace {
  let row: Row | undefined = step;
  while (row !== undefined && row.kind !== "prompt" && !above.has(row.seq)) row = askedBefore(outline, row);
  const prompt = row?.kind === "prompt" ? row.seq : row === undefined ? undefined : above.get(row.seq);
  above.set(step.seq, prompt);
  return { row: step, on: "step", ...(prompt === undefined ? {} : { textLine: prompt }) };
}

/** Reads the text of each line that `known` does not contain yet, and adds the text to `known`. */
export async function readTexts(
  view: SessionView,
  places: readonly ListedPlace[],
  known: Map<Seq, string>,
): Promise<void> {
  const lines = new Set(places.flatMap(({ textLine }) => textLine ?? []).filter((line) => !known.has(line)));
  const entries = await view.storedEntries([...lines].sort((a, b) => a - b));
  for (const entry of entries) known.set(entry.seq, textIn(entry));
}

function textIn(entry: Entry): string {
  if (entry.kind !== "tool-start") return startOfPrompt(entry);
  return typedFor(entry.name, [...aboutCall(entry.input)].slice(0, LONGEST).join(""));
}

/** What the log records about a checkpoint's files. */
interface SnapshotTold {
  readonly state: "complete" | "partial" | "none";
  readonly snapshot?: SnapshotId;
  /** Who changed the files before this checkpoint. */
  readonly author: Author;
}

/** What the log last recorded about each checkpoint's files. Each entry is read only once. */
export class SnapshotsTold {
  readonly #byNumber = new Map<number, SnapshotTold>();
  #upTo = 0;

  /**
   * Returns a session's records. `wanted`: limits the read to these checkpoints, for a session that will not be read
   * again.
   */
  async of(view: SessionView, wanted?: ReadonlySet<number>): Promise<ReadonlyMap<number, SnapshotTold>> {
    const { outline } = view;
    const upTo = this.#upTo;
    const lines = outline
      .linesOf("snapshot")
      .filter((line) => line > upTo && (wanted === undefined || wanted.has(outline.at(line)?.number ?? 0)));
    for (const stored of await view.storedEntries(lines)) {
      const entry = await withSnapshotId(view, stored);
      if (entry.kind !== "snapshot") continue;
      const { state, snapshot, author } = entry;
      const told = snapshot === undefined ? ({ state: "none" } as const) : { state, snapshot };
      this.#byNumber.set(entry.checkpoint, { ...told, author });
    }
    this.#upTo = Math.max(this.#upTo, lines.at(-1) ?? 0);
    return this.#byNumber;
  }
}

/** The step in a program's execution that came right before a checkpoint. */
export interface ProgramStep {
  readonly execution: string;
  readonly name: string;
  readonly index: number;
  readonly status: EntryOf<"saved">["status"];
}

/**
 * Finds the step in a program's execution that came right before a checkpoint. Returns undefined if the session is of
 * another kind, or if the checkpoint comes before the first step or belongs to a deleted step.
 */
export async function stepAt(view: SessionView, row: Row): Promise<ProgramStep | undefined> {
  if (view.header.mode !== "execution") return undefined;
  const saved = nearest(view.outline, row, ({ kind }) => kind === "saved");
  const entry = saved && (await view.entries([saved.seq]))[0];
  if (entry?.kind !== "saved") return undefined;
  const { name, index, attempt, status } = entry;
  if (await isDeleted(view, { index, attempt })) return undefined;
  return { execution: executionIdOf(view), name, index, status };
}

async function isDeleted(
  view: SessionView,
  { index, attempt }: Pick<EntryOf<"saved">, "index" | "attempt">,
): Promise<boolean> {
  const deletions = await view.storedEntries(view.outline.linesOf("checkpoint-delete"));
  return deletions.some(
    (each) => each.kind === "checkpoint-delete" && each.index === index && each.attempt === attempt,
  );
}

interface RestorableStep {
  readonly row: Row;
  readonly step: ProgramStep;
}

/** Returns the place that users are most likely to rewind a program to: right after its newest successful step. */
export async function newestRestorable(view: SessionView): Promise<RestorableStep | undefined> {
  const { outline, header } = view;
  // A fork of an execution is read-only, and `worldline executions` does not list it either.
  if (header.execution === undefined) return undefined;
  for (let row = outline.head; row !== undefined; row = outline.at(row.parent)) {
    if (row.kind !== "checkpoint") continue;
    const step = await stepAt(view, row);
    if (step?.status === "success") return { row, step };
  }
  return undefined;
}

export interface RestorableExecution extends RestorableStep {
  readonly view: SessionView;
}

/** Lists the executions in a workspace that have a step to rewind to, newest first. */
export async function restorableExecutions(
  store: LogStore,
  workspace: string,
  most: number,
): Promise<readonly RestorableExecution[]> {
  let found: RestorableExecution[] = [];
  for (const id of await store.list({ workspace, mode: "execution" })) {
    const one = await restorableIn(store, id);
    // Only the executions that will be shown stay in memory, because each one holds the outline of its whole log.
    if (one?.view.header.workspace !== workspace) continue;
    found = [...found, one].sort((a, b) => b.row.at - a.row.at).slice(0, most);
  }
  return found;
}

/** Returns undefined for an unreadable execution, which must not prevent a rewind in another execution. */
async function restorableIn(store: LogStore, id: SessionId): Promise<RestorableExecution | undefined> {
  try {
    const view = await viewSession(store, id);
    const newest = await newestRestorable(view);
    return newest && { ...newest, view };
  } catch (error) {
    if (isWorldlineError(error)) return undefined;
    throw error;
  }
}
