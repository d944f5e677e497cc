import { diffLines } from "diff";
import { authorOf, type FilesMoment, momentsSince } from "../../../machine/files/intervals.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { ChangedFile } from "../../../ports/agent-events.ts";
import type { WorkspaceFiles } from "../../../ports/workspace-files.ts";
import type { EntryOf } from "../../../record/entry.ts";
import { isWorldlineError } from "../../../record/error.ts";
import {
  type FileContent,
  isSameState,
  type PathBytes,
  type PathChange,
  shownPath,
} from "../../../record/files.ts";
import type { EntryId, SnapshotId } from "../../../record/ids.ts";
import { commandOf, promptOf } from "../../../timeline/checkpoints.ts";
import { branchSince, isOnBranch, nearest, type Outline } from "../../../timeline/outline.ts";
import { isAboutPlace, type Row } from "../../../timeline/row.ts";
import { seenChanges } from "../../../travel/plan-files.ts";
import type { AgentContext } from "../../agent-context.ts";
import { OutsideChanges } from "./running-calls.ts";

/**
 * Maximum number of files to compare. If a turn rewrote 10,000 files, not all of them should be compared line by line.
 */
const MAX_FILES = 50;
const MAX_BYTES = 256 * 1024;

interface ChangedFiles {
  readonly files: readonly ChangedFile[];
  /** Number of changed files that the list omits. */
  readonly more: number;
}

/** Returns the files that the timeline changed between two moments, with line counts if they are cheap to get. */
async function changedFiles(
  workspace: WorkspaceFiles,
  before: SnapshotId,
  moments: readonly FilesMoment[],
): Promise<ChangedFiles> {
  const changed = [...(await timelineChanges(workspace, before, moments)).values()].sort((a, b) =>
    (a[0]?.path ?? "") < (b[0]?.path ?? "") ? -1 : 1,
  );
  const files: ChangedFile[] = [];
  for (const parts of changed.slice(0, MAX_FILES)) files.push(await describe(workspace, parts));
  return { files, more: Math.max(0, changed.length - MAX_FILES) };
}

/**
 * Returns the changes that the timeline made to each path, in several parts if there were outside changes in between.
 */
async function timelineChanges(
  workspace: WorkspaceFiles,
  first: SnapshotId,
  moments: readonly FilesMoment[],
): Promise<ReadonlyMap<PathBytes, readonly PathChange[]>> {
  const byPath = new Map<PathBytes, PathChange[]>();
  let before = first;
  for (const moment of moments) {
    const changes =
      before === moment.snapshot ? [] : seenChanges(await workspace.compare(before, moment.snapshot));
    before = moment.snapshot;
    for (const change of changes.filter(isOfFiles)) {
      if (isByTimeline(moment, change))
        byPath.set(change.path, joined(byPath.get(change.path) ?? [], change));
    }
  }
  return new Map([...byPath].filter(([, parts]) => !isUndone(parts)));
}

/** Checks whether the timeline made a change. Changes that the user probably made do not count as the agent's. */
function isByTimeline(moment: FilesMoment, { path }: PathChange): boolean {
  const author = authorOf(moment, path);
  return author === "timeline" || (author !== "outside" && author.sign === undefined);
}

function joined(parts: readonly PathChange[], change: PathChange): PathChange[] {
  const last = parts.at(-1);
  if (last === undefined || !isSameState(last.after, change.before)) return [...parts, change];
  return [...parts.slice(0, -1), { ...last, after: change.after }];
}

function isUndone([only, ...others]: readonly PathChange[]): boolean {
  return others.length === 0 && isSameState(only?.before, only?.after);
}

/** Returns the paths that differ between two snapshots, for callers that do not need line counts. */
export async function changedPaths(
  workspace: WorkspaceFiles,
  before: SnapshotId,
  after: SnapshotId,
): Promise<readonly string[]> {
  const changes = before === after ? [] : seenChanges(await workspace.compare(before, after));
  return changes.filter(isOfFiles).map(({ path }) => shownPath(path));
}

/**
 * Checks whether a change affects anything other than a folder. A folder changes whenever its contents change, and the
 * contents are listed separately.
 */
function isOfFiles({ before, after }: PathChange): boolean {
  return (after ?? before)?.kind !== "folder" || (before !== undefined && before.kind !== "folder");
}

async function describe(workspace: WorkspaceFiles, parts: readonly PathChange[]): Promise<ChangedFile> {
  const [first, last] = [parts[0], parts.at(-1)];
  const known = {
    path: shownPath(first?.path ?? ""),
    change: first?.before === undefined ? "created" : last?.after === undefined ? "deleted" : "changed",
  } as const;
  let [added, removed] = [0, 0];
  for (const part of parts) {
    const lines = await linesIn(workspace, part);
    if (lines === undefined) return known;
    added += lines.added;
    removed += lines.removed;
  }
  return { ...known, added, removed };
}

