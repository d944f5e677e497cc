import type { Stretch } from "../../record/codec.ts";
import type { Entry } from "../../record/entry.ts";
import { Outline } from "../../timeline/outline.ts";
import type { PackedRow } from "../../timeline/row.ts";
import { IndexDraft } from "./index-records.ts";
import type { RecalledHeader } from "./load-log.ts";
import { type Fault, type FaultReason, type Place, Positions } from "./places.ts";

interface PlacedStretch {
  readonly entry: Entry | undefined;
  readonly stretch: Stretch;
  readonly place: Place;
}

/** Information about the end of a log from sources other than its lines. */
interface KnownEnd {
  /** The number of lines in the log's index. */
  readonly lines: number;
  readonly file: number;
  readonly offset: number;
}

/** Reads a log line by line from its index or its files, and records the position of every line. */
export class LogReading {
  readonly outline: Outline = new Outline();
  readonly positions: Positions = new Positions();
  readonly faults: Fault[] = [];
  /** The records that are missing from the index on disk. */
  readonly draft: IndexDraft = new IndexDraft();
  readonly #recallHeader: () => RecalledHeader | undefined;
  readonly #inOrder = new InOrder<PlacedStretch>({
    next: () => this.outline.nextSeq,
    take: (line) => this.#take(line),
    // New records are added to an index after its last entry. If two lines are swapped, the index's last entry is not
    // the last entry in the file.
    swapped: () => this.draft.stop(),
  });
  /**
   * Number of damaged stretches after the last entry. Only the `seq` of the next entry shows how many lines these
   * stretches contained.
   */
  #unplaced = 0;

  constructor(recallHeader: () => RecalledHeader | undefined) {
    this.#recallHeader = recallHeader;
  }

  take(stretch: Stretch, place: Place): void {
    this.#inOrder.take({ entry: stretch.entry, stretch, place });
  }

  /** Records torn bytes, which are not treated as a line. */
  takeTorn(place: Place): void {
    this.#inOrder.flush();
    this.faults.push({ ...place, why: "torn-tail", lines: 0 });
  }

  endFile(): void {
    this.#inOrder.flush();
  }

  /** Reserves space for a known number of lines. */
  reserve(lines: number): void {
    this.outline.reserve(lines);
    this.positions.reserve(lines);
  }

  /** Adds a row that was read from the index rather than computed from a line. */
  takeIndexedRow(row: PackedRow, place: Place): void {
    this.outline.addPacked(row);
    this.positions.add(place);
  }

  takeIndexedGap(): void {
    this.outline.addGap();
    this.positions.addGap();
  }

  /**
   * Finishes reading. Each damaged line at the end keeps its place, as does each line that only the index still
   * contains. The `seq` of such a line, and the number of a checkpoint that it may have contained, are therefore not
   * used again.
   */
  finish(known: KnownEnd): void {
    const isEmpty = this.outline.length === 0;
    if (isEmpty) this.#takeHeader({ file: 1, offset: 0, length: 0 });
    for (; this.#unplaced > 0; this.#unplaced -= 1) this.#addGap();
    const lines = Math.max(0, known.lines - this.outline.length);
    const { file, offset } = known;
    if (lines > 0 || (isEmpty && this.outline.length > 0))
      this.#addFault({ file, offset, length: 0, why: "cut-off", lines });
    for (let count = 0; count < lines; count += 1) this.#addGap();
  }

  #take({ stretch, place }: PlacedStretch): void {
    if (stretch.entry === undefined) this.#takeFault(stretch.fault, place);
    else this.#takeEntry(stretch.entry, place);
  }

  #takeEntry(entry: Entry, place: Place): void {
    if (this.outline.length === 0 && entry.seq > 1) this.#takeHeader({ ...place, length: 0 });
    const missing = entry.seq - this.outline.nextSeq;
    const standing = orderOf(entry.seq, this.outline.nextSeq);
    if (standing === "beyond") {
      this.#takeFault("shape", place);
      return;
    }
    if (standing === "earlier") {
      const why = this.positions.at(entry.seq) === undefined ? "displaced" : "repeated";
      this.#addFault({ ...place, why, lines: 0 });
      return;
    }
    if (missing > 0 && this.#unplaced === 0)
      this.#addFault({ ...place, length: 0, why: "missing", lines: missing });
    for (let count = 0; count < missing; count += 1) this.#addGap();
    const row = this.outline.add(entry);
    if (row === undefined) return;
    this.positions.add(place);
    this.draft.addRow(row, place);
    this.#unplaced = 0;
  }

  /** Replaces a damaged or missing first line with its copy, if the copy can be read. */
  #takeHeader(place: Place): void {
    const header = this.#recallHeader();
    if (header === undefined) return;
    const damaged = this.faults.shift() ?? place;
    this.faults.unshift({ ...damaged, why: "header", lines: 0 });
    this.#unplaced = Math.max(0, this.#unplaced - 1);
    this.outline.add(header.entry);
    this.positions.add({ file: 0, offset: header.start, length: header.length });
    // The index covers only the log's own files, so the copy must be read each time the log is opened.
    this.draft.stop();
  }

  #takeFault(why: FaultReason, place: Place): void {
    this.#addFault({ ...place, why, lines: 0 });
    this.#unplaced += 1;
  }

  #addFault(fault: Fault): void {
    this.faults.push(fault);
    this.draft.addFault(fault);
  }

  #addGap(): void {
    this.outline.addGap();
    this.positions.addGap();
    this.draft.addGap();
  }
}

interface Order<Line> {
  /** Returns the `seq` that the next line should have. */
  next(): number;
  take(line: Line): void;
  /** Called when two lines are found in the wrong order. */
  swapped?(): void;
}

/**
 * Restores the order of two neighboring lines that were swapped. Holds back a line whose number is too high until the
 * next line has been read.
 */
export class InOrder<Line extends { readonly entry?: Entry | undefined }> {
  readonly #order: Order<Line>;
  #held: Line | undefined;

  constructor(order: Order<Line>) {
    this.#order = order;
  }

  take(line: Line): void {
    if (this.#held !== undefined) {
      const isSwapped = this.#belongsBefore(line, this.#held);
      if (isSwapped) {
        this.#order.swapped?.();
        this.#order.take(line);
      }
      this.flush();
      if (isSwapped) return;
    }
    if (this.#isAhead(line)) this.#held = line;
    else this.#order.take(line);
  }

  /** Passes on the line that was held back, because no other line could come before it. */
  flush(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#order.take(held);
  }

  #isAhead({ entry }: Line): boolean {
    if (entry === undefined) return false;
    const next = this.#order.next();
    return entry.seq > next && orderOf(entry.seq, next) === "following";
  }

  #belongsBefore({ entry }: Line, held: Line): boolean {
    if (entry === undefined || held.entry === undefined) return false;
    return entry.seq >= this.#order.next() && entry.seq < held.entry.seq;
  }
}

/**
 * Maximum number of missing lines. The number of a line that is further ahead cannot be correct, because no crash loses
 * that many lines. In addition, each missing line would take up memory.
 */
const MAX_MISSING = 10_000_000;

/**
 * Compares a line's `seq` with the expected `next`. The line may be next (possibly after missing lines), repeat an
 * earlier line, or be too far ahead to be valid.
 */
export function orderOf(seq: number, next: number): "following" | "earlier" | "beyond" {
  if (seq < next) return "earlier";
  return seq - next > MAX_MISSING ? "beyond" : "following";
}
