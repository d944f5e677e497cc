import type { Entry, Origin } from "../record/entry.ts";
import { type EntryId, type Seq, toSeq } from "../record/ids.ts";
import {
  isJourney,
  legOf,
  type PackedRow,
  type Placement,
  type Row,
  RowColumns,
  type RowKind,
  rowOf,
} from "./row.ts";

/** A problem that was found with an entry's place when the entry was added. */
interface Oddity {
  readonly seq: Seq;
  readonly what: "repeated" | "reattached";
}

/**
 * The number of linear searches for an id after which a table of all ids is built, because more searches would cost
 * more than the table.
 */
const WALKS = 16;

/**
 * The places of all entries of a session, by line. An outline grows with the log. The outline is the only mutable
 * object in code that is otherwise pure, because copying 100,000 rows for each append would be far too slow.
 */
export class Outline {
  readonly #rows = new RowColumns();
  readonly #oddities: Oddity[] = [];
  /** The lines of each kind, filled on first use. The list is complete up to the line `upTo`. */
  readonly #linesByKind = new Map<RowKind, { lines: Seq[]; upTo: number }>();
  /**
   * For each journey's line, the place where the journey landed, even if the line itself is lost. The place is the
   * parent of the first known row after the journey.
   */
  readonly #landingByLeg = new Map<number, number>();
  #linesById: Map<EntryId, number> | undefined;
  #walks = 0;
  #head: Row | undefined;
  #headLine = 0;
  #highestNumber = 0;

