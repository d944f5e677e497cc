import { damageBeside } from "../../../app/sessions/choose-session.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { Damage } from "../../../ports/log-store.ts";
import { exportedHeader } from "../../../record/authority.ts";
import type { Entry, EntryKind } from "../../../record/entry.ts";
import type { Seq } from "../../../record/ids.ts";
import { branchOf } from "../../../timeline/branch.ts";
import { byPlace, damagePlaces, type PlacedDamage } from "./damage-places.ts";

/** One thing that `log` shows: an entry, or a place where one cannot be read. */
export type LogItem =
  | { readonly entry: Entry; readonly damage?: never }
  | { readonly entry?: never; readonly damage: Damage };

/** Read at once; a page is let go when it has been shown. */
const PAGE = 500;

export function linesOf(
  view: SessionView,
  wanted: { readonly branch: "here" | "all"; readonly kind: EntryKind | undefined },
): readonly Seq[] {
  const rows = wanted.branch === "here" ? branchOf(view.outline) : view.outline.rows();
  return rows.flatMap(({ kind, seq }) => (wanted.kind === undefined || wanted.kind === kind ? [seq] : []));
}

/** The entries of these lines, and the damage between them; "all" also has what is damaged before the first. */
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
