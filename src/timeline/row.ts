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
   * The number of a checkpoint or step, the checkpoint number of a snapshot, or the number after which a session's
   * checkpoint numbers continue; otherwise, 0.
   */
  readonly number: number;
  /**
   * The raw estimate of the tokens that this entry adds to the context. For a compaction, the estimate of the whole
   * context.
   */
  readonly estimate: number;
  /**
   * For a reply, the provider's counts: the size of the context that was sent, and the size of the reply itself. 0 if
   * the provider did not report them.
   */
  readonly input: number;
  readonly output: number;
  /** The line of the last journey on this branch; 0 before the first journey. For a journey, its own line. */
  readonly leg: number;
}

/** The estimate for a step's marker. Markers differ only in their numbers. */
const MARKER_TOKENS = 27;
/** The estimate for the remark that the user interrupted a turn. */
const INTERRUPT_TOKENS = 28;

export type RowKind = EntryKind | "foreign";

/** The kinds that describe a place and do not add to the conversation. */
const ABOUT_PLACE: ReadonlySet<RowKind> = new Set([
  "snapshot",
  "interval",
  "label",
  "title",
  "rotated",
  "host",
  "checkpoint-delete",
]);

/** Whether a row only describes the place above it, such as the state of its files. */
export function isAboutPlace({ kind }: Pick<Row, "kind">): boolean {
  return ABOUT_PLACE.has(kind);
}

/**
 * Whether a row is the same place in the conversation as the row above it, because it only describes that place,
 * reports a restore, or is a notice.
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
 * Whether the row counts when users are shown a number of entries. By themselves, entries about another agent's
 * progress or about the files between two tool calls mean nothing to users.
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
  return isJourney(entry.kind) ? entry.seq : (entry.origin?.[1] ?? 0);
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
 * The kinds, indexed by their code; 0 is a gap. An index records this order, so that a version with another order does
 * not use the index.
 */
export const KINDS: readonly RowKind[] = [...(Object.keys(shapes) as (keyof typeof shapes)[]), "foreign"];
const GAP = 0;
const codes: ReadonlyMap<RowKind, number> = new Map(KINDS.map((kind, at) => [kind, at + 1]));

export function codeOf(kind: RowKind): number {
  return codes.get(kind) ?? GAP;
}

/** A row that consists only of numbers, as an index stores it. */
export interface PackedRow extends PackedId, Omit<Row, "seq" | "id" | "kind"> {
  readonly code: number;
}

const FIRST_CAPACITY = 256;

/**
 * The rows of an outline by line, with one column for each field. As objects, 200,000 rows would add a quarter of a
 * second and 100 MB to a resume. As numbers, they cost little, and a row object is created only when it is needed.
 */
export class RowColumns {
  #length = 0;
  #columns = columnsFor(FIRST_CAPACITY);

  get length(): number {
    return this.#length;
  }

  add(row: Row): void {
    // The fields are assigned one by one because this runs for every line of a log without an index, where spreading
    // took a third of the reading time.
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

  /** Copies the numbers out of `row`, so that the reader of an index can reuse one object for all rows. */
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

  /** The parent of a line, without creating its row; 0 if the line is the first line, is a gap, or does not exist. */
  parentAt(seq: number): number {
    return this.kindAt(seq) === undefined ? 0 : (this.#columns.parent[seq - 1] ?? 0);
  }

  /** The line of an id; 0 if there is none. Searches backward, because most searches are for lines near the end. */
  lineOf(id: EntryId): number {
    const { idHigh, idLow } = packId(id);
    const { idHigh: highs, idLow: lows, code } = this.#columns;
    for (let at = this.#length - 1; at >= 0; at -= 1) {
      if (lows[at] === idLow && highs[at] === idHigh && code[at] !== GAP) return at + 1;
    }
    return 0;
  }

  /** The lines of one kind, from line `from` on, oldest first. */
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

  /** Adds an empty row and returns its index. Enlarges the columns if necessary. */
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
