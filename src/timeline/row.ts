import type { Entry, EntryKind } from "../record/entry.ts";
import { type EntryId, type PackedId, packId, type Seq, toSeq, unpackId } from "../record/ids.ts";
import { shapes } from "../record/shape.ts";

/**
 * An entry's place and size, without its content. A session of 100,000 entries is held in memory in this form, and
 * contents are read only when they are shown.
 */
export interface Row {
  readonly seq: Seq;
  readonly id: EntryId;
  /** The parent's line on the branch; 0 for the first entry. */
  readonly parent: number;
  readonly kind: RowKind;
  /** Milliseconds since 1970. */
  readonly at: number;
  /**
   * For a checkpoint or step, its number. For a snapshot, the number of its checkpoint. For the session entry, the
   * checkpoint number that the session continues from. For all other kinds, 0.
   */
  readonly number: number;
  /**
   * The raw estimate of the number of tokens that this entry adds to the context. For a compaction, the raw estimate of
   * the whole context.
   */
  readonly estimate: number;
  /**
   * For a reply, the provider's token counts: `input` for the context that was sent, and `output` for the reply itself.
   * Both are 0 if the provider did not report them.
   */
  readonly input: number;
  readonly output: number;
  /**
   * The line of the last journey on this branch; 0 before the first journey. For a journey, this is the entry's own
   * line.
   */
  readonly leg: number;
}

/** The estimated number of tokens in a step's marker. Markers differ only in their numbers. */
const MARKER_TOKENS = 27;
/** The estimated number of tokens in the remark about a turn that the user interrupted. */
const INTERRUPT_TOKENS = 28;

export type RowKind = EntryKind | "foreign";

/** The kinds of rows that only describe the row above them and do not add to the conversation. */
const ABOUT_PLACE: ReadonlySet<RowKind> = new Set([
  "snapshot",
  "interval",
  "label",
  "title",
  "rotated",
  "host",
  "checkpoint-delete",
]);

/** Checks whether a row only describes the row above it, for example by recording the state of its files. */
export function isAboutPlace({ kind }: Pick<Row, "kind">): boolean {
  return ABOUT_PLACE.has(kind);
}

/**
 * Checks whether a row is at the same place in the conversation as the row above it. Such a row only describes that
 * place, reports a restore, or is a notice.
 */
export function isSamePlace(row: Pick<Row, "kind">): boolean {
  return isAboutPlace(row) || row.kind === "restored" || row.kind === "notice";
}

type JourneyKind = "backtrack" | "rewind" | "redo";

export function isJourney(kind: string): kind is JourneyKind {
  return kind === "backtrack" || kind === "rewind" || kind === "redo";
}

export function isCheckpoint(row: Row): boolean {
  return isCheckpointKind(row.kind);
}

export function isCheckpointKind(kind: RowKind | undefined): boolean {
  return kind === "checkpoint" || kind === "step";
}

/**
 * Checks whether the row is included in the entry counts that users see. Entries about another agent's progress or
 * about the files between two tool calls are not counted, because they mean nothing to users.
 */
export function isEntryToCount({ kind }: Row): boolean {
  return kind !== "host" && kind !== "interval";
}

/**
 * The place of an entry: the line of its parent (0 if there is none) and the line of the last journey on its branch.
 */
export interface Placement {
  readonly parent: number;
  readonly leg: number;
}

export function legOf(entry: Entry): number {
  if (isJourney(entry.kind)) return entry.seq;
  const leg = entry.origin?.[1] ?? 0;
  // A log from elsewhere may contain any number, but only an earlier line can be the journey.
  return leg > 0 && leg < entry.seq ? leg : 0;
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
    estimate: estimateOf(entry),
    input: usage?.input ?? 0,
    output: usage?.output ?? 0,
    leg: placement.leg,
  };
}

function estimateOf(entry: Entry): number {
  if (entry.kind === "step") return MARKER_TOKENS;
  if (entry.kind === "interrupt") return entry.by === "person" ? INTERRUPT_TOKENS : 0;
  if (entry.kind === "compaction") return entry.kept;
  return "estimate" in entry ? entry.estimate : 0;
}

function numberOf(entry: Entry): number {
  if (entry.kind === "checkpoint" || entry.kind === "step") return entry.number;
  if (entry.kind === "session") return entry.numbersFrom;
  return entry.kind === "snapshot" ? entry.checkpoint : 0;
}

/**
 * The kinds, in the order of their codes. The codes begin at 1. Code 0 is a gap. An index records this order, so that a
 * version with a different order does not use the index.
 */
export const KINDS: readonly RowKind[] = [...(Object.keys(shapes) as (keyof typeof shapes)[]), "foreign"];
const GAP = 0;
const codes: ReadonlyMap<RowKind, number> = new Map(KINDS.map((kind, at) => [kind, at + 1]));

export function codeOf(kind: RowKind): number {
  return codes.get(kind) ?? GAP;
}

/** A row that consists only of numbers, in the form that is stored in an index. */
export interface PackedRow extends PackedId, Omit<Row, "seq" | "id" | "kind"> {
  readonly code: number;
}

