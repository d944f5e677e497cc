import type { SessionView } from "../../../machine/view.ts";
import type { Entry, EntryOf } from "../../../record/entry.ts";
import { branchSince, nearest } from "../../../timeline/branch.ts";
import { contextOf, type Shown } from "../../../timeline/context/context.ts";
import type { ContextMessage } from "../../../timeline/context/message.ts";
import { shownLines } from "../../../timeline/context/shown.ts";
import { isPersonCall } from "../../../timeline/person-command.ts";
import type { Row } from "../../../timeline/row.ts";
import type { HostPlace } from "./host-places.ts";

/** What our own agent's model would see of the branch behind `place`, or of all of it, as messages. */
export async function messagesBehind(
  view: SessionView,
  place: HostPlace | undefined,
): Promise<readonly ContextMessage[]> {
  if (place === undefined) return contextOf(await view.shownAt()).messages;
  const rows = branchSince(view.outline, place.seq + 1);
  if (!rows.some(({ kind }) => TOLD.has(kind))) return [];
  const shown = await shownBehind(view, place, rows);
  const { messages } = contextOf(await withLateCalls(view, place, shown));
  return shown.summary === "known" ? withoutSummary(messages) : messages;
}

/** Nothing else is told to a model. */
const TOLD: ReadonlySet<string> = new Set([
  "prompt",
  "step",
  "reply",
  "tool-end",
  "notice",
  "backtrack",
  "redo",
  "interrupt",
  "compaction",
]);

interface ShownBehind extends Shown {
  /** "known": all that the summary stands for lies before the place. */
  readonly summary: "shown" | "known";
}

async function shownBehind(view: SessionView, place: HostPlace, rows: readonly Row[]): Promise<ShownBehind> {
  const { outline, header: session } = view;
  const compaction = await lastCompactionIn(view, rows);
  const firstKept = compaction === undefined ? undefined : outline.byId(compaction.firstKept);
  if (compaction === undefined || (firstKept !== undefined && firstKept.seq <= place.seq)) {
    const entries = await view.entries(rows.map(({ seq }) => seq));
    const summary = compaction === undefined ? "shown" : "known";
    return { session, ...(compaction === undefined ? {} : { compaction }), pinned: [], entries, summary };
  }
  const lines = shownLines(outline, outline.head, compaction);
  const isBehind = (line: number): boolean => line > place.seq;
  return {
    session,
    compaction,
    pinned: await view.entries(lines.pinned.filter(isBehind)),
    entries: await view.entries(lines.entries.filter(isBehind)),
    summary: "shown",
  };
}

/** The last one that can be read. */
async function lastCompactionIn(
  view: SessionView,
  rows: readonly Row[],
): Promise<EntryOf<"compaction"> | undefined> {
  for (const { seq } of rows.filter(({ kind }) => kind === "compaction").reverse()) {
    const [entry] = await view.entries([seq]);
    if (entry?.kind === "compaction") return entry;
  }
  return undefined;
}

/** A result that came behind the place, to a call before it, is told with that call: alone it would be passed over. */
async function withLateCalls(view: SessionView, place: HostPlace, shown: Shown): Promise<Shown> {
  const late = lateCalls(shown.entries);
  if (late.size === 0) return shown;
  const row = nearest(view.outline, view.outline.at(place.seq), ({ kind }) => kind === "reply");
  const [reply] = row === undefined ? [] : await view.entries([row.seq]);
  if (reply?.kind !== "reply") return shown;
  const parts = reply.parts.filter((part) => part.type === "tool-call" && late.has(part.call));
  return { ...shown, entries: [{ ...reply, parts }, ...shown.entries] };
}

/** What was not answered when the model was called next stays unanswered. */
function lateCalls(entries: readonly Entry[]): ReadonlySet<string> {
  const late = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === "step" || entry.kind === "reply") break;
    if (entry.kind === "tool-end" && !isPersonCall(entry.call)) late.add(entry.call);
  }
  return late;
}

/** The summary is the first part of the first message; a marker may follow it there. */
function withoutSummary([first, ...rest]: readonly ContextMessage[]): readonly ContextMessage[] {
  if (first?.role !== "user") return rest;
  const parts = first.parts.slice(1);
  return parts.length === 0 ? rest : [{ ...first, parts }, ...rest];
}
