import type { Damage, LogStore } from "../ports/log-store.ts";
import { type Entry, type EntryKind, type EntryOf, isKind } from "../record/entry.ts";
import { WorldlineError } from "../record/error.ts";
import { type EntryId, type Seq, type SessionId, toSeq } from "../record/ids.ts";
import { checkArguments, option } from "../record/options.ts";
import type { TodoItem } from "../record/parts.ts";
import { isPersonCall } from "../timeline/calls.ts";
import { checkpointsOf } from "../timeline/checkpoints.ts";
import {
  type Context,
  contextOf,
  lastCompaction,
  type Shown,
  shownLines,
} from "../timeline/context/context.ts";
import { branchOf, nearest, type Outline } from "../timeline/outline.ts";
import type { Row } from "../timeline/row.ts";
import { contextTokens } from "../timeline/token-count.ts";
import { type JourneyEntry, type JourneyState, journeyStates } from "../travel/redo.ts";
import { requireCheckpoint } from "../travel/rewind.ts";
import { type CheckpointView, describeCheckpoints } from "./checkpoint-list.ts";
import type { Listener } from "./session.ts";
import { fillAll } from "./writer.ts";

/** The number of lines to read at a time when all lines are needed. */
const PAGE = 2_000;

export interface ViewDeps {
  readonly store: LogStore;
  readonly header: EntryOf<"session">;
  readonly outline: Outline;
  readonly damage: readonly Damage[];
}

/**
 * A session that is open for reading. A session can be read at any time, even while another program writes to it. Only
 * the outline is held in memory, and contents are read on demand.
 */
export class SessionView {
  readonly id: SessionId;
  readonly header: EntryOf<"session">;
  readonly outline: Outline;
  protected readonly store: LogStore;
  #damage: readonly Damage[];
  /**
   * Lines that are in the outline but can no longer be read from the log, because they were damaged after the index was
   * created.
   */
  readonly #lost = new Set<number>();

  constructor(parts: ViewDeps) {
    this.id = parts.header.session;
    this.header = parts.header;
    this.outline = parts.outline;
    this.#damage = parts.damage;
    this.store = parts.store;
  }

  /** The known damage to the log. Damaged lines are skipped. More damage may be found when more lines are read. */
  get damage(): readonly Damage[] {
    return this.#damage;
  }

  /**
   * "shared" if programs on other machines can also write to this session, or "machine" if only programs on this
   * machine can.
   */
  get reach(): "machine" | "shared" {
    return this.store.place.reach;
  }

  /** Lines whose kind this version does not support. These lines stay in the log but are otherwise ignored. */
  get foreign(): readonly Seq[] {
    return this.outline.linesOf("foreign");
  }

  /** Checks whether the line exists but is unreadable. */
  isGap(line: number): boolean {
    if (line < 1 || line > this.outline.length) return false;
    return this.#lost.has(line) || this.outline.at(line) === undefined;
  }

  /**
   * When the session was last used, in milliseconds since 1970. A fork's newest entries can be copies that are older
   * than the fork itself.
   */
  get used(): number {
    const { at, confirmation } = this.header;
    const said = Math.max(Date.parse(at), this.outline.head?.at ?? 0);
    if (confirmation?.used !== undefined) return confirmation.used;
    // In a shared store, a wrong clock on another machine must not make a session appear to be the newest one for
    // years.
    return confirmation !== undefined || this.reach === "shared" ? Math.min(said, Date.now()) : said;
  }

  /**
   * The number of tokens in the context at the head: the provider's last count, plus an estimate for everything after
   * it.
   */
  get tokenCount(): number {
    return this.tokensAt(this.outline.head);
  }

  /** The number of checkpoints in the session, including those on abandoned branches. */
  get checkpointCount(): number {
    return this.outline.linesOf("checkpoint").length + this.outline.linesOf("step").length;
  }

  /** The entries of the current branch, from the first entry to the head. */
  async history(): Promise<readonly Entry[]> {
    return this.entries(branchOf(this.outline).map((row) => row.seq));
  }

  /** The context that would be sent to the model at the head, or that was sent at a checkpoint. */
  async context(at?: number): Promise<Context> {
    checkArguments("context", { at: [at, option.optional(option.ordinal)] });
    return contextOf(
      await this.shownAt(at === undefined ? this.outline.head : requireCheckpoint(this.outline, at)),
    );
  }

  async checkpoints(): Promise<readonly CheckpointView[]> {
    return describeCheckpoints(checkpointsOf(this.outline), this);
  }

  /** All journeys, oldest first, and whether each one is still in effect. */
  async journeys(): Promise<readonly JourneyState[]> {
    return journeyStates(await this.journeyEntries());
  }

