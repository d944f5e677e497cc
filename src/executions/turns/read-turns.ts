import type { SessionView } from "../../machine/view.ts";
import type { Entry, EntryOf } from "../../record/entry.ts";
import { type Seq, toCheckpointNumber } from "../../record/ids.ts";
import { branchSince } from "../../timeline/branch.ts";
import type { Row } from "../../timeline/row.ts";
import { isTold, rowsOfTurns, type TurnPlace } from "./turn-rows.ts";
import type { TurnMaterial } from "./turn-steps.ts";

/** "starts": of what tools gave back only how it begins, which is enough for a list. */
export type Depth = "whole" | "starts";

/** What is needed to tell these turns, read in one go; in their order. */
export async function readTurns(
  view: SessionView,
  places: readonly TurnPlace[],
  depth: Depth,
): Promise<readonly TurnMaterial[]> {
  if (places.length === 0) return [];
  const rows = rowsOfTurns(view.outline, places);
  const entries = await entriesOf(view, [...rows.values()].flat().filter(isTold), depth);
  const first = places.reduce(
    (least, { checkpoint }) => Math.min(least, checkpoint.seq),
    Number.POSITIVE_INFINITY,
  );
  const files = await filesSince(view, first);
  const here = new Set<number>(branchSince(view.outline, first).map(({ seq }) => seq));
  return places.map((place) => ({
    id: { session: view.id, number: toCheckpointNumber(place.checkpoint.number) },
    place,
    rows: rows.get(place) ?? [],
    entries,
    filesOf: (checkpoint) => files.get(checkpoint) ?? "none",
    isHere: ({ seq }) => here.has(seq),
  }));
}

async function entriesOf(
  view: SessionView,
  rows: readonly Row[],
  depth: Depth,
): Promise<ReadonlyMap<Seq, Entry>> {
  const lines = (wanted: (row: Row) => boolean): Seq[] =>
    rows
      .filter(wanted)
      .map(({ seq }) => seq)
      .sort((a, b) => a - b);
  const isShort = ({ kind }: Row): boolean => depth === "starts" && kind === "tool-end";
  const short = await view.storedEntries(lines(isShort));
  const whole = await view.entries(lines((row) => !isShort(row)));
  return new Map([...short, ...whole].map((entry) => [entry.seq, entry]));
}

/** The last word on the files of each checkpoint from line `first` on. */
async function filesSince(
  view: SessionView,
  first: number,
): Promise<ReadonlyMap<number, EntryOf<"snapshot">["state"]>> {
  const lines = view.outline.linesOf("snapshot");
  const from = lines.findLastIndex((line) => line < first) + 1;
  const entries = await view.storedEntries(lines.slice(from));
  return new Map(
    entries.flatMap((entry) =>
      entry.kind === "snapshot" ? [[entry.checkpoint as number, entry.state] as const] : [],
    ),
  );
}
