import type { SessionView } from "../../machine/view.ts";
import type { Damage } from "../../ports/log-store.ts";
import { exportedHeader } from "../../record/authority.ts";
import type { Entry, EntryKind } from "../../record/entry.ts";
import type { Seq } from "../../record/ids.ts";
import { branchOf } from "../../timeline/outline.ts";
import { damageBeside } from "../sessions/find-session.ts";

/** One thing that `log` shows: an entry, or a place where one cannot be read. */
export type LogItem =
  | { readonly entry: Entry; readonly damage?: never }
  | { readonly entry?: never; readonly damage: Damage };

/** Read at once; a page is released when it has been shown. */
const PAGE = 500;

export interface LogPart {
  /** Oldest first. Read page by page, as they are asked for. */
  readonly items: AsyncIterable<LogItem>;
  /** How many entries there are before them. */
  readonly earlier: number;
}

interface LogRequest {
  readonly branch: "here" | "all";
  readonly kind: EntryKind | undefined;
  /** At most so many entries, the newest; 0 for all. */
  readonly limit: number;
}

/** The entries of a session, and where there are some that cannot be read. */
export function logOf(view: SessionView, { branch, kind, limit }: LogRequest): LogPart {
  const rows = branch === "here" ? branchOf(view.outline) : view.outline.rows();
  const lines = rows.flatMap((row) => (kind === undefined || kind === row.kind ? [row.seq] : []));
  const shown = limit === 0 ? lines : lines.slice(-limit);
  const earlier = lines.length - shown.length;
  return { items: itemsOf(view, shown, earlier === 0 ? "all" : "these"), earlier };
}

/** The entries of these lines, and the damage between them; "all" also has what is damaged before the first. */
async function* itemsOf(
  view: SessionView,
  lines: readonly Seq[],
  damaged: "all" | "these",
): AsyncGenerator<LogItem> {
  const from = damaged === "all" ? 0 : (lines[0] ?? 0);
  let known = view.damage;
  let waiting = (await damagePlaces(view)).filter(({ before }) => before >= from);
  for (let start = 0; start < lines.length; start += PAGE) {
    const entries = await view.entries(lines.slice(start, start + PAGE));
    if (view.damage !== known) {
      // Reading these brought more of it to light.
      const found = new Set(damageBeside(view.damage, known));
      const placed = (await damagePlaces(view)).filter(({ damage }) => found.has(damage));
      waiting = [...waiting, ...placed.filter(({ before }) => before >= from)].sort(byPlace);
      known = view.damage;
    }
    for (const entry of entries) {
      yield* taken(waiting, entry.seq);
      yield { entry: entry.kind === "session" ? exportedHeader(entry) : entry };
    }
  }
  yield* taken(waiting, Number.POSITIVE_INFINITY);
}

function* taken(waiting: PlacedDamage[], before: number): Generator<LogItem> {
  for (let [next] = waiting; next !== undefined && next.before <= before; [next] = waiting) {
    waiting.shift();
    yield { damage: next.damage };
  }
}

interface PlacedDamage {
  readonly damage: Damage;
  /** The line in the whole log of the entry that comes after it. */
  readonly before: number;
}

const AT_THE_END = Number.POSITIVE_INFINITY;

/**
 * Where in the session each damage is. A damage knows its line in its file; the session counts lines
 * over all files, with those that are missing and without repeated ones.
 */
async function damagePlaces(view: SessionView): Promise<PlacedDamage[]> {
  if (view.damage.length === 0) return [];
  const firstLines = await firstLinesOf(view);
  const shifts = new Map<string, number>();
  const placed = view.damage.map((damage) => {
    const shift = shifts.get(damage.file) ?? 0;
    const first = firstLines(damage.file);
    if (damage.line === 0 || first === undefined || damage.what === "torn-tail")
      return { damage, before: AT_THE_END };
    const before = first + damage.line - 1 + shift;
    shifts.set(damage.file, shift + shiftOf(damage, before, view));
    return { damage, before };
  });
  return placed.sort(byPlace);
}

function byPlace(a: PlacedDamage, b: PlacedDamage): number {
  return a.before === b.before ? 0 : a.before - b.before;
}

/** By how much a damage moves the lines after it, in the session's count against the file's. */
function shiftOf({ what }: Damage, line: number, view: SessionView): number {
  if (what === "repeated") return -1;
  if (what === "line") return view.isGap(line) ? 0 : -1;
  if (what !== "missing") return 0;
  let missing = 0;
  while (view.isGap(line + missing)) missing += 1;
  return missing;
}

/** The first line of a file, in the session's count; each but the oldest begins with an entry that says so. */
async function firstLinesOf(view: SessionView): Promise<(file: string) => number | undefined> {
  const begun = new Map((await view.entriesOf("rotated")).map((entry) => [entry.file, entry.seq as number]));
  const newest = Math.max(1, ...begun.keys());
  return (file) => {
    const number = Number(/\.(\d+)$/u.exec(file)?.[1] ?? newest);
    return number === 1 ? 1 : begun.get(number);
  };
}
