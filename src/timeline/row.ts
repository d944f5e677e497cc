import type { Entry, EntryKind } from "../record/entry.ts";
import { type EntryId, type PackedId, packId, type Seq, toSeq, unpackId } from "../record/ids.ts";
import { shapes } from "../record/shape.ts";

/**
 * What the timeline needs to know of an entry without its content: where it stands and what
 * it weighs. A session of 100,000 entries is held as these; contents are read when shown.
 */
export interface Row {
  readonly seq: Seq;
  readonly id: EntryId;
  /** The line of the entry before this one on its branch; 0 for the first. */
  readonly parent: number;
  readonly kind: RowKind;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The number of a checkpoint or step, the checkpoint of a snapshot, where a session counts on from; else 0. */
  readonly number: number;
  /** Raw estimate of the tokens that this entry adds to the context; for a compaction, of all that it shows. */
  readonly estimate: number;
  /** For a reply whose provider counted: the context sent, and the reply itself. */
  readonly input: number;
  readonly output: number;
  /** The line of the last journey on this branch, 0 before the first. A journey is its own. */
  readonly leg: number;
}

/** What a step's marker weighs: all but its number is the same in each. */
const MARKER_TOKENS = 27;
/** What the remark weighs that the person interrupted a turn. */
const INTERRUPT_TOKENS = 28;

export type RowKind = EntryKind | "foreign";

/** Kinds that say something about a place and add nothing to the conversation. */
const ABOUT_PLACE: ReadonlySet<RowKind> = new Set([
  "snapshot",
  "interval",
  "label",
  "title",
  "rotated",
  "host",
  "checkpoint-delete",
]);

/** Whether a row only says something about the place above it, such as how its files were. */
export function isAboutPlace({ kind }: Pick<Row, "kind">): boolean {
  return ABOUT_PLACE.has(kind);
}

/** Whether the conversation below a row is the conversation above it: it is about a place, or what a restore reported. */
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
 * Whether people who are told how many entries there are mean this one: how far another agent got, and how the files were
 * between two tools, says nothing by itself.
 */
export function isEntryToCount({ kind }: Row): boolean {
  return kind !== "host" && kind !== "interval";
}

/** Where an entry stands: the lines of its parent (0 for none) and of its branch's last journey. */
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

/** Kinds by their code; 0 is a gap. Indexes name this order, so that one of another order is not taken for ours. */
export const KINDS: readonly RowKind[] = [...(Object.keys(shapes) as (keyof typeof shapes)[]), "foreign"];
const GAP = 0;
const codes: ReadonlyMap<RowKind, number> = new Map(KINDS.map((kind, at) => [kind, at + 1]));

export function codeOf(kind: RowKind): number {
  return codes.get(kind) ?? GAP;
}

/** A row as numbers alone, as an index keeps it. */
export interface PackedRow extends PackedId, Omit<Row, "seq" | "id" | "kind"> {
  readonly code: number;
}

const FIRST_CAPACITY = 256;

/**
 * The rows of an outline, field by field, by line. As objects, 200,000 rows would cost a resume
 * a quarter of a second and 100 MB; as numbers they cost little, and a row is made when someone looks.
 */
export class RowColumns {
  #length = 0;
  #columns = columnsFor(FIRST_CAPACITY);

  get length(): number {
    return this.#length;
  }

  add(row: Row): void {
    // Field by field: this runs for every line of a log that has no index, and spreading cost a third of the whole reading.
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

  /** Keeps nothing of `row` but its numbers, so that whoever reads an index may use one object for all. */
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

  /** The row of a line; undefined for a gap, and where there is no line. */
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

  /** The kind of a line without making its row; undefined for a gap, and where there is no line. */
  kindAt(seq: number): RowKind | undefined {
    return seq >= 1 && seq <= this.#length ? KINDS[(this.#columns.code[seq - 1] ?? GAP) - 1] : undefined;
  }

  /** The parent of a line without making its row; 0 for the first, for a gap, and where there is no line. */
  parentAt(seq: number): number {
    return this.kindAt(seq) === undefined ? 0 : (this.#columns.parent[seq - 1] ?? 0);
  }

  /** The line of an id, or 0. Newest first: what is looked for is mostly near the end. */
  lineOf(id: EntryId): number {
    const { idHigh, idLow } = packId(id);
    const { idHigh: highs, idLow: lows, code } = this.#columns;
    for (let at = this.#length - 1; at >= 0; at -= 1) {
      if (lows[at] === idLow && highs[at] === idHigh && code[at] !== GAP) return at + 1;
    }
    return 0;
  }

  /** The lines of one kind from `from` on, oldest first. */
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

  /** Makes room for so many rows at once, where it is known that they will come. */
  reserve(rows: number): void {
    if (rows > this.#columns.code.length) this.#columns = grown(this.#columns, rows);
  }

  /** The place of the next row; makes room for it. */
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