async function linesIn(
  workspace: WorkspaceFiles,
  { before, after }: PathChange,
): Promise<{ readonly added: number; readonly removed: number } | undefined> {
  const old = await textIn(workspace, before);
  const now = await textIn(workspace, after);
  if (old === undefined || now === undefined) return undefined;
  const parts = diffLines(old, now);
  const count = (of: "added" | "removed"): number =>
    parts.reduce((sum, part) => sum + (part[of] ? part.count : 0), 0);
  return { added: count("added"), removed: count("removed") };
}

/** Returns the text of the file, or undefined if it is not text, or too large to compare. */
async function textIn(workspace: WorkspaceFiles, state: PathChange["after"]): Promise<string | undefined> {
  if (state === undefined) return "";
  if (!isSmallFile(state)) return undefined;
  const bytes = await workspace.content(state.hash);
  return bytes.includes(0) ? undefined : Buffer.from(bytes).toString("utf8");
}

function isSmallFile(state: PathChange["after"]): state is FileContent {
  return state?.kind === "file" && state.size <= MAX_BYTES;
}

/**
 * Emits an event with the changes made by tools, and those made while commands ran, but with no other outside changes.
 * For files outside the snapshots, the list contains what tools reported.
 */
export async function emitChangedFiles(context: AgentContext): Promise<void> {
  const outside = context.outside.take();
  const { files, more } = await capturedChanges(context);
  if (files.length + outside.length > 0) context.emit({ type: "files", files: [...files, ...outside], more });
}

const NOTHING: ChangedFiles = { files: [], more: 0 };

async function capturedChanges(context: AgentContext): Promise<ChangedFiles> {
  const { session, captures, files } = context;
  await captures.settled();
  const { base } = captures;
  if (files === undefined || base === undefined) return NOTHING;
  try {
    const moments = await momentsSince(session, base.line, { has: (id) => files.has(id) });
    return await changedFiles(files, base.snapshot, moments);
  } catch (error) {
    // If the list cannot be created, the error is reported instead of thrown, because the turn's outcome must not
    // depend on the list.
    if (!isWorldlineError(error)) throw error;
    const { code, message, reason, params } = error;
    context.emit({ type: "warning", code, message, reason, params });
    return NOTHING;
  }
}

export interface TurnFiles {
  readonly files: readonly ChangedFile[];
  readonly more: number;
}

/**
 * Returns the files that a prompt's turn or a user's command changed, as they were listed when it ended. Returns
 * undefined if the turn or command is not on the branch, or if the files at that time are no longer known.
 */
export async function filesOfTurn(
  view: SessionView,
  files: WorkspaceFiles | undefined,
  start: EntryId,
): Promise<TurnFiles | undefined> {
  const walked = rowsOfTurn(view.outline, start);
  if (walked === undefined) return undefined;
  const rows = await beforeNextAsked(view, walked);
  const outside = await outsideIn(view, rows);
  const captured = files === undefined ? undefined : await capturedIn(view, files, rows);
  if (captured === undefined && outside.length === 0) return undefined;
  return { files: [...(captured?.files ?? []), ...outside], more: captured?.more ?? 0 };
}

async function outsideIn(view: SessionView, rows: readonly Row[]): Promise<ChangedFiles["files"]> {
  const changes = new OutsideChanges();
  const lines = rows.filter(({ kind }) => kind === "tool-end").map(({ seq }) => seq);
  for (const entry of await view.storedEntries(lines)) {
    if (entry.kind === "tool-end") changes.add(entry.outside ?? []);
  }
  return changes.take();
}

async function capturedIn(
  view: SessionView,
  files: WorkspaceFiles,
  rows: readonly Row[],
): Promise<ChangedFiles | undefined> {
  const [start, ...turn] = rows;
  const asked = start && (await askedAt(view, start));
  const checkpoint = asked && checkpointBefore(view.outline, asked);
  if (start === undefined || checkpoint === undefined) return undefined;
  const base = await saidOf(view, checkpoint);
  const to = await lastLine(view, turn);
  if (base?.snapshot === undefined || (to === undefined && start.kind !== "tool-start")) return undefined;
  if (!(await files.has(base.snapshot))) return undefined;
  const moments = await momentsSince(view, base.seq, { to: to ?? base.seq, has: (id) => files.has(id) });
  return changedFiles(files, base.snapshot, moments);
}

/** Cuts off the rows at a backtrack that repeats later prompts. Such a backtrack ends the turn that it returned to. */
async function beforeNextAsked(view: SessionView, rows: readonly Row[]): Promise<readonly Row[]> {
  const [, ...later] = rows;
  for (const row of later) {
    if (row.kind !== "backtrack") continue;
    const [entry] = await view.entries([row.seq]);
    if (entry?.kind === "backtrack" && entry.prompts.length > 0) return rows.slice(0, rows.indexOf(row));
  }
  return rows;
}

/**
 * Returns the prompt that a turn works on. If the turn started with a backtrack, the prompt is on the abandoned branch,
 * which may itself start with another backtrack.
 */
