import { expect } from "vitest";
import type { SessionView } from "../../src/machine/view.ts";
import type { Entry, EntryOf } from "../../src/record/entry.ts";
import type { EntryId } from "../../src/record/ids.ts";
import { textOf } from "../../src/record/parts.ts";
import { contextOf, lastCompaction, shownLines } from "../../src/timeline/context/context.ts";
import { branchOf } from "../../src/timeline/outline.ts";
import type { Row } from "../../src/timeline/row.ts";
import { redoableCount } from "../../src/travel/redo.ts";
import type { Model, Thing } from "./model.ts";
import { render } from "./render.ts";

/** A former head of the session, with everything about it that must never change. */
export interface Head {
  readonly id: EntryId;
  readonly branch: readonly EntryId[];
  readonly context: string;
}

export async function headOf(view: SessionView, row: Row | undefined): Promise<Head> {
  if (row === undefined) throw new Error("there is no such head");
  const branch = branchOf(view.outline, row).map((one) => one.id);
  return { id: row.id, branch, context: JSON.stringify(await contextAt(view, row)) };
}

/** The context at any entry, for heads that are not checkpoints. */
async function contextAt(view: SessionView, head: Row): Promise<ReturnType<typeof contextOf>> {
  const row = lastCompaction(view.outline, head);
  const [compaction] = row === undefined ? [] : await view.entries([row.seq]);
  const found = compaction as EntryOf<"compaction"> | undefined;
  const lines = shownLines(view.outline, head, found);
  const [pinned, entries] = [await view.entries(lines.pinned), await view.entries(lines.entries)];
  return contextOf({
    session: view.header,
    ...(found === undefined ? {} : { compaction: found }),
    pinned,
    entries,
  });
}

/** The branch without the lines that begin a file, which only concern the writer. */
export async function toldHistory(view: SessionView): Promise<readonly Entry[]> {
  return (await view.history()).filter((entry) => entry.kind !== "rotated");
}

/**
 * Checks that the session matches the model in branch, context and numbers, and that its log is consistent.
 */
export async function expectSame(view: SessionView, model: Model): Promise<void> {
  const history = await toldHistory(view);
  expect(history.map(wordsOf)).toEqual(model.branch.map(wordsOfThing));
  const context = await view.context();
  expect(context.messages).toEqual(render(model, view.header.tag));
  expect(context.breakpoints.every((at) => at >= 0 && at < context.messages.length)).toBe(true);
  const journeys = (await view.journeys()).map(({ entry }) => entry);
  expect(redoableCount(view.outline, journeys)).toBe(model.ahead.length);
  expectWhole(view);
}

/** Checks that lines have no gaps, parents precede their children, and checkpoint numbers only grow. */
export function expectWhole(view: SessionView): void {
  const rows = view.outline.rows();
  expect(rows.map((row) => row.seq)).toEqual(rows.map((_, index) => index + 1));
  expect(rows.every((row) => row.parent < row.seq && (row.parent > 0 || row.seq === 1))).toBe(true);
  const numbers = rows
    .filter((row) => row.kind === "checkpoint" || row.kind === "step")
    .map((row) => row.number);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  expect(view.outline.oddities).toEqual([]);
}

function wordsOf(entry: Entry): string {
  switch (entry.kind) {
    case "checkpoint":
    case "step":
      return `${entry.kind} ${entry.number}`;
    case "prompt":
      return `prompt ${textOf(entry.parts)}`;
    case "notice":
      return `notice ${entry.text}`;
    case "reply":
      return `reply ${textOf(entry.parts)} ${entry.parts.flatMap((part) => (part.type === "tool-call" ? part.call : [])).join()}`;
    case "tool-start":
      return `tool-start ${entry.call}`;
    case "tool-end":
      return `tool-end ${entry.call} ${entry.outcome} ${textOf(entry.parts)}`;
    case "rewind":
      return `rewind ${entry.to}`;
    case "redo":
      return `redo ${entry.revokes}`;
    case "backtrack":
      return `backtrack ${entry.to} ${entry.note} ${entry.times}`;
    case "compaction":
      return `compaction ${entry.summary}`;
    default:
      return entry.kind;
  }
}

function wordsOfThing(thing: Thing): string {
  switch (thing.kind) {
    case "checkpoint":
    case "step":
      return `${thing.kind} ${thing.number}`;
    case "prompt":
    case "notice":
      return `${thing.kind} ${thing.text}`;
    case "reply":
      return `reply ${thing.text} ${thing.calls.join()}`;
    case "tool-start":
      return `tool-start ${thing.call}`;
    case "tool-end":
      return `tool-end ${thing.call} ${thing.outcome} ${thing.text}`;
    case "rewind":
      return `rewind ${thing.to}`;
    case "redo":
      return `redo ${thing.revokes}`;
    case "backtrack":
      return `backtrack ${thing.to} ${thing.note} ${thing.times}`;
    case "compaction":
      return `compaction ${thing.summary}`;
    default:
      return thing.kind;
  }
}
