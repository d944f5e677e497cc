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

/** How a log ends, as far as it is known from elsewhere than its lines. */
interface KnownEnd {
  /** How many lines its index speaks of. */
  readonly lines: number;
  readonly file: number;
  readonly offset: number;
}

/** Takes in a log line by line, from its index or its files, and then knows where every line is. */
export class LogReading {
  readonly outline: Outline = new Outline();
  readonly positions: Positions = new Positions();
  readonly faults: Fault[] = [];
  /** What the index on disk does not hold yet. */
  readonly draft: IndexDraft = new IndexDraft();
  readonly #recallHeader: () => RecalledHeader | undefined;
  readonly #inOrder = new InOrder<PlacedStretch>({
    next: () => this.outline.nextSeq,
    take: (line) => this.#take(line),
    // An index is continued after its last entry, which is not the last one in the file here.
    swapped: () => this.draft.stop(),
  });
  /** Damaged stretches after the last entry: only the next entry's `seq` tells how many lines they were. */
  #unplaced = 0;

  constructor(recallHeader: () => RecalledHeader | undefined) {
    this.#recallHeader = recallHeader;
  }

  take(stretch: Stretch, place: Place): void {
    this.#inOrder.take({ entry: stretch.entry, stretch, place });
  }

  /** Torn bytes are no line, and keep no place. */
  takeTorn(place: Place): void {
    this.#inOrder.flush();
    this.faults.push({ ...place, why: "torn-tail", lines: 0 });
  }

  endFile(): void {
    this.#inOrder.flush();
  }

  /** So many lines will come. */
  reserve(lines: number): void {
    this.outline.reserve(lines);
    this.positions.reserve(lines);
  }

  /** From the index: was computed before. */
  takeIndexedRow(row: PackedRow, place: Place): void {
    this.outline.addPacked(row);
    this.positions.add(place);
  }

  takeIndexedGap(): void {
    this.outline.addGap();
    this.positions.addGap();
  }

  /**
   * Nothing follows. Each damaged line at the end keeps one place, so that neither its `seq`
   * nor the number of a checkpoint it may have been is given out again. So does each line
   * that only the index still knows.
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

  /** The first line is damaged or missing; its copy is used if it can be read. */
  #takeHeader(place: Place): void {
    const header = this.#recallHeader();
    if (header === undefined) return;
    const damaged = this.faults.shift() ?? place;
    this.faults.unshift({ ...damaged, why: "header", lines: 0 });
    this.#unplaced = Math.max(0, this.#unplaced - 1);
    this.outline.add(header.entry);
    this.positions.add({ file: 0, offset: header.start, length: header.length });
    // The index covers the log's own files; each opening must look at the header again.
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

interface OrderedBy {
  readonly entry?: Entry | undefined;
}

interface Order<Line> {
  /** The number that the next line should have. */
  next(): number;
  take(line: Line): void;
  /** Two lines have changed places; both are taken after this. */
  swapped?(): void;
}

/** Puts two neighbouring lines right that have changed places: one that is ahead of its number waits for the next. */
export class InOrder<Line extends OrderedBy> {
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

  /** Nothing follows that the held line could wait for. */
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
 * A line that claims to be further than this after the one before it is not believed:
 * each missing line costs memory, and no crash loses that many.
 */
const MAX_MISSING = 10_000_000;

/** What a line is that says its number is `seq`, where `next` would follow: one more, one from before, or not believed. */
export function orderOf(seq: number, next: number): "following" | "earlier" | "beyond" {
  if (seq < next) return "earlier";
  return seq - next > MAX_MISSING ? "beyond" : "following";
}
