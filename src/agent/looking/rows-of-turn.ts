import type { EntryId } from "../../record/ids.ts";
import { branchSince, isOnBranch } from "../../timeline/branch.ts";
import { commandOf, promptOf } from "../../timeline/checkpoints.ts";
import type { Outline } from "../../timeline/outline.ts";
import type { Row } from "../../timeline/row.ts";

/**
 * The rows of a prompt's turn, from its prompt or from a backtrack, or of a command of the person's, its start first: on the
 * branch of the head, or on the way that a backtrack or a redo left, which stays on the screen; undefined where it is on neither.
 */
export function rowsOfTurn(outline: Outline, start: EntryId): readonly Row[] | undefined {
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
