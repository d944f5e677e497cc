import { damageBeside, requireSession } from "../../app/sessions/find-session.ts";
import { openStore } from "../../app/sessions/store.ts";
import { shortened } from "../../app/text-width.ts";
import { programSteps } from "../../machine/checkpoint-list.ts";
import type { SessionView } from "../../machine/view.ts";
import type { Damage } from "../../ports/log-store.ts";
import { exportedHeader } from "../../record/authority.ts";
import type { Entry, EntryKind } from "../../record/entry.ts";
import type { Seq } from "../../record/ids.ts";
import { shapes } from "../../record/shape.ts";
import { oneLine } from "../../record/visible-text.ts";
import { entryText, type TextNeeds } from "../../show/entry-text.ts";
import { damageText } from "../../show/session-text.ts";
import { glyphsFor } from "../../show/style.ts";
import { clockTime, dateOf } from "../../strings/clock.ts";
import { branchOf } from "../../timeline/outline.ts";
import { choice, defineCommand, flag, whole } from "../command.ts";
import { shellWording } from "../command-again.ts";
import type { Frame } from "../frame.ts";
import { columnsOf } from "../output.ts";

const DEFAULT_LIMIT = 50;
const kinds = Object.keys(shapes) as EntryKind[];

export const log = defineCommand({
  help: (help) => help.log,
  options: {
    branch: flag(),
    kind: choice(kinds),
    limit: whole("<n>"),
    full: flag(),
  },
  run: async ({ options, frame }) => {
    const view = await requireSession(frame, openStore(frame));
    const lines = linesOf(view, { branch: options.branch ? "here" : "all", kind: options.kind });
    const limit = options.limit ?? (frame.output.mode === "json" ? 0 : DEFAULT_LIMIT);
    const shown = limit === 0 ? lines : lines.slice(-limit);
    const earlier = lines.length - shown.length;
    const items = itemsOf(view, shown, earlier === 0 ? "all" : "these");
    if (frame.output.mode === "json") return answerData(frame, view, { items, earlier });
    const steps = await programSteps(view);
    const text = itemText({ frame, view, steps, length: options.full ? "full" : "line" });
    return answerText(frame, text, { items, earlier });
  },
});

interface Shown {
  readonly items: AsyncIterable<LogItem>;
  readonly earlier: number;
}

async function answerData({ output }: Frame, view: SessionView, { items, earlier }: Shown): Promise<void> {
  const entries: Entry[] = [];
  for await (const { entry } of items) if (entry !== undefined) entries.push(entry);
  output.answer({ session: view.id, earlier, entries, damage: view.damage }, () => "");
}

async function answerText(
  { common, output, strings }: Frame,
  text: (item: LogItem) => string[],
  { items, earlier }: Shown,
): Promise<void> {
  const printed = earlier === 0 ? [] : [strings.looking.earlier(earlier, shellWording(common).command)];
  for await (const item of items) printed.push(...text(item));
  output.answer({}, () => (printed.length === 0 ? strings.looking.noEntries : printed.join("\n")));
}

interface LogTextNeeds {
  readonly frame: Frame;
  readonly view: SessionView;
  readonly length: "line" | "full";
  readonly steps: NonNullable<TextNeeds["steps"]>;
}

const KIND_WIDTH = 10;
const LINE_LENGTH = 120;

/** Formats the items of one session; on a terminal, lines are cut to its width. */
export function itemText({ frame, view, length, steps }: LogTextNeeds): (item: LogItem) => string[] {
  const { style } = frame.output;
  const glyphs = glyphsFor(frame.surroundings.environment);
  const here = new Set(branchOf(view.outline).map((row) => row.seq));
  const lineWidth = Math.max(4, String(view.outline.length).length);
  const needs = { outline: view.outline, steps, strings: frame.strings };

  const entryLines = (entry: Entry): string[] => {
    const isHere = here.has(entry.seq);
    const at = Date.parse(entry.at);
    const place = `${String(entry.seq).padStart(lineWidth)} ${isHere ? glyphs.here : glyphs.left}`;
    const start = `${place} ${dateOf(at)} ${clockTime(at)} ${entry.kind.padEnd(KIND_WIDTH)} `;
    const text = entryText(entry, needs);
    const paint = (line: string) => (isHere ? line : style.dim(line));
    if (length === "full")
      return [start.trimEnd(), ...text.split("\n").map((line) => `     ${line}`)].map(paint);
    const room = Math.min(LINE_LENGTH, columnsOf(frame.surroundings.stdout) - start.length);
    return [paint(`${start}${shortened(oneLine(text), room, glyphs.ellipsis)}`.trimEnd())];
  };
  const damageLine = (damage: Damage): string =>
    style.red(`${" ".repeat(lineWidth)} ${glyphs.no} ${damageText(damage, frame.strings)}`);
  return (item) => (item.entry === undefined ? [damageLine(item.damage)] : entryLines(item.entry));
}

/** One item of the log: an entry, or a place where an entry cannot be read. */
export type LogItem =
  | { readonly entry: Entry; readonly damage?: never }
  | { readonly entry?: never; readonly damage: Damage };

/** How many entries are read at once. A page is released when it has been printed. */
const PAGE = 500;

export function linesOf(
  view: SessionView,
  wanted: { readonly branch: "here" | "all"; readonly kind: EntryKind | undefined },
): readonly Seq[] {
  const rows = wanted.branch === "here" ? branchOf(view.outline) : view.outline.rows();
  return rows.flatMap(({ kind, seq }) => (wanted.kind === undefined || wanted.kind === kind ? [seq] : []));
}

/** The entries of these lines with the damage between them. With "all", damage before the first line is included. */
export async function* itemsOf(
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
      // Reading these entries has revealed further damage.
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

export interface PlacedDamage {
  readonly damage: Damage;
  /** The line number, in the whole log, of the entry after the damage. */
  readonly before: number;
}

const AT_THE_END = Number.POSITIVE_INFINITY;

/**
 * Computes the position of each damage in the session. A damage has the line number in its file, whereas the session
 * numbers the lines of all files together, with missing lines and without repeated ones.
 */
export async function damagePlaces(view: SessionView): Promise<PlacedDamage[]> {
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

export function byPlace(a: PlacedDamage, b: PlacedDamage): number {
  return a.before === b.before ? 0 : a.before - b.before;
}

/** How a damage shifts the session's numbers of the lines after it, relative to those in the file. */
function shiftOf({ what }: Damage, line: number, view: SessionView): number {
  if (what === "repeated") return -1;
  if (what === "line") return view.isGap(line) ? 0 : -1;
  if (what !== "missing") return 0;
  let missing = 0;
  while (view.isGap(line + missing)) missing += 1;
  return missing;
}

/**
 * The session's number of the first line of a file. Every file but the oldest begins with an entry that contains this
 * number.
 */
async function firstLinesOf(view: SessionView): Promise<(file: string) => number | undefined> {
  const begun = new Map((await view.entriesOf("rotated")).map((entry) => [entry.file, entry.seq as number]));
  const newest = Math.max(1, ...begun.keys());
  return (file) => {
    const number = Number(/\.(\d+)$/u.exec(file)?.[1] ?? newest);
    return number === 1 ? 1 : begun.get(number);
  };
}
