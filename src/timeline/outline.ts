import type { Entry, EntryKind, Origin } from "../record/entry.ts";
import type { CheckpointNumber, EntryId, Seq } from "../record/ids.ts";

/**
 * What the timeline needs to know of an entry without its content: where it stands and what
 * it weighs. A session of 100,000 entries is held as these; contents are read when shown.
 */
export interface Row {
  readonly seq: Seq;
  readonly id: EntryId;
  /** The line of the entry before this one on its branch; 0 for the first. */
  readonly parent: number;
  readonly kind: EntryKind | "foreign";
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The number of a checkpoint or step, the checkpoint of a snapshot; 0 for other kinds. */
  readonly number: number;
  /** Raw estimate of the tokens that this entry adds to the context; for a compaction, of all that it shows. */
  readonly estimate: number;
  /** For a reply whose provider counted: the context sent, and the reply itself. */
  readonly input: number;
  readonly output: number;
  /** The line of the last journey on this branch, 0 before the first. A journey is its own. */
  readonly leg: number;
}

/** A line that cannot be read, or that is missing between two that can. */
export interface Gap {
  readonly seq: Seq;
  readonly kind: "gap";
}

export type Journeying = "backtrack" | "rewind" | "redo";

export function isJourney(kind: string): kind is Journeying {
  return kind === "backtrack" || kind === "rewind" || kind === "redo";
}

export function isCheckpoint(row: Row): boolean {
  return row.kind === "checkpoint" || row.kind === "step";
}

/** Why an entry could not be taken in as it stands. */
export interface Oddity {
  readonly seq: Seq;
  readonly what: "repeated" | "reattached";
}

/**
 * All entries of a session by line, growing at its end. The one mutable thing of the pure
 * folders: copying 100,000 rows for each append would cost the size, not the change.
 */
export class Outline {
  readonly #rows: (Row | Gap)[] = [];
  readonly #oddities: Oddity[] = [];
  readonly #rowsByKind = new Map<Row["kind"], Row[]>();
  /** The first row that is known of each leg: the journey itself, or, when that line is lost, what follows it. */
  readonly #firstOfLeg = new Map<number, Row>();
  #rowsById: Map<EntryId, Row> | undefined;
  #head: Row | undefined;
  #highestNumber = 0;

  /** Takes in the next line; returns its row, or undefined when that line stands there already. */
  add(entry: Entry): Row | undefined {
    if (entry.seq <= this.#rows.length) {
      this.#oddities.push({ seq: entry.seq, what: "repeated" });
      return undefined;
    }
    while (this.#rows.length < entry.seq - 1) this.addGap();
    return this.addRow(rowOf(entry, this.#place(entry)));
  }

  /** Takes in a row that was computed before, as an index keeps them. */
  addRow(row: Row): Row {
    this.#rows.push(row);
    this.#rowsById?.set(row.id, row);
    const sameKind = this.#rowsByKind.get(row.kind);
    if (sameKind === undefined) this.#rowsByKind.set(row.kind, [row]);
    else sameKind.push(row);
    if (!this.#firstOfLeg.has(row.leg)) this.#firstOfLeg.set(row.leg, row);
    this.#head = row;
    // A snapshot carries the number of its checkpoint, which is never above the highest.
    this.#highestNumber = Math.max(this.#highestNumber, row.number);
    return row;
  }

  /** A damaged line keeps its place, so that `seq` stays the line. */
  addGap(): void {
    // The lost line may have been a checkpoint, whose number must not be given again.
    this.#highestNumber += 1;
    this.#rows.push({ seq: (this.#rows.length + 1) as Seq, kind: "gap" });
  }

  get length(): number {
    return this.#rows.length;
  }

  /** The last entry that can be read: where the next one goes. */
  get head(): Row | undefined {
    return this.#head;
  }

  /** No checkpoint has a number above this one, not even one whose line is lost. */
  get highestNumber(): number {
    return this.#highestNumber;
  }

  get nextSeq(): Seq {
    return (this.#rows.length + 1) as Seq;
  }

  get oddities(): readonly Oddity[] {
    return this.#oddities;
  }

  get gaps(): readonly Seq[] {
    return this.#rows.flatMap((row) => (row.kind === "gap" ? [row.seq] : []));
  }

  at(seq: number): Row | undefined {
    const row = this.#rows[seq - 1];
    return row === undefined || row.kind === "gap" ? undefined : row;
  }

  byId(id: EntryId): Row | undefined {
    if (this.#head?.id === id) return this.#head;
    this.#rowsById ??= new Map(this.rows().map((row) => [row.id, row]));
    return this.#rowsById.get(id);
  }

  /** Where the journey on line `leg` landed; known also when that line is lost and anything follows it. */
  landingOf(leg: number): Row | undefined {
    return leg === 0 ? undefined : this.at(this.#firstOfLeg.get(leg)?.parent ?? 0);
  }

  /** All rows of one kind, oldest first: titles and labels are found without a walk over the log. */
  ofKind(kind: Row["kind"]): readonly Row[] {
    return this.#rowsByKind.get(kind) ?? [];
  }

  rows(): Row[] {
    return this.#rows.filter((row): row is Row => row.kind !== "gap");
  }

  /** Where an entry belongs: its parent, or, when that line is lost, the place that `origin` and `seq` tell. */
  #place(entry: Entry): Placement {
    if (entry.parent === null) return { parent: 0, leg: 0 };
    const parent = this.byId(entry.parent);
    const leg = legOf(entry);
    if (parent !== undefined) return { parent: parent.seq, leg };
    this.#oddities.push({ seq: entry.seq, what: "reattached" });
    const place = isJourney(entry.kind) ? this.#landing(entry.origin) : this.#lastOfLeg(leg, entry.origin);
    return { parent: place?.seq ?? 0, leg };
  }

  #lastOfLeg(leg: number, origin: Origin | undefined): Row | undefined {
    for (let seq = this.#rows.length; seq >= Math.max(1, leg); seq -= 1) {
      const row = this.at(seq);
      if (row?.leg === leg) return row;
    }
    return this.#landing(origin);
  }

  #landing(origin: Origin | undefined): Row | undefined {
    if (origin === undefined) return this.#head;
    for (let seq: number = origin.placeSeq; seq >= 1; seq -= 1) {
      // A lost line that was a journey did not stand below the line before it.
      const row = this.at(seq) ?? this.landingOf(seq);
      if (row !== undefined) return row;
    }
    return undefined;
  }
}

/** Where an entry stands: the lines of its parent (0 for none) and of its branch's last journey. */
export interface Placement {
  readonly parent: number;
  readonly leg: number;
}

export function legOf(entry: Entry): number {
  return isJourney(entry.kind) ? entry.seq : (entry.origin?.journey ?? 0);
}

export function rowOf(entry: Entry, placement: Placement): Row {
  const usage = entry.kind === "reply" ? entry.usage : undefined;
  return {
    seq: entry.seq,
    id: entry.id,
    parent: placement.parent,
    kind: entry.kind,
    at: Date.parse(entry.at),
    number: numberOf(entry),
    estimate: entry.kind === "compaction" ? entry.kept : "estimate" in entry ? entry.estimate : 0,
    input: usage?.input ?? 0,
    output: usage?.output ?? 0,
    leg: placement.leg,
  };
}

function numberOf(entry: Entry): CheckpointNumber | 0 {
  if (entry.kind === "checkpoint" || entry.kind === "step") return entry.number;
  return entry.kind === "snapshot" ? entry.checkpoint : 0;
}
