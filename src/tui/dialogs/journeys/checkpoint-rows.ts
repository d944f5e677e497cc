import type { CheckpointRow, PlaceOfRow } from "../../../app/journeys/journey-types.ts";
import type { ListRow } from "../pieces/list.ts";
import { matches } from "../pieces/list.ts";

/** A row of the list of checkpoints: where one is now, a checkpoint, or a heading, of those of other sessions first of all. */
export interface ShownCheckpoint extends ListRow {
  readonly heading?: string;
  readonly row?: CheckpointRow;
  /** How many steps it unfolds to. */
  readonly steps: number;
  readonly depth: 0 | 1;
}

export interface Shown {
  readonly filter: string;
  readonly unfolded: ReadonlySet<string>;
  /** What the filter looks at. */
  readonly words: (row: CheckpointRow) => string;
  /** What stands above those that are not of this session. */
  readonly headings: Readonly<Record<Exclude<CheckpointRow["place"], "here">, string>>;
}

export function keyOf({ session, number }: PlaceOfRow): string {
  return `${session}:${number}`;
}

/** Steps stand below the prompt that they belong to, and only where it is unfolded; a filter finds them all the same. */
export function shownCheckpoints(rows: readonly CheckpointRow[], shown: Shown): ShownCheckpoint[] {
  const found = shown.filter === "" ? unfoldedRows(rows, shown) : filteredRows(rows, shown);
  const lines: ShownCheckpoint[] = shown.filter === "" ? [{ number: 0, steps: 0, depth: 0 }] : [];
  let place: CheckpointRow["place"] = "here";
  for (const [index, one] of found.entries()) {
    if (one.row.place !== place && one.row.place !== "here")
      lines.push(heading(shown.headings[one.row.place]));
    place = one.row.place;
    lines.push({ ...one, number: index + 1 });
  }
  return lines;
}

export function heading(text: string): ShownCheckpoint {
  return { heading: text, steps: 0, depth: 0 };
}

interface Found extends ShownCheckpoint {
  readonly row: CheckpointRow;
}

function filteredRows(rows: readonly CheckpointRow[], { filter, words }: Shown): Found[] {
  return rows.filter((row) => matches(words(row), filter)).map((row) => ({ row, steps: 0, depth: 0 }));
}

function unfoldedRows(rows: readonly CheckpointRow[], { unfolded }: Shown): Found[] {
  const { owned, byOwner } = stepsByOwner(rows);
  return rows
    .filter((row) => !owned.has(keyOf(row)))
    .flatMap((row): Found[] => {
      const steps = byOwner.get(keyOf(row)) ?? [];
      const below = unfolded.has(keyOf(row)) ? steps : [];
      return [
        { row, steps: steps.length, depth: 0 },
        ...below.map((step): Found => ({ row: step, steps: 0, depth: 1 })),
      ];
    });
}

interface Steps {
  readonly byOwner: ReadonlyMap<string, readonly CheckpointRow[]>;
  readonly owned: ReadonlySet<string>;
}

/** A step, or what was made behind a command, belongs to the checkpoint of its session that came last before it: rows come newest first. */
function stepsByOwner(rows: readonly CheckpointRow[]): Steps {
  const byOwner = new Map<string, CheckpointRow[]>();
  const owned = new Set<string>();
  const latest = new Map<string, string>();
  for (const row of rows.toReversed()) {
    if (row.on !== "step" && row.on !== "after") {
      latest.set(row.session, keyOf(row));
      continue;
    }
    const owner = latest.get(row.session);
    if (owner === undefined) continue;
    owned.add(keyOf(row));
    const steps = byOwner.get(owner);
    if (steps === undefined) byOwner.set(owner, [row]);
    else steps.push(row);
  }
  return { byOwner, owned };
}
