import { type NamedStep, programSteps } from "../../machine/checkpoint-list.ts";
import type { SessionView } from "../../machine/view.ts";
import type { Damage } from "../../ports/log-store.ts";
import { exportedHeader } from "../../record/authority.ts";
import type { Entry, EntryKind } from "../../record/entry.ts";
import type { Seq } from "../../record/ids.ts";
import { branchOf } from "../../timeline/outline.ts";
import type { AppContext } from "../context.ts";
import { damageBeside, requireSession } from "../sessions/find-session.ts";
import { openStore } from "../sessions/store.ts";

/** An item that `log` shows: an entry, or damage that makes an entry unreadable. */
export type LogItem =
  | { readonly entry: Entry; readonly damage?: never }
  | { readonly entry?: never; readonly damage: Damage };

/**
 * Number of entries that are read at a time. A page is released after it has been shown, so that memory use stays
 * bounded.
 */
const PAGE = 500;

export interface LogPart {
  /** The items, oldest first. Pages are read while the caller iterates. */
  readonly items: AsyncIterable<LogItem>;
  /** Number of entries before the first item. */
  readonly earlier: number;
}

interface LogRequest {
  readonly branch: "here" | "all";
  readonly kind: EntryKind | undefined;
  /** Maximum number of entries. If there are more, only the newest ones are shown. 0 shows all entries. */
  readonly limit: number;
}

/** The log of the session that a command works on. */
export interface SessionLog extends LogPart {
  readonly view: SessionView;
  /** A program's steps, by their log lines; empty if the session is not an execution. */
  readonly steps: ReadonlyMap<Seq, NamedStep>;
}

export async function sessionLog(context: AppContext, request: LogRequest): Promise<SessionLog> {
  const view = await requireSession(context, openStore(context));
  return { view, steps: await programSteps(view), ...logOf(view, request) };
}

/** Returns a session's entries and the damage between them. */
export function logOf(view: SessionView, { branch, kind, limit }: LogRequest): LogPart {
  const rows = branch === "here" ? branchOf(view.outline) : view.outline.rows();
  const lines = rows.flatMap((row) => (kind === undefined || kind === row.kind ? [row.seq] : []));
  // For a limit of 0, this keeps all lines, because -0 is 0.
  const shown = lines.slice(-limit);
  const earlier = lines.length - shown.length;
  return { items: itemsOf(view, shown, earlier === 0 ? "all" : "these"), earlier };
}

/** Yields the entries on these lines and the damage between them. "all" includes the damage before the first line. */
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
      // Reading this page may have revealed more damage.
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
  /** The number of the line after the damage, counted in the whole log. */
  readonly before: number;
}

const AT_THE_END = Number.POSITIVE_INFINITY;

/**
 * Locates each damaged part of the session. `Damage` numbers the lines of each file separately. The session numbers the
 * lines of all its files together, and counts missing lines but not repeated ones.
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
  return a.before - b.before;
}

/**
 * Line numbers in the session differ from line numbers in the file. Returns how much the damage adds to this difference
 * for the lines after it.
 */
function shiftOf({ what }: Damage, line: number, view: SessionView): number {
  if (what === "repeated") return -1;
  if (what === "line") return view.isGap(line) ? 0 : -1;
  if (what !== "missing") return 0;
  let missing = 0;
  while (view.isGap(line + missing)) missing += 1;
  return missing;
}

/**
 * Returns a function that finds the number of a file's first line in the session. Every file except the oldest begins
 * with a `rotated` entry, which names the file.
 */
async function firstLinesOf(view: SessionView): Promise<(file: string) => number | undefined> {
  const begun = new Map((await view.entriesOf("rotated")).map((entry) => [entry.file, entry.seq as number]));
  const newest = Math.max(1, ...begun.keys());
  return (file) => {
    const number = Number(/\.(\d+)$/u.exec(file)?.[1] ?? newest);
    return number === 1 ? 1 : begun.get(number);
  };
}
