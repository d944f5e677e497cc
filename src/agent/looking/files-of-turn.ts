import type { SessionView } from "../../machine/view.ts";
import type { TurnFiles } from "../../ports/station/looking.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { EntryOf } from "../../record/entry.ts";
import type { EntryId, SnapshotId } from "../../record/ids.ts";
import type { Outline } from "../../timeline/outline.ts";
import type { Row } from "../../timeline/row.ts";
import { type ChangedFiles, changedFiles } from "../turn/files/changed-files.ts";
import { OutsideChanges } from "../turn/files/outside-changes.ts";
import { rowsOfTurn } from "./rows-of-turn.ts";

/**
 * Which files the turn of a prompt, or a command of the person's, changed, as its end told them live. Undefined where it is not
 * on the branch of the head, or nobody knows any more how the files were.
 */
export async function filesOfTurn(
  view: SessionView,
  files: WorkspaceFiles | undefined,
  start: EntryId,
): Promise<TurnFiles | undefined> {
  const rows = rowsOfTurn(view.outline, start);
  if (rows === undefined) return undefined;
  const outside = await outsideIn(view, rows);
  const captured = files === undefined ? undefined : await capturedIn(view, files, rows);
  if (captured === undefined && outside.length === 0) return undefined;
  return { files: [...(captured?.files ?? []), ...outside], more: captured?.more ?? 0 };
}

const SAID_OF_PLACE: ReadonlySet<string> = new Set(["snapshot", "label", "title", "rotated"]);

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
  const checkpoint = start && checkpointBefore(view.outline, start);
  if (start === undefined || checkpoint === undefined) return undefined;
  const before = (await saidOf(view, checkpoint))?.snapshot;
  // Behind a command that changed nothing there is no checkpoint.
  const after = (await lastSnapshot(view, turn)) ?? (start.kind === "prompt" ? undefined : before);
  if (before === undefined || after === undefined) return undefined;
  if (!(await files.has(before)) || !(await files.has(after))) return undefined;
  return changedFiles(files, before, after);
}

/** A prompt or a command stands behind its checkpoint, of which something may be said between the two. */
function checkpointBefore(outline: Outline, start: Row): number | undefined {
  let row = outline.at(start.parent);
  while (row !== undefined && SAID_OF_PLACE.has(row.kind)) row = outline.at(row.parent);
  return row?.kind === "checkpoint" ? row.number : undefined;
}

/** By the numbers of its places: a journey to one of them may have left its snapshot on the other branch. */
async function lastSnapshot(view: SessionView, turn: readonly Row[]): Promise<SnapshotId | undefined> {
  for (const { kind, number } of turn.toReversed()) {
    if (kind !== "step" && kind !== "checkpoint") continue;
    const said = await saidOf(view, number);
    // A checkpoint that somebody saved behind the turn holds what others changed since.
    const isOfTurn = kind === "step" || said?.author === "timeline";
    if (isOfTurn && said?.snapshot !== undefined) return said.snapshot;
  }
  return undefined;
}

/** The last word on a checkpoint's files. */
async function saidOf(view: SessionView, checkpoint: number): Promise<EntryOf<"snapshot"> | undefined> {
  const { outline } = view;
  const line = outline.linesOf("snapshot").findLast((each) => outline.at(each)?.number === checkpoint);
  const [entry] = line === undefined ? [] : await view.entries([line]);
  return entry?.kind === "snapshot" ? entry : undefined;
}
