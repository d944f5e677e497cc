import { momentsSince } from "../../machine/files/intervals.ts";
import type { SessionView } from "../../machine/view.ts";
import type { ChangedFile } from "../../ports/agent-events.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { EntryOf } from "../../record/entry.ts";
import type { EntryId } from "../../record/ids.ts";
import { nearest } from "../../timeline/branch.ts";
import type { Outline } from "../../timeline/outline.ts";
import { isAboutPlace, type Row } from "../../timeline/row.ts";
import { type ChangedFiles, changedFiles } from "../turn/files/changed-files.ts";
import { OutsideChanges } from "../turn/files/outside-changes.ts";
import { rowsOfTurn } from "./rows-of-turn.ts";

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
