import type { Damage, LogStore } from "../ports/log-store.ts";
import type { Entry, EntryKind, EntryOf } from "../record/entry.ts";
import { isKind } from "../record/entry.ts";
import { type EntryId, type Seq, type SessionId, toSeq } from "../record/ids.ts";
import { branchOf } from "../timeline/branch.ts";
import { checkpointsOf } from "../timeline/checkpoints.ts";
import { contextOf } from "../timeline/context/context.ts";
import type { Context } from "../timeline/context/message.ts";
import { lastCompaction, shownLines } from "../timeline/context/shown.ts";
import type { Outline, Row } from "../timeline/outline.ts";
import { contextTokens } from "../timeline/tokens/count.ts";
import { type JourneyEntry, type JourneyState, journeyStates } from "../travel/redo.ts";
import { requireCheckpoint } from "../travel/rewind.ts";
import { fillAll } from "./blobs.ts";
import { type CheckpointView, describeCheckpoints } from "./checkpoint-view.ts";
import type { Listener } from "./events.ts";
import { type Unfinished, unfinishedIn } from "./unfinished.ts";

/** How many lines are read at once when all of them are wanted. */
const PAGE = 2_000;

export interface ViewParts {
  readonly store: LogStore;
  readonly header: EntryOf<"session">;
  readonly outline: Outline;
  readonly damage: readonly Damage[];
}

/**
 * A session as it can be looked at, by anybody and at any time, also while another program
 * writes to it. Contents are read when they are asked for; only the outline is held.
 */
export class SessionView {
  readonly id: SessionId;
  readonly header: EntryOf<"session">;
  readonly outline: Outline;
  /** What could not be read, and was passed over. */
  readonly damage: readonly Damage[];
  protected readonly store: LogStore;

  constructor(parts: ViewParts) {
    this.id = parts.header.session;
    this.header = parts.header;
    this.outline = parts.outline;
    this.damage = parts.damage;
    this.store = parts.store;
  }

  /** How many tokens the context at the head holds: the provider's count, and an estimate of what came since. */
  get tokenCount(): number {
    return this.tokensAt(this.outline.head);
  }

  /** How many checkpoints the session has, those on branches that were left included. */
  get checkpointCount(): number {
    return this.outline.ofKind("checkpoint").length + this.outline.ofKind("step").length;
  }

  /** The entries of the branch, from the first to the head. */
  async history(): Promise<readonly Entry[]> {
    return this.entries(branchOf(this.outline).map((row) => row.seq));
  }

  /** What the model would see at the head, or saw at a checkpoint. */
  async context(at?: number): Promise<Context> {
    const head = at === undefined ? this.outline.head : requireCheckpoint(this.outline, at);
    const compaction = await this.compactionAt(head);
    const lines = shownLines(this.outline, head, compaction);
    return contextOf({
      session: this.header,
      ...(compaction === undefined ? {} : { compaction }),
      pinned: await this.entries(lines.pinned),
      entries: await this.entries(lines.entries),
    });
  }

  async checkpoints(): Promise<readonly CheckpointView[]> {
    return describeCheckpoints(checkpointsOf(this.outline), this);
  }

  /** Every journey that was made, and whether it is still in effect; oldest first. */
  async journeys(): Promise<readonly JourneyState[]> {
    return journeyStates(await this.journeyEntries());
  }

  async title(): Promise<string | undefined> {
    const last = this.outline.ofKind("title").at(-1);
    const [entry] = last === undefined ? [] : await this.entries([last.seq]);
    return entry?.kind === "title" ? entry.title : undefined;
  }

  /** Names of checkpoints, over the whole log: a rewind un-names nothing. Those of a checkpoint stand below its line. */
  async labels(belowLine = 0): Promise<ReadonlyMap<EntryId, string>> {
    const labels = new Map<EntryId, string>();
    const rows = this.outline.ofKind("label");
    const first = rows.findLastIndex((row) => row.seq <= belowLine) + 1;
    for (const entry of await this.entries(rows.slice(first).map((row) => row.seq))) {
      if (entry.kind !== "label") continue;
      if (entry.label === "") labels.delete(entry.target);
      else labels.set(entry.target, entry.label);
    }
    return labels;
  }

  /** Tool calls that were started and never finished, in the turn that the head stands in. */
  async unfinished(): Promise<Unfinished | undefined> {
    return unfinishedIn(this);
  }

  /** Tells `listener` the entry events again, as they were told when the entries were written. */
  async replay(listener: Listener): Promise<void> {
    for await (const entry of this.all()) listener({ type: "entry", entry });
  }

  /** Every entry of the log, branches that were left included, in the order they were written. */
  async *all(): AsyncGenerator<Entry> {
    for (let from = 1; from <= this.outline.length; from += PAGE) {
      const page = await this.readLines(toSeq(from), toSeq(Math.min(from + PAGE - 1, this.outline.length)));
      yield* await fillAll(this.store, this.id, page);
    }
  }

  /** The entries of these lines, with all their texts; lines that cannot be read are left out. */
  async entries(lines: readonly Seq[]): Promise<readonly Entry[]> {
    return fillAll(this.store, this.id, await this.storedEntries(lines));
  }

  /** As `entries`, but long texts stay in their blobs and only show how they start. */
  async storedEntries(lines: readonly Seq[]): Promise<readonly Entry[]> {
    const entries: Entry[] = [];
    for (const { from, to } of runsOf(lines)) entries.push(...(await this.readLines(from, to)));
    return entries;
  }

  async entriesOf<Kind extends EntryKind>(kind: Kind): Promise<readonly EntryOf<Kind>[]> {
    const lines = this.outline.ofKind(kind);
    const entries = await this.entries(lines.map((row) => row.seq));
    return entries.filter((entry): entry is EntryOf<Kind> => isKind(entry, kind));
  }

  protected async readLines(from: Seq, to: Seq): Promise<readonly Entry[]> {
    return this.store.read(this.id, from, to);
  }

  protected async journeyEntries(): Promise<readonly JourneyEntry[]> {
    const kinds = ["backtrack", "rewind", "redo"] as const;
    const lines = kinds.flatMap((kind) => this.outline.ofKind(kind)).sort((a, b) => a.seq - b.seq);
    return (await this.entries(lines.map((row) => row.seq))) as readonly JourneyEntry[];
  }

  protected tokensAt(head: Row | undefined): number {
    return contextTokens(this.outline, head);
  }

  /** The compaction that is in force at `head`. */
  protected async compactionAt(head: Row | undefined): Promise<EntryOf<"compaction"> | undefined> {
    const row = lastCompaction(this.outline, head);
    const [entry] = row === undefined ? [] : await this.entries([row.seq]);
    return entry?.kind === "compaction" ? entry : undefined;
  }
}

/** Neighbouring lines are read together. */
function runsOf(lines: readonly Seq[]): { from: Seq; to: Seq }[] {
  const runs: { from: Seq; to: Seq }[] = [];
  for (const line of lines) {
    const run = runs.at(-1);
    if (run !== undefined && line === run.to + 1 && line - run.from < PAGE) run.to = line;
    else runs.push({ from: line, to: line });
  }
  return runs;
}