  async title(): Promise<string | undefined> {
    const [entry] = await this.entries(this.outline.linesOf("title").slice(-1));
    return entry?.kind === "title" ? entry.title : undefined;
  }

  /**
   * The labels of checkpoints in the whole log, because a rewind does not remove labels. With `belowLine`, includes
   * only labels that were written after that line. These are enough to find the label of the checkpoint on that line.
   */
  async labels(belowLine = 0): Promise<ReadonlyMap<EntryId, string>> {
    const labels = new Map<EntryId, string>();
    const lines = this.outline.linesOf("label");
    const first = lines.findLastIndex((line) => line <= belowLine) + 1;
    for (const entry of await this.entries(lines.slice(first))) {
      if (entry.kind !== "label") continue;
      if (entry.label === "") labels.delete(entry.target);
      else labels.set(entry.target, entry.label);
    }
    return labels;
  }

  /** The tool calls in the turn at the head that started but did not finish. */
  async unfinished(): Promise<Unfinished | undefined> {
    return unfinishedIn(this);
  }

  /** Calls `listener` with an event for every entry, like the events emitted when the entries were written. */
  async replay(listener: Listener): Promise<void> {
    for await (const entry of this.all()) listener({ type: "entry", entry });
  }

  /** All entries of the log, including those on abandoned branches, in the order in which they were written. */
  async *all(): AsyncGenerator<Entry> {
    for (let from = 1; from <= this.outline.length; from += PAGE) {
      const page = await this.#readNoting(toSeq(from), toSeq(Math.min(from + PAGE - 1, this.outline.length)));
      // The entries are yielded one by one, because `yield*` would create three promises for each entry.
      for (const entry of await fillAll(this.store, this.id, page)) yield entry;
    }
  }

  /** The entries on these lines, with their long strings included in full. Lines that cannot be read are omitted. */
  async entries(lines: readonly Seq[]): Promise<readonly Entry[]> {
    return fillAll(this.store, this.id, await this.storedEntries(lines));
  }

  /** Like `entries`, but long strings are not read from their blobs, so only their beginning is included. */
  async storedEntries(lines: readonly Seq[]): Promise<readonly Entry[]> {
    const entries: Entry[] = [];
    for (const { from, to, wanted } of runsOf(lines)) {
      for (const entry of await this.#readNoting(from, to)) if (wanted.has(entry.seq)) entries.push(entry);
    }
    return entries;
  }

  async entriesOf<Kind extends EntryKind>(kind: Kind): Promise<readonly EntryOf<Kind>[]> {
    const entries = await this.entries(this.outline.linesOf(kind));
    return entries.filter((entry): entry is EntryOf<Kind> => isKind(entry, kind));
  }

  /**
   * Reads lines, and records damage that was not reported when the session was opened: lines that are in the outline
   * but can no longer be read from the log.
   */
  async #readNoting(from: Seq, to: Seq): Promise<readonly Entry[]> {
    const entries = await this.readLines(from, to);
    if (entries.length === to - from + 1) return entries;
    const read = new Set<number>(entries.map((entry) => entry.seq));
    let lost = 0;
    for (let line: number = from; line <= to; line += 1) {
      if (read.has(line) || this.outline.at(line) === undefined || this.#lost.has(line)) continue;
      this.#lost.add(line);
      lost += 1;
    }
    if (lost > 0) await this.#openAgain();
    return entries;
  }

  /**
   * Opens the log again, so that the store reports the damage found by a read. Keeps the old outline, because it
   * contains lines that can no longer be read from the log.
   */
  async #openAgain(): Promise<void> {
    const { outline, damage } = await this.store.open(this.id);
    for (const line of outline.gaps) this.#lost.add(line);
    this.#damage = damage;
  }

  protected async readLines(from: Seq, to: Seq): Promise<readonly Entry[]> {
    return this.store.read(this.id, from, to);
  }

  protected async journeyEntries(): Promise<readonly JourneyEntry[]> {
    const kinds = ["backtrack", "rewind", "redo"] as const;
    const lines = kinds.flatMap((kind) => this.outline.linesOf(kind)).sort((a, b) => a - b);
    return (await this.entries(lines)) as readonly JourneyEntry[];
  }

  protected tokensAt(head: Row | undefined): number {
    return contextTokens(this.outline, head);
  }

  /** The entries that make up the context at `head`. */
  async shownAt(head: Row | undefined = this.outline.head): Promise<Shown> {
    const compaction = await this.#compactionAt(head);
    const lines = shownLines(this.outline, head, compaction);
    return {
      session: this.header,
      ...(compaction === undefined ? {} : { compaction }),
      pinned: await this.entries(lines.pinned),
      entries: await this.entries(lines.entries),
    };
  }

