import { momentsSince } from "../../machine/files/intervals.ts";
import type { SessionView } from "../../machine/view.ts";
import type { ChangedFile } from "../../ports/agent-events.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { EntryOf } from "../../record/entry.ts";
import type { EntryId } from "../../record/ids.ts";
import { branchSince, isOnBranch, nearest } from "../../timeline/branch.ts";
import { commandOf, promptOf } from "../../timeline/checkpoints.ts";
import type { Outline } from "../../timeline/outline.ts";
import { isAboutPlace, type Row } from "../../timeline/row.ts";
import { type ChangedFiles, changedFiles, OutsideChanges } from "../turn/files/changed-files.ts";

export interface TurnFiles {
  readonly files: readonly ChangedFile[];
  readonly more: number;
}

/**
 * Which files the turn of a prompt, or a command of the person's, changed, as its end told them live. Undefined where it is not
 * on the branch of the head, or nobody knows any more how the files were.
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

/** A backtrack that says a later prompt again ends the turn that it landed in. */
async function beforeNextAsked(view: SessionView, rows: readonly Row[]): Promise<readonly Row[]> {
  const [, ...later] = rows;
  for (const row of later) {
    if (row.kind !== "backtrack") continue;
    const [entry] = await view.entries([row.seq]);
    if (entry?.kind === "backtrack" && entry.prompts.length > 0) return rows.slice(0, rows.indexOf(row));
  }
  return rows;
}

/** Where what a turn works on was said: for a backtrack, on the way that it left, which may have begun with another one. */
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

/** A prompt or a command stands behind its checkpoint, of which something may be said between the two. */
function checkpointBefore(outline: Outline, start: Row): number | undefined {
  let row = outline.at(start.parent);
  while (row !== undefined && isAboutPlace(row)) row = outline.at(row.parent);
  return row?.kind === "checkpoint" ? row.number : undefined;
}

/**
 * The last line of the turn that says how the files were. By the numbers of its places: a journey to one of them may have left
 * its snapshot on the other branch.
 */
async function lastLine(view: SessionView, turn: readonly Row[]): Promise<number | undefined> {
  const end = turn.findIndex(({ kind }) => kind === "rewind" || kind === "redo");
  const rows = end === -1 ? turn : turn.slice(0, end);
  const between = rows.findLast(({ kind }) => kind === "interval")?.seq ?? 0;
  for (const { kind, number } of rows.toReversed()) {
    if (kind !== "step" && kind !== "checkpoint") continue;
    const said = await saidOf(view, number);
    // A checkpoint that somebody saved behind the turn holds what others changed since.
    const isOfTurn = kind === "step" || said?.author === "timeline";
    if (isOfTurn && said?.snapshot !== undefined) return Math.max(between, said.seq);
  }
  return between === 0 ? undefined : between;
}

/** The last word on a checkpoint's files. */
async function saidOf(view: SessionView, checkpoint: number): Promise<EntryOf<"snapshot"> | undefined> {
  const { outline } = view;
  const line = outline.linesOf("snapshot").findLast((each) => outline.at(each)?.number === checkpoint);
  const [entry] = line === undefined ? [] : await view.entries([line]);
  return entry?.kind === "snapshot" ? entry : undefined;
}

/**
 * The rows of a prompt's turn, from its prompt or from a backtrack, or of a command of the person's, its start first: on the
 * branch of the head, or on the way that a backtrack or a redo left, which stays on the screen; undefined where it is on neither.
 */
function rowsOfTurn(outline: Outline, start: EntryId): readonly Row[] | undefined {
  const first = outline.byId(start);
  if (first === undefined || !STARTS.has(first.kind)) return undefined;
  const rows = rowsFrom(outline, first);
  if (rows[0]?.seq !== first.seq) return undefined;
  // A turn that was cut before a command may go on behind it.
  const isEnd = (row: Row): boolean =>
    isBehind(outline, row) || (first.kind === "tool-start" && row.kind === "step");
  const end = rows.findIndex((row, index) => index > 0 && isEnd(row));
  return end === -1 ? rows : rows.slice(0, end);
}

/** A backtrack says again what the person said on the way that was left. */
const STARTS: ReadonlySet<string> = new Set(["prompt", "tool-start", "backtrack"]);

/** Up to the next prompt at most. Without a journey since, all later lines are on the branch, and nothing else is walked over. */
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

/** The last line of the way that a journey left, with `row` on it: the head that a journey leaves is the line before it. */
function leftWith(outline: Outline, row: Row): Row | undefined {
  const lines = (["backtrack", "rewind", "redo"] as const).flatMap((kind) =>
    outline.linesOf(kind).filter((line) => line > row.seq),
  );
  const journey = Math.min(...lines);
  return outline.kindAt(journey) === "rewind" ? undefined : outline.at(journey - 1);
}

/** Whether what comes next begins here: another prompt, or a command of the person's. */
function isBehind(outline: Outline, row: Row): boolean {
  if (row.kind === "prompt") return true;
  return (
    row.kind === "checkpoint" &&
    (promptOf(outline, row) !== undefined || commandOf(outline, row) !== undefined)
  );
}