async function askedAt(view: SessionView, start: Row): Promise<Row | undefined> {
  const { outline } = view;
  let row: Row | undefined = start;
  while (row?.kind === "backtrack") {
    const [entry] = await view.entries([row.seq]);
    if (entry?.kind !== "backtrack") return undefined;
    row =
      entry.prompts.length === 0
        ? nearest(outline, outline.at(row.parent), isAsking)
        : nearest(outline, outline.byId(entry.from), isAsking);
  }
  return row;
}

function isAsking({ kind }: Row): boolean {
  return kind === "prompt" || kind === "backtrack";
}

/** Returns the number of the checkpoint before a prompt or command. There may be other lines in between. */
function checkpointBefore(outline: Outline, start: Row): number | undefined {
  let row = outline.at(start.parent);
  while (row !== undefined && isAboutPlace(row)) row = outline.at(row.parent);
  return row?.kind === "checkpoint" ? row.number : undefined;
}

/**
 * Returns the last line of the turn that records the files. The line is found by checkpoint number, because a journey
 * may have left a snapshot on the other branch.
 */
async function lastLine(view: SessionView, turn: readonly Row[]): Promise<number | undefined> {
  const end = turn.findIndex(({ kind }) => kind === "rewind" || kind === "redo");
  const rows = end === -1 ? turn : turn.slice(0, end);
  const between = rows.findLast(({ kind }) => kind === "interval")?.seq ?? 0;
  for (const { kind, number } of rows.toReversed()) {
    if (kind !== "step" && kind !== "checkpoint") continue;
    const said = await saidOf(view, number);
    // A manual checkpoint created after the turn contains later outside changes.
    const isOfTurn = kind === "step" || said?.author === "timeline";
    if (isOfTurn && said?.snapshot !== undefined) return Math.max(between, said.seq);
  }
  return between === 0 ? undefined : between;
}

/** Returns the last entry that records a checkpoint's files. */
async function saidOf(view: SessionView, checkpoint: number): Promise<EntryOf<"snapshot"> | undefined> {
  const { outline } = view;
  const line = outline.linesOf("snapshot").findLast((each) => outline.at(each)?.number === checkpoint);
  const [entry] = line === undefined ? [] : await view.entries([line]);
  return entry?.kind === "snapshot" ? entry : undefined;
}

/**
 * Returns the rows of a turn, starting with its prompt, backtrack or command. The rows must be on the current branch,
 * or on a branch that a backtrack or redo left and that is still on the screen. Otherwise, returns undefined.
 */
function rowsOfTurn(outline: Outline, start: EntryId): readonly Row[] | undefined {
  const first = outline.byId(start);
  if (first === undefined || !STARTS.has(first.kind)) return undefined;
  const rows = rowsFrom(outline, first);
  if (rows[0]?.seq !== first.seq) return undefined;
  // A turn that was cut off before a user's command may continue after the command.
  const isEnd = (row: Row): boolean =>
    isBehind(outline, row) || (first.kind === "tool-start" && row.kind === "step");
  const end = rows.findIndex((row, index) => index > 0 && isEnd(row));
  return end === -1 ? rows : rows.slice(0, end);
}

/** The kinds of entries that start a turn. A backtrack repeats the prompts of the branch that it left. */
const STARTS: ReadonlySet<string> = new Set(["prompt", "tool-start", "backtrack"]);

/**
 * Returns the rows from `first` on, at most up to the next prompt. If there was no journey after `first`, all later
 * lines are on the branch, and no other rows need to be read.
 */
function rowsFrom(outline: Outline, first: Row): readonly Row[] {
  const journeys = (["backtrack", "rewind", "redo"] as const).map(
    (kind) => outline.linesOf(kind).at(-1) ?? 0,
  );
  if (Math.max(...journeys) > first.seq) {
    return branchSince(
      outline,
      first.seq,
      isOnBranch(outline, first) ? outline.head : leftWith(outline, first),
    );
  }
  const rows = [first];
  for (let seq = first.seq + 1; seq <= outline.length; seq += 1) {
    const row = outline.at(seq);
    if (row !== undefined) rows.push(row);
    if (row?.kind === "prompt") break;
  }
  return rows;
}

/**
 * Returns the end of the branch that contains `row`, if a journey other than a rewind left that branch. The end is the
 * line before the journey.
 */
function leftWith(outline: Outline, row: Row): Row | undefined {
  const lines = (["backtrack", "rewind", "redo"] as const).flatMap((kind) =>
    outline.linesOf(kind).filter((line) => line > row.seq),
  );
  const journey = Math.min(...lines);
  return outline.kindAt(journey) === "rewind" ? undefined : outline.at(journey - 1);
}

/** Checks whether the next turn begins here: with another prompt, or with a user's command. */
function isBehind(outline: Outline, row: Row): boolean {
  if (row.kind === "prompt") return true;
  return (
    row.kind === "checkpoint" &&
    (promptOf(outline, row) !== undefined || commandOf(outline, row) !== undefined)
  );
}