  /** Adds the next line. Returns the line's row, or undefined if the outline already contains the line. */
  add(entry: Entry): Row | undefined {
    if (entry.seq <= this.#rows.length) {
      this.#oddities.push({ seq: entry.seq, what: "repeated" });
      return undefined;
    }
    while (this.#rows.length < entry.seq - 1) this.addGap();
    return this.addRow(rowOf(entry, this.#place(entry)));
  }

  /** Adds a row whose position is known. */
  addRow(row: Row): Row {
    this.#rows.add(row);
    this.#linesById?.set(row.id, row.seq);
    this.#noteRow(row);
    this.#head = row;
    return row;
  }

  /** Adds a row in the form that is stored in an index. */
  addPacked(row: PackedRow): void {
    this.#rows.addPacked(row);
    this.#linesById = undefined;
    this.#noteRow(row);
    this.#head = undefined;
  }

  /** Adds a damaged line. The line keeps its place, so that `seq` stays equal to the line number. */
  addGap(): void {
    // The lost line may have been a checkpoint, whose number must not be reused.
    this.#highestNumber += 1;
    this.#rows.addGap();
  }

  /** Reserves space for a known number of further lines. */
  reserve(lines: number): void {
    this.#rows.reserve(lines);
  }

  get length(): number {
    return this.#rows.length;
  }

  /** The last readable entry. The next entry is appended after it. */
  get head(): Row | undefined {
    this.#head ??= this.#rows.row(this.#headLine);
    return this.#head;
  }

  /** The highest number that a checkpoint could have, including checkpoints whose lines are lost. */
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

  /** The damaged lines, starting at line `from`. Does not examine earlier lines. */
  gapsFrom(from: number): readonly Seq[] {
    return this.#rows.gapsFrom(from).map(toSeq);
  }

  at(seq: number): Row | undefined {
    return seq === this.#headLine ? this.head : this.#rows.row(seq);
  }

  /** The kind of a line. Unlike `at`, creates no row, so that traversing 100,000 lines is cheap. */
  kindAt(seq: number): RowKind | undefined {
    return this.#rows.kindAt(seq);
  }

  /** The line of the entry's parent; 0 if the entry has no parent. */
  parentAt(seq: number): number {
    return this.#rows.parentAt(seq);
  }

  byId(id: EntryId): Row | undefined {
    if (this.head?.id === id) return this.head;
    return this.at(this.#lineOf(id));
  }

  /**
   * The place where the journey on line `leg` landed. The place is known even if that line is lost, as long as the
   * branch has a later entry.
   */
  landingOf(leg: number): Row | undefined {
    return leg === 0 ? undefined : this.at(this.#landingByLeg.get(leg) ?? 0);
  }

  /**
   * The lines of all entries of one kind, oldest first. Used to find entries such as labels and titles without
   * traversing the whole log.
   */
  linesOf(kind: RowKind): readonly Seq[] {
    const known = this.#linesByKind.get(kind) ?? { lines: [], upTo: 0 };
    for (const line of this.#rows.linesOf(kind, known.upTo + 1)) known.lines.push(toSeq(line));
    this.#linesByKind.set(kind, known);
    known.upTo = this.#rows.length;
    return known.lines;
  }

  /** The rows of one kind, oldest first. Creates every row, so callers that need only one row should use `linesOf`. */
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
    // A snapshot has the same number as its checkpoint, so its number never exceeds the highest checkpoint number.
    if (number > this.#highestNumber) this.#highestNumber = number;
  }

  #lineOf(id: EntryId): number {
    this.#walks += 1;
    if (this.#linesById === undefined && this.#walks <= WALKS) return this.#rows.lineOf(id);
    this.#linesById ??= new Map(this.rows().map((row) => [row.id, row.seq]));
    return this.#linesById.get(id) ?? 0;
  }

  /**
   * Returns where an entry is: after its parent or, if the parent's line is lost, at the position that follows from its
   * `origin` and `seq`.
   */
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
    for (let seq = this.#rows.length; seq >= leg; seq -= 1) {
      const row = this.at(seq);
      if (row?.leg === leg) return row;
    }
    return this.#landing(origin);
  }

  #landing(origin: Origin | undefined): Row | undefined {
    if (origin === undefined) return this.head;
    // A log from elsewhere may name any line as the origin, even one far beyond its end.
    for (let seq = Math.min(origin[0], this.#rows.length); seq >= 1; seq -= 1) {
      // If the lost line was a journey, the entry follows the place where the journey landed, not the line before it.
      const row = this.at(seq) ?? this.landingOf(seq);
      if (row !== undefined) return row;
    }
    return undefined;
  }
}

/** The entries from the root to `head`, in order. */
export function branchOf(outline: Outline, head: Row | undefined = outline.head): Row[] {
  const branch: Row[] = [];
  for (let row = head; row !== undefined; row = outline.at(row.parent)) branch.push(row);
  return branch.reverse();
}

/** The lines on the current branch. To check many rows, use this function instead of `isOnBranch`. */
export function linesOfBranch(outline: Outline): ReadonlySet<number> {
  const lines = new Set<number>();
  for (let line = outline.head?.seq ?? 0; outline.kindAt(line) !== undefined; line = outline.parentAt(line))
    lines.add(line);
  return lines;
}

/**
 * The part of a branch that starts at line `from`. Earlier lines are not visited, because there may be 100,000 of them.
 */
export function branchSince(outline: Outline, from: number, head: Row | undefined = outline.head): Row[] {
  const since: Row[] = [];
  for (let row = head; row !== undefined && row.seq >= from; row = outline.at(row.parent)) since.push(row);
  return since.reverse();
}

/** Checks whether `row` is on the path from the root to `head`. */
export function isOnBranch(outline: Outline, row: Row, head: Row | undefined = outline.head): boolean {
  let line: number = head?.seq ?? 0;
  // A parent always comes before its children in the log, so the search can stop at the row's line.
  while (line > row.seq) line = outline.parentAt(line);
  return line === row.seq;
}

/** The rows on the path to `from` that are not on the path to `to`, newest first. */
export function wayLeft(outline: Outline, from: Row | undefined, to: Row | undefined): readonly Row[] {
  const left: Row[] = [];
  let [a, b] = [from, to];
  // A parent always comes before its children in the log, so the later of two rows is never on the path to the earlier
  // row.
  while (a !== undefined && a.seq !== b?.seq) {
    if (b === undefined || a.seq > b.seq) {
      left.push(a);
      a = outline.at(a.parent);
    } else b = outline.at(b.parent);
  }
  return left;
}

/**
 * The rows that a journey left behind, oldest first. Rows that are on the current branch again are not included. The
 * result is empty if the rows are not in the log, as in a fork.
 */
export function rowsLeftBy(
  outline: Outline,
  { seq, from }: { readonly seq: number; readonly from: EntryId },
): readonly Row[] {
  const tip = outline.byId(from);
  const sinceLanding = wayLeft(outline, tip, outline.at(outline.at(seq)?.parent ?? 0));
  const offBranch = wayLeft(outline, tip, outline.head);
  // Both lists follow the same path upward from the same row and differ only in where they end.
  return (sinceLanding.length < offBranch.length ? sinceLanding : offBranch).toReversed();
}

/** The nearest entry that `wanted` accepts, starting at `row` and going up. */
export function nearest(
  outline: Outline,
  row: Row | undefined,
  wanted: (row: Row) => boolean,
): Row | undefined {
  let at = row;
  while (at !== undefined && !wanted(at)) at = outline.at(at.parent);
  return at;
}

/**
 * The row before `row` on the path that contains the user's requests. A backtrack repeats the prompts of the path that
 * it left, so the search continues along that path. The path ends on the line before the backtrack. In a fork, that
 * path does not exist, and the line before the backtrack is the backtrack's parent.
 */
export function askedBefore(outline: Outline, row: Pick<Row, "seq" | "kind" | "parent">): Row | undefined {
  return outline.at(row.kind === "backtrack" ? row.seq - 1 : row.parent);
}

/**
 * Finds the nearest entry of a certain kind at or above a row. Results are remembered, so that all searches together
 * traverse the log only once.
 */
export class NearestAbove {
  readonly #outline: Outline;
  readonly #wanted: (kind: RowKind) => boolean;
  readonly #way: "branch" | "asked";
  /** The result for each line; 0 if there is no matching entry at or above the line. */
  readonly #known = new Map<number, number>();

  /** If `way` is "asked", follows the paths that backtracks left, as `askedBefore` does. */
  constructor(outline: Outline, wanted: (kind: RowKind) => boolean, way: "branch" | "asked" = "branch") {
    this.#outline = outline;
    this.#wanted = wanted;
    this.#way = way;
  }

  of(row: Row): Row | undefined {
    const passed: number[] = [];
    let line: number = row.seq;
    let found = this.#known.get(line);
    while (found === undefined) {
      const kind = this.#outline.kindAt(line);
      if (kind === undefined) found = 0;
      else if (this.#wanted(kind)) found = line;
      else {
        passed.push(line);
        const isLeft = this.#way === "asked" && kind === "backtrack";
        line = isLeft ? line - 1 : this.#outline.parentAt(line);
        found = this.#known.get(line);
      }
    }
    for (const each of passed) this.#known.set(each, found);
    return this.#outline.at(found);
  }
}
