import type { SessionView } from "../../machine/view.ts";
import type { Entry } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import type { EntryId } from "../../record/ids.ts";
import { commandOf } from "../../timeline/checkpoints.ts";
import type { Outline } from "../../timeline/outline.ts";
import { branchSince, isOnBranch, nearest, wayLeft } from "../../timeline/outline.ts";
import { isCheckpoint, isJourney, type Row } from "../../timeline/row.ts";

/** Maximum number of entries, counted from the beginning. A turn that ran for hours is not shown in full. */
const MOST = 1_000;

/**
 * Returns the entries for a place in the tree: for a prompt, its turn; for the end of another branch, the whole branch;
 * for any other row, its step.
 */
export async function placeEntries(view: SessionView, wanted: EntryId): Promise<readonly Entry[]> {
  const row = view.outline.byId(wanted);
  if (row === undefined) {
    throw new WorldlineError("no-entry-of-id", { entry: wanted });
  }
  const rows = rowsOf(view.outline, row).slice(0, MOST);
  return view.entries(rows.map(({ seq }) => seq));
}

function rowsOf(outline: Outline, row: Row): readonly Row[] {
  if (row.kind === "session") return [row];
  if (!isPlace(outline, row) && !isOnBranch(outline, row)) return wayTo(outline, row);
  const start = startOf(outline, row);
  const rows = branchThrough(outline, start, row);
  const begins = isTurn(row, rows) ? isOtherTurn : isCheckpoint;
  const end = rows.findIndex((each, index) => index > 0 && begins(each));
  return end === -1 ? rows : rows.slice(0, end);
}

function isPlace(outline: Outline, row: Row): boolean {
  if (row.kind === "prompt" || row.kind === "compaction" || isJourney(row.kind)) return true;
  const checkpoint = nearest(outline, row, isCheckpoint);
  if (checkpoint === undefined) return false;
  return checkpoint.seq === row.seq || commandOf(outline, checkpoint)?.seq === row.seq;
}

/**
 * Returns the rows of another branch. They start after the point where the branch split from the head's branch, or at
 * the beginning of the branch's last turn if that is later.
 */
function wayTo(outline: Outline, tip: Row): readonly Row[] {
  const way = wayLeft(outline, tip, outline.head);
  const prompt = way.findIndex(({ kind }) => kind === "prompt");
  return way.slice(0, prompt === -1 ? way.length : prompt + 1).reverse();
}

function isTurn({ kind }: Row, [, ...behind]: readonly Row[]): boolean {
  return kind === "prompt" || (kind === "checkpoint" && behind.find(isWorth)?.kind === "prompt");
}

/**
 * Returns the row where the place begins: for a prompt, its checkpoint; for a journey or a compaction, the row itself.
 */
function startOf(outline: Outline, row: Row): Row {
  if (isJourney(row.kind) || row.kind === "compaction") return row;
  return nearest(outline, row, isCheckpoint) ?? row;
}

/** Checks whether an entry is part of the conversation. Other entries, such as labels, do not begin a turn. */
function isWorth({ kind }: Row): boolean {
  return !BESIDE.has(kind);
}

const BESIDE: ReadonlySet<string> = new Set(["snapshot", "interval", "label", "title", "host"]);

function isOtherTurn({ kind }: Row): boolean {
  return kind === "checkpoint";
}

/**
 * Returns the rows from `start` to the end of a branch that contains `row`. The head's branch is preferred, and then
 * the branch that was last written to.
 */
function branchThrough(outline: Outline, start: Row, row: Row): readonly Row[] {
  const tip = isOnBranch(outline, row) ? outline.head : lastBelow(outline, row);
  return branchSince(outline, start.seq, tip);
}

function lastBelow(outline: Outline, start: Row): Row {
  const below = new Set<number>([start.seq]);
  let last = start;
  for (let line = start.seq + 1; line <= outline.length; line += 1) {
    const row = outline.at(line);
    if (row === undefined || !below.has(row.parent)) continue;
    below.add(line);
    last = row;
  }
  return last;
}