  /** The compaction in effect at `head`. */
  async #compactionAt(head: Row | undefined): Promise<EntryOf<"compaction"> | undefined> {
    let row = lastCompaction(this.outline, head);
    while (row !== undefined) {
      const [entry] = await this.entries([row.seq]);
      if (entry?.kind === "compaction") return entry;
      // If the compaction is in the index but its line was damaged later, the previous compaction is in effect.
      row = lastCompaction(this.outline, this.outline.at(row.parent));
    }
    return undefined;
  }
}

/**
 * If at least MANY_LINES lines are needed, lines with at most MAX_LINES_BETWEEN other lines between them are read
 * together. Reading a few unneeded lines costs less than calling the store again.
 */
const MANY_LINES = 1_000;
const MAX_LINES_BETWEEN = 4;

interface Run {
  readonly from: Seq;
  to: Seq;
  readonly wanted: Set<Seq>;
}

/** Groups lines into ranges that are read together. */
function runsOf(lines: readonly Seq[]): readonly Run[] {
  const runs: Run[] = [];
  const furthest = lines.length < MANY_LINES ? 1 : 1 + MAX_LINES_BETWEEN;
  for (const line of lines) {
    const run = runs.at(-1);
    const isNear = run !== undefined && line > run.to && line - run.to <= furthest;
    if (isNear && line - run.from < PAGE) {
      run.to = line;
      run.wanted.add(line);
    } else runs.push({ from: line, to: line, wanted: new Set([line]) });
  }
  return runs;
}

/**
 * An interrupted step and its calls, which may or may not have taken effect. A command that the user ran is not part of
 * a step.
 */
interface Unfinished {
  /** The number of the step that made the calls; 0 if no step made them. */
  readonly step: number;
  readonly calls: readonly UnfinishedCall[];
}

interface UnfinishedCall {
  readonly call: string;
  readonly name: string;
}

/**
 * Finds calls that have not ended. Examines only the entries after the branch's last step or reply, because earlier
 * calls have ended or were already handled. A prompt does not end a call, because it may have arrived while the tool
 * was running.
 */
async function unfinishedIn(view: SessionView): Promise<Unfinished | undefined> {
  const branch = branchOf(view.outline);
  const start = branch.findLastIndex((row) => row.kind === "step" || row.kind === "reply");
  const lines = branch
    .slice(Math.max(0, start))
    .filter((row) => row.kind === "tool-start" || row.kind === "tool-end");
  const calls = openCalls(await view.storedEntries(lines.map((row) => row.seq)));
  if (calls.length === 0) return undefined;
  const isOfStep = calls.some(({ call }) => !isPersonCall(call));
  const step = isOfStep ? branch.findLast((row) => row.kind === "step") : undefined;
  return { step: step?.number ?? 0, calls };
}

function openCalls(entries: readonly Entry[]): UnfinishedCall[] {
  const open = new Map<string, UnfinishedCall>();
  for (const entry of entries) {
    if (entry.kind === "tool-start") open.set(entry.call, { call: entry.call, name: entry.name });
    if (entry.kind === "tool-end") open.delete(entry.call);
  }
  return [...open.values()];
}

export interface EntryPage {
  readonly entries: readonly Entry[];
  readonly more: "yes" | "no";
}

export interface PageRequest {
  /** The entry to count back from; by default, the head. */
  readonly before?: EntryId;
  readonly count: number;
}

/**
 * Reads entries of the current branch, counted back from its end or from a given entry. Visits and reads only as many
 * entries as it returns.
 */
export async function branchPage(view: SessionView, { before, count }: PageRequest): Promise<EntryPage> {
  const { outline } = view;
  const lines: Seq[] = [];
  let row = before === undefined ? outline.head : outline.at(requireRow(view, before).parent);
  for (; row !== undefined && lines.length < count; row = outline.at(row.parent)) lines.push(row.seq);
  const entries = await view.entries(lines.reverse());
  return { entries, more: row === undefined ? "no" : "yes" };
}

function requireRow(view: SessionView, id: NonNullable<PageRequest["before"]>): Row {
  const row = view.outline.byId(id);
  if (row !== undefined) return row;
  throw new WorldlineError("entry-unknown", { entry: id });
}

/** The todo list of the current branch. Todo lists on abandoned branches are ignored. */
export async function todosAtHead(view: SessionView): Promise<readonly TodoItem[]> {
  // Most sessions have no todos, so this check usually avoids a search through the log.
  if (view.outline.linesOf("todos").length === 0) return [];
  const row = nearest(view.outline, view.outline.head, ({ kind }) => kind === "todos");
  const [entry] = row === undefined ? [] : await view.entries([row.seq]);
  return entry?.kind === "todos" ? entry.items : [];
}
