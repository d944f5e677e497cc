import type { Entry } from "../../record/entry.ts";
import type { EntryId, Seq } from "../../record/ids.ts";
import { textOf } from "../../record/parts.ts";
import { findCheckpoint, promptOf } from "../../timeline/checkpoints.ts";
import { nearest, type Outline, rowsLeftBy } from "../../timeline/outline.ts";
import type { Row } from "../../timeline/row.ts";
import { leftBehind } from "../../timeline/stats.ts";
import type { SessionView } from "../view.ts";

export interface LeftBehind {
  readonly entries: number;
  readonly tokens: number;
  /** The first 200 characters of the prompt that the agent returned to. */
  readonly prompt?: string;
}

export const PROMPT_LENGTH = 200;

/** What a backtrack left behind, and the prompt that it returned to; undefined if the backtrack is not in the log. */
export async function leftBehindBy(view: SessionView, journey: EntryId): Promise<LeftBehind | undefined> {
  const row = view.outline.byId(journey);
  const [entry] = row === undefined ? [] : await view.storedEntries([row.seq]);
  if (entry?.kind !== "backtrack") return undefined;
  const prompt = await promptReturnedTo(view, entry.to);
  const start = prompt === undefined ? {} : { prompt: startOf(prompt, PROMPT_LENGTH) };
  return { ...leftBehind(view.outline, entry), ...start };
}

/** The text of the prompt whose turn contains the checkpoint; undefined if there is no such prompt. */
export async function promptReturnedTo(view: SessionView, to: number): Promise<string | undefined> {
  const place = findCheckpoint(view.outline, to);
  const isStep = place === undefined || place.kind === "step";
  const text = isStep ? await askedAt(view, place) : await askedAt(view, promptOf(view.outline, place));
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}

/** The user's last request at or before a place: a prompt, or a prompt that a backtrack repeats. */
export async function askedAt(view: SessionView, place: Row | undefined): Promise<string | undefined> {
  const { outline } = view;
  for (let row = nearest(outline, place, isAsking); row !== undefined; ) {
    const [entry] = await view.entries([row.seq]);
    if (entry?.kind === "prompt") return textOf(entry.parts);
    const carried = entry?.kind === "backtrack" ? entry.prompts.at(-1) : undefined;
    if (carried !== undefined) return textOf(carried);
    row = nearest(outline, outline.at(row.parent), isAsking);
  }
  return undefined;
}

function isAsking({ kind }: Row): boolean {
  return kind === "prompt" || kind === "backtrack";
}

/** Returns the beginning of the text without splitting a character. */
export function startOf(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length).join("")}…`;
}

/**
 * The entries that a journey left behind, oldest first, with their long strings included in full. Entries on the
 * current branch are not included, even if this journey once left them behind. Entries that an earlier journey on the
 * same branch had already left behind are not included either, because they are shown with that journey. Undefined if
 * the entries are not in the log, as in a fork.
 */
export async function leftPart(view: SessionView, journey: EntryId): Promise<readonly Entry[] | undefined> {
  const { outline } = view;
  const row = outline.byId(journey);
  const [entry] = row === undefined ? [] : await view.storedEntries([row.seq]);
  if (entry?.kind !== "backtrack" && entry?.kind !== "redo") return undefined;
  if (outline.byId(entry.from) === undefined) return undefined;
  const left = rowsLeftBy(outline, entry);
  const shown = new Set<number>();
  for (const before of await view.storedEntries(journeysBetween(outline, left[0], row))) {
    const leaves = before.kind === "backtrack" || (before.kind === "redo" && before.scope !== "files");
    if (leaves) for (const { seq } of rowsLeftBy(outline, before)) shown.add(seq);
  }
  return view.entries(left.map(({ seq }) => seq).filter((seq) => !shown.has(seq)));
}

/**
 * The journeys on the path to `journey`, oldest first, that are newer than the first entry that `journey` left behind.
 * Only these journeys may already have left some of those entries behind.
 */
function journeysBetween(outline: Outline, left: Row | undefined, journey: Row | undefined): Seq[] {
  const lines: Seq[] = [];
  if (left === undefined || journey === undefined) return lines;
  for (
    let row = outline.at(journey.parent);
    row !== undefined && row.seq > left.seq;
    row = outline.at(row.parent)
  ) {
    if (row.kind === "backtrack" || row.kind === "redo") lines.push(row.seq);
  }
  return lines.reverse();
}
