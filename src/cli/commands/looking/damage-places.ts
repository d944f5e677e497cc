import type { SessionView } from "../../../machine/view.ts";
import type { Damage } from "../../../ports/log-store.ts";

export interface PlacedDamage {
  readonly damage: Damage;
  /** The entry, by its line in the whole log, that it stands before. */
  readonly before: number;
}

const AT_THE_END = Number.POSITIVE_INFINITY;

/**
 * Where in the session each damage stands. A damage knows its line in its file; the session counts lines
 * over all files, with those that are missing and without those that stand there twice.
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