const FIRST_CAPACITY = 256;

/**
 * The rows of an outline by line, with one column for each field. As objects, 200,000 rows would add a quarter of a
 * second and 100 MB to a resume. Rows that are stored as columns of numbers cost little, and a row object is created
 * only when it is needed.
 */
export class RowColumns {
  #length = 0;
  #columns = columnsFor(FIRST_CAPACITY);

  get length(): number {
    return this.#length;
  }

  add(row: Row): void {
    // The fields are assigned one by one, because this code runs for every line of a log without an index. Spreading
    // the row took a third of the reading time.
    const { parent, at, number, estimate, input, output, leg } = row;
    const { idHigh, idLow } = packId(row.id);
    this.addPacked({
      code: codeOf(row.kind),
      idHigh,
      idLow,
      parent,
      at,
      number,
      estimate,
      input,
      output,
      leg,
    });
  }

  /**
   * Adds a packed row. Copies the numbers out of `row`, so that the reader of an index can reuse one object for all
   * rows.
   */
  addPacked(row: PackedRow): void {
    const at = this.#room();
    const columns = this.#columns;
    columns.code[at] = row.code;
    columns.idHigh[at] = row.idHigh;
    columns.idLow[at] = row.idLow;
    columns.parent[at] = row.parent;
    columns.leg[at] = row.leg;
    columns.at[at] = row.at;
    columns.number[at] = row.number;
    columns.estimate[at] = row.estimate;
    columns.input[at] = row.input;
    columns.output[at] = row.output;
  }

  addGap(): void {
    this.#columns.code[this.#room()] = GAP;
  }

  /** The row of a line; undefined if the line is a gap or does not exist. */
  row(seq: number): Row | undefined {
    const columns = this.#columns;
    const at = seq - 1;
    const kind = this.kindAt(seq);
    if (kind === undefined) return undefined;
    return {
      seq: toSeq(seq),
      id: unpackId({ idHigh: columns.idHigh[at] ?? 0, idLow: columns.idLow[at] ?? 0 }),
      parent: columns.parent[at] ?? 0,
      kind,
      at: columns.at[at] ?? 0,
      number: columns.number[at] ?? 0,
      estimate: columns.estimate[at] ?? 0,
      input: columns.input[at] ?? 0,
      output: columns.output[at] ?? 0,
      leg: columns.leg[at] ?? 0,
    };
  }

  /** The kind of a line, without creating its row; undefined if the line is a gap or does not exist. */
  kindAt(seq: number): RowKind | undefined {
    return seq >= 1 && seq <= this.#length ? KINDS[(this.#columns.code[seq - 1] ?? GAP) - 1] : undefined;
  }

  /** The parent of a line, without creating its row; 0 if the line has no parent, is a gap, or does not exist. */
  parentAt(seq: number): number {
    // A gap's parent is never set, so it is 0.
    return this.#columns.parent[seq - 1] ?? 0;
  }

  /**
   * The line of the entry with this id; 0 if there is none. Searches backward, because most searches are for lines near
   * the end.
   */
  lineOf(id: EntryId): number {
    const { idHigh, idLow } = packId(id);
    const { idHigh: highs, idLow: lows, code } = this.#columns;
    for (let at = this.#length - 1; at >= 0; at -= 1) {
      if (lows[at] === idLow && highs[at] === idHigh && code[at] !== GAP) return at + 1;
    }
    return 0;
  }

  /** The lines of one kind, oldest first, starting at line `from`. */
  linesOf(kind: RowKind, from = 1): number[] {
    return this.#linesWith(codeOf(kind), from);
  }

  gapsFrom(from = 1): number[] {
    return this.#linesWith(GAP, from);
  }

  #linesWith(wanted: number, from: number): number[] {
    const lines: number[] = [];
    const { code } = this.#columns;
    for (let at = from - 1; at < this.#length; at += 1) if (code[at] === wanted) lines.push(at + 1);
    return lines;
  }

  /** Reserves space for a known number of further rows. */
  reserve(rows: number): void {
    if (rows > this.#columns.code.length) this.#columns = grown(this.#columns, rows);
  }

  /** Adds an empty row, enlarging the columns if necessary, and returns the row's index. */
  #room(): number {
    if (this.#length === this.#columns.code.length) this.#columns = grown(this.#columns, this.#length * 2);
    this.#length += 1;
    return this.#length - 1;
  }
}

type Columns = ReturnType<typeof columnsFor>;

function columnsFor(capacity: number) {
  return {
    code: new Uint8Array(capacity),
    idHigh: new Uint32Array(capacity),
    idLow: new Uint32Array(capacity),
    parent: new Uint32Array(capacity),
    leg: new Uint32Array(capacity),
    at: new Float64Array(capacity),
    number: new Float64Array(capacity),
    estimate: new Float64Array(capacity),
    input: new Float64Array(capacity),
    output: new Float64Array(capacity),
  };
}

function grown(columns: Columns, capacity: number): Columns {
  const larger = columnsFor(capacity);
  for (const name of Object.keys(columns) as (keyof Columns)[]) larger[name].set(columns[name]);
  return larger;
}
