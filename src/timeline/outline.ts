import type { Entry, Origin } from "../record/entry.ts";
import { type EntryId, type Seq, toSeq } from "../record/ids.ts";
import { type PackedRow, RowColumns } from "./columns.ts";
import { isJourney, legOf, type Placement, type Row, type RowKind, rowOf } from "./row.ts";

/** Why an entry could not be taken in as it stands. */
export interface Oddity {
  readonly seq: Seq;
  readonly what: "repeated" | "reattached";
}

/** How often an id is looked for by a walk before a table of all ids pays. */
const WALKS = 16;

/**
 * All entries of a session by line, growing at its end. The one mutable thing of the pure
 * folders: copying 100,000 rows for each append would cost the size, not the change.
 */
export class Outline {
  readonly #rows = new RowColumns();
  readonly #oddities: Oddity[] = [];
  /** Lines by kind, filled when first asked for; how far each list reaches stands beside it. */
  readonly #linesByKind = new Map<RowKind, { lines: Seq[]; upTo: number }>();
  /** For each leg the parent of its first known row: where the journey landed, also when its own line is lost. */
  readonly #landingByLeg = new Map<number, number>();
  #linesById: Map<EntryId, number> | undefined;
  #walks = 0;
  #head: Row | undefined;
  #headLine = 0;
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

  /** Takes in a row whose place is known. */
  addRow(row: Row): Row {
    this.#rows.add(row);
    this.#linesById?.set(row.id, row.seq);
    this.#noteRow(row);
    this.#head = row;
    return row;
  }

  /** Takes in a row as an index keeps it. */
  addPacked(row: PackedRow): void {
    this.#rows.addPacked(row);
    this.#linesById = undefined;
    this.#noteRow(row);
    this.#head = undefined;
  }

  /** A damaged line keeps its place, so that `seq` stays the line. */
  addGap(): void {
    // The lost line may have been a checkpoint, whose number must not be given again.
    this.#highestNumber += 1;
    this.#rows.addGap();
  }

  /** Makes room for so many lines at once, where it is known that they will come. */
  reserve(lines: number): void {
    this.#rows.reserve(lines);
  }

  get length(): number {
    return this.#rows.length;
  }

  /** The last entry that can be read: where the next one goes. */
  get head(): Row | undefined {
    this.#head ??= this.#rows.row(this.#headLine);
    return this.#head;
  }

  /** No checkpoint has a number above this one, not even one whose line is lost. */
  get highestNumber(): number {
    return this.#highestNumber;
  }

  get nextSeq(): Seq {
    return toSeq(this.#rows.length + 1);
  }

  get oddities(): readonly Oddity[] {
    return this.#oddities;
  }

  get gaps(): readonly Seq[] {
    return this.gapsFrom(1);
  }

  /** The damaged lines from line `from` on. Costs the lines behind it. */
  gapsFrom(from: number): readonly Seq[] {
    return this.#rows.gapsFrom(from).map(toSeq);
  }

  at(seq: number): Row | undefined {
    return seq === this.#headLine ? this.head : this.#rows.row(seq);
  }

  /** As `at`, without making a row: for walks over 100,000 lines. */
  kindAt(seq: number): RowKind | undefined {
    return this.#rows.kindAt(seq);
  }

  /** The line before this one on its branch; 0 where there is none. */
  parentAt(seq: number): number {
    return this.#rows.parentAt(seq);
  }

  byId(id: EntryId): Row | undefined {
    if (this.head?.id === id) return this.head;
    return this.at(this.#lineOf(id));
  }

  /** Where the journey on line `leg` landed; known also when that line is lost and anything follows it. */
  landingOf(leg: number): Row | undefined {
    return leg === 0 ? undefined : this.at(this.#landingByLeg.get(leg) ?? 0);
  }

  /** The lines of all entries of one kind, oldest first: titles and labels are found without a walk over the log. */
  linesOf(kind: RowKind): readonly Seq[] {
    const known = this.#linesByKind.get(kind) ?? { lines: [], upTo: 0 };
    for (const line of this.#rows.linesOf(kind, known.upTo + 1)) known.lines.push(toSeq(line));
    this.#linesByKind.set(kind, known);
    known.upTo = this.#rows.length;
    return known.lines;
  }

  /** The rows of one kind, oldest first. Makes all of them: where one is wanted, ask for the lines. */
  ofKind(kind: RowKind): readonly Row[] {
    return this.linesOf(kind).flatMap((line) => this.at(line) ?? []);
  }

  rows(): Row[] {
    const rows: Row[] = [];
    for (let seq = 1; seq <= this.#rows.length; seq += 1) {
      const row = this.at(seq);
      if (row !== undefined) rows.push(row);
    }
    return rows;
  }

  #noteRow({ parent, leg, number }: Pick<Row, "parent" | "leg" | "number">): void {
    this.#headLine = this.#rows.length;
    if (!this.#landingByLeg.has(leg)) this.#landingByLeg.set(leg, parent);
    // A snapshot carries the number of its checkpoint, which is never above the highest.
    if (number > this.#highestNumber) this.#highestNumber = number;
  }

  #lineOf(id: EntryId): number {
    if (this.#linesById === undefined && this.#walks < WALKS) {
      this.#walks += 1;
      return this.#rows.lineOf(id);
    }
    this.#linesById ??= new Map(this.rows().map((row) => [row.id, row.seq]));
    return this.#linesById.get(id) ?? 0;
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
    if (origin === undefined) return this.head;
    for (let seq: number = origin[0]; seq >= 1; seq -= 1) {
      // A lost line that was a journey did not stand below the line before it.
      const row = this.at(seq) ?? this.landingOf(seq);
      if (row !== undefined) return row;
    }
    return undefined;
  }
}
