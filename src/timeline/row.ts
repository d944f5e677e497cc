import type { Entry, EntryKind } from "../record/entry.ts";
import type { EntryId, Seq } from "../record/ids.ts";

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

export type Journeying = "backtrack" | "rewind" | "redo";

export function isJourney(kind: string): kind is Journeying {
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
