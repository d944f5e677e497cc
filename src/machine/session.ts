import type { Lease, Owner } from "../ports/lease.ts";
import type { Recovery } from "../ports/log-store.ts";
import type { WorkspaceFiles } from "../ports/workspace-files.ts";
import type { Draft, DraftOf, Entry, EntryOf } from "../record/entry.ts";
import { isWorldlineError, remark, WorldlineError } from "../record/error.ts";
import { type CheckpointNumber, type EntryId, type Seq, toCheckpointNumber } from "../record/ids.ts";
import { checkArguments, option } from "../record/options.ts";
import { type Part, type ReplyPart, type TodoItem, textPart, type Usage } from "../record/parts.ts";
import { reachesOf } from "../timeline/calls.ts";
import { weighSummary } from "../timeline/token-count.ts";
import type { BacktrackRequest } from "../travel/backtrack.ts";
import { type CompactionRequest, planCompaction } from "../travel/compact.ts";
import { requireCheckpoint } from "../travel/rewind.ts";
import {
  checkBacktrack,
  checkCapture,
  checkCheckpoint,
  checkCompact,
  checkPreview,
  checkRedo,
  checkRewind,
  promptKind,
} from "./check-input.ts";
import { isPublished, Publisher } from "./checkpoint-list.ts";
import type { IntervalOptions, IntervalResult } from "./files/captures.ts";
import { filesAt } from "./files/look.ts";
import { OutsideFiles, type OutsideWatch } from "./files/outside-files.ts";
import { previewFiles } from "./files/preview.ts";
import type {
  CaptureOptions,
  CaptureResult,
  FilesAt,
  FilesPreview,
  FilesPreviewOptions,
  SessionRedoOptions,
  SessionRewindOptions,
  Settled,
} from "./files/requests.ts";
import { type JourneyDeps, SessionFiles, toSettleError } from "./files/session-files.ts";
import {
  type BacktrackAnswer,
  type BacktrackEnd,
  Backtracking,
  type WorldFacts,
} from "./journeys/backtracking.ts";
import {
  type RedoResult,
  type RewindResult,
  redoSession,
  rewindSession,
} from "./journeys/person-journeys.ts";
import { checkedLabel, checkTitle } from "./names.ts";
import type { SessionSettings } from "./settings.ts";
import { SessionView, type ViewDeps } from "./view.ts";
import { appendsOf, type Placed, type Writer } from "./writer.ts";

/** The events of a session. Entries are emitted in log order, each as soon as it is durable. */
export type SessionEvent =
  | { readonly type: "entry"; readonly entry: Entry }
  /**
   * Emitted when the store refuses some entries. The entries wait in memory and are written as soon as the store
   * accepts them.
   */
  | { readonly type: "storage-trouble"; readonly error: WorldlineError; readonly waiting: number }
  | { readonly type: "storage-healed"; readonly written: number }
  /**
   * The list of checkpoints next to the log could not be written. Emitted only once. The log itself is not affected.
   */
  | { readonly type: "publish-failed"; readonly error: WorldlineError };

export type Listener = (event: SessionEvent) => void;

/**
 * Calls the listeners of a session. If a listener throws, emits a process warning, because the error must not stop the
 * writer, the turn, or the process.
 */
export class Listeners<Event = SessionEvent> {
  readonly #listeners = new Set<(event: Event) => void>();

  add(listener: (event: Event) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: Event): void {
    for (const listener of this.#listeners) {
      try {
        // Despite its type, a listener may be asynchronous and reject.
        const result: unknown = listener(event);
        if (result instanceof Promise) result.catch(warnOf);
      } catch (error) {
        warnOf(error);
      }
    }
  }
}

function warnOf(error: unknown): void {
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`A listener threw: ${why}`, "WorldlineWarning");
}

export interface SessionDeps extends ViewDeps {
  readonly writer: Writer;
  readonly listeners: Listeners;
  readonly lease: Lease;
  readonly settings: SessionSettings;
  readonly recovery: Recovery;
  /** The files in the session's workspace, if they can be captured. The caller must open and close them. */
  readonly files?: WorkspaceFiles;
  /** "follow": tracks the files that tools touch, even without `files`. */
  readonly touchedFiles?: "follow";
  /** Finishes all restores in the workspace that belong to other sessions and were interrupted by a crash. */
  readonly settleOthers?: () => Promise<unknown>;
}

export interface Reply {
  readonly parts: readonly ReplyPart[];
  readonly model: string;
  readonly end?: NonNullable<EntryOf<"reply">["end"]>;
  readonly usage?: Usage;
}

type ToolStartDetails = Pick<EntryOf<"tool-start">, "input" | "granted">;
type ToolOutcome = EntryOf<"tool-end">["outcome"];

/**
 * A session that this program holds as its single writer. Every method resolves when everything that it wrote is
 * durable. The caller may therefore call the model after `prompt` has resolved, and run a tool after `toolStart` has
 * resolved.
 */
export class Session extends SessionView {
  /** The half-written data that the last crash left behind, and where it is now. */
  readonly recovery: Recovery;
  /** The dead program that the session's lease was taken over from; undefined if there was none. */
  readonly takenFrom: Owner | undefined;
  readonly sharedFrom: string | undefined;
  readonly #writer: Writer;
  readonly #listeners: Listeners;
  readonly #lease: Lease;
  #settings: SessionSettings;
  readonly #backtracking: Backtracking;
  readonly #publisher: Publisher;
  readonly #files: SessionFiles | undefined;
  /** The files that no snapshot covers; undefined if no files are tracked. */
  readonly #outside: OutsideFiles | undefined;
  #settledOutside: Settled = { restores: [] };
  #open = true;

  constructor(parts: SessionDeps) {
    super(parts);
    this.recovery = parts.recovery;
    this.takenFrom = parts.lease.takenFrom;
    this.sharedFrom = parts.store.place.reach === "shared" ? parts.lease.owner.host : undefined;
    this.#writer = parts.writer;
    this.#listeners = parts.listeners;
    this.#lease = parts.lease;
    this.#settings = parts.settings;
    const { files, touchedFiles, settleOthers = async () => undefined } = parts;
    const follows = files === undefined ? "everything" : "outside";
    const isFollowing = files !== undefined || touchedFiles === "follow";
    const outside = isFollowing ? new OutsideFiles(this, parts.store, follows) : undefined;
    this.#outside = outside;
    this.#files = files && outside && new SessionFiles({ view: this, files, outside }, settleOthers);
    const context = outside && { view: this, files: this.#files, outside };
    this.#backtracking = new Backtracking(this, parts.settings, context);
    this.#publisher = new Publisher({
      view: this,
      store: parts.store,
      keep: parts.settings.keepCheckpoints,
      onFailure: (error) => parts.listeners.emit({ type: "publish-failed", error }),
    });
    if (this.outline.linesOf("checkpoint").length > 0) this.#publisher.start("opening");
  }

  /** Calls `listener` with every future event. Returns a function that removes the listener. */
  on(listener: Listener): () => void {
    checkArguments("on", { listener: [listener, option.callback] });
    return this.#listeners.add(listener);
  }

  /**
   * Appends entries in a single write, each one after the head or at the given place. If the store cannot accept them
   * (STORE_FULL, STORE_UNWRITABLE), they wait in order and are written with the next write or `flush`. The caller does
   * not have to pass them again.
   */
  async write(placed: readonly Placed[]): Promise<readonly EntryId[]> {
    if (!this.#open) throw new WorldlineError("session-closed", {});
    const written = await this.#writer.append(placed);
    if (written.some(isPublished)) this.#publisher.start();
    return written.map((entry) => entry.id);
  }

  /**
   * Appends one entry after the head. Most kinds of entries have their own method below. Use this method for all other
   * kinds.
   */
  async append(draft: Draft): Promise<EntryId> {
    return (await this.write([{ draft }]))[0] as EntryId;
  }

  /**
   * Creates a checkpoint and records a prompt after it. If another agent will answer, `host` is written together with
   * the prompt.
   */
  async prompt(
    content: string | readonly Part[],
    host?: DraftOf<"host">,
  ): Promise<{ checkpoint: CheckpointNumber; entry: EntryId }> {
    checkArguments("prompt", { content: [content, promptKind] });
    const parts = typeof content === "string" ? [textPart(content)] : content;
    const checkpoint = this.#nextNumber();
    const [, entry] = await this.write([
      { draft: { kind: "checkpoint", number: checkpoint, on: "prompt" } },
      { draft: { kind: "prompt", parts } },
      ...(host === undefined ? [] : [{ draft: host }]),
    ]);
    return { checkpoint, entry: entry as EntryId };
  }

  /** Creates a checkpoint before a model call. */
  async step(): Promise<CheckpointNumber> {
    const number = this.#nextNumber();
    const { window } = this.#settings;
    const fill = window > 0 ? { fill: Math.round((100 * this.tokenCount) / window) } : {};
    await this.append({ kind: "step", number, ...fill });
    return number;
  }

  /**
   * Sets the size of the context window after the model has changed. Later steps use this size to compute how full the
   * context is.
   */
  useWindow(window: number): void {
    this.#settings = { ...this.#settings, window };
  }

  async reply(reply: Reply): Promise<EntryId> {
    return this.append({ kind: "reply", ...reply });
  }

  /** Records that a tool is starting. The tool must not change anything until the promise resolves. */
  async toolStart(call: string, name: string, given: ToolStartDetails = {}): Promise<EntryId> {
    return this.append({ kind: "tool-start", call, name, ...given });
  }

  /**
   * Stores the current contents of the files that a tool is about to write and that no snapshot covers. These are files
   * outside the workspace, or all files if the workspace is not captured. The caller adds the resulting changes to the
   * entry for the tool's end. Returns undefined if no files are tracked.
   */
  async watchOutside(paths: readonly string[]): Promise<OutsideWatch | undefined> {
    return this.#outside?.watch(paths);
  }

  async toolEnd(call: string, outcome: ToolOutcome, content: ToolContent): Promise<EntryId> {
    const { parts, ...known } = toolResultOf(content);
    return this.append({ kind: "tool-end", call, outcome, parts, ...known });
  }

  async todos(items: readonly TodoItem[]): Promise<EntryId> {
    return this.append({ kind: "todos", items });
  }

  /** Ends the turn at this place, and drops any backtrack that the agent has requested. */
  async interrupt(by: EntryOf<"interrupt">["by"] = "person"): Promise<EntryId> {
    await this.#backtracking.drop(remark("backtrack-turn-interrupted"));
    return this.append({ kind: "interrupt", by });
  }

  async retitle(title: string): Promise<EntryId> {
    return this.append({ kind: "title", title: checkTitle(title) });
  }

  /** Creates a manual checkpoint and captures its files. `filesAt` returns the state of these files. */
  async checkpoint(
    label?: string,
    { author = "outside", ...patience }: Partial<Omit<CaptureOptions, "checkpoint">> = {},
  ): Promise<CheckpointNumber> {
    checkArguments("checkpoint", { label: [label, option.optional(option.text)] });
    checkCheckpoint({ author, ...patience });
    const name = label === undefined ? undefined : checkedLabel(label);
    const { number, entry } = await this.mark();
    if (name !== undefined) await this.append({ kind: "label", target: entry, label: name });
    await this.capture({ ...patience, checkpoint: number, author });
    return number;
  }

  /** Creates a manual checkpoint without capturing its files, which the caller must do. */
  async mark(): Promise<{ number: CheckpointNumber; entry: EntryId }> {
    const number = this.#nextNumber();
    return { number, entry: await this.append({ kind: "checkpoint", number, on: "manual" }) };
  }

  /** Labels a checkpoint. An empty label removes the current one. */
  async label(number: number, label: string): Promise<void> {
    const name = label === "" ? label : checkedLabel(label);
    const target = requireCheckpoint(this.outline, number);
    await this.append({ kind: "label", target: target.id, label: name });
    await this.#files?.label(number, name);
  }

  get hasFiles(): boolean {
    return this.#files !== undefined;
  }

  /**
   * The restores in the workspace that were interrupted by a crash and finished when the session was opened, with their
   * outcomes.
   */
  get settled(): Settled {
    const { restores, ...trouble } = this.#settledOutside;
    const settled = this.#files?.settled ?? { restores: [] };
    return { ...trouble, ...settled, restores: [...settled.restores, ...restores] };
  }

  /**
   * Finishes restores that were interrupted by a crash. Opening a session does this automatically, so callers do not
   * have to.
   */
  async settleFiles(): Promise<void> {
    await this.#files?.settle();
    if (this.#files?.settled.trouble !== undefined) return;
    try {
      this.#settledOutside = { restores: (await this.#outside?.settle()) ?? [] };
    } catch (error) {
      this.#settledOutside = { restores: [], trouble: toSettleError(error) };
    }
  }

  /**
   * Captures the files for a checkpoint. Prompts and steps do not wait for their files. The caller that created the
   * checkpoint must therefore call this method. If a capture fails, the failure is recorded and the turn continues.
   * Rejects only with CANCELLED.
   */
  async capture(options: CaptureOptions): Promise<CaptureResult> {
    checkCapture(options);
    return this.#files === undefined ? { state: "no-files" } : this.#files.capture(options);
  }

  /**
   * Captures the files during a turn, immediately before or after a tool runs, so that the tool's changes can be
   * distinguished from outside changes. Records a state only if something has changed. Resolves with undefined if the
   * session does not capture files.
   */
  async observe(options: IntervalOptions): Promise<IntervalResult | undefined> {
    return this.#files?.observe(options);
  }

  /** A checkpoint's files, or the reason why they are not available. */
  async filesAt(checkpoint: number): Promise<FilesAt> {
    return this.#files === undefined ? filesAt(this, undefined, checkpoint) : this.#files.at(checkpoint);
  }

  /** Returns what a rewind or redo would do to the files. Changes nothing. */
  async previewFiles(options: FilesPreviewOptions): Promise<FilesPreview> {
    checkPreview(options);
    if (this.#outside === undefined && !("rewinder" in options)) throw new WorldlineError("files-off", {});
    return this.#files?.preview(options) ?? previewFiles({ view: this, ...this.#outside?.kept }, options);
  }

  /**
   * Accepts the agent's request for a backtrack, which `endStep` then carries out, or returns the reason why the
   * request is refused.
   */
  async requestBacktrack(call: string, request: BacktrackRequest): Promise<BacktrackAnswer> {
    checkBacktrack(request);
    return this.#backtracking.request(call, request);
  }

  /** Whether the agent has requested a backtrack that `endStep` will carry out. */
  get isGoingBack(): boolean {
    return this.#backtracking.isFiled;
  }

  /**
   * Must be called when all tool calls of the step have ended. Carries out the requested backtrack, or drops it and
   * returns the reason.
   */
  async endStep(facts?: WorldFacts): Promise<BacktrackEnd> {
    return this.#backtracking.end(facts ?? { changed: [], running: [] });
  }

  /** Must be called when the turn has ended, so that a request from this turn is not carried out in the next one. */
  async endTurn(): Promise<void> {
    await this.#backtracking.drop(remark("backtrack-turn-ended"));
  }

  /**
   * Goes back to any checkpoint, including those before a compaction and on abandoned branches. If the argument is just
   * a number, the files are not changed.
   */
  async rewind(options: number | SessionRewindOptions): Promise<RewindResult> {
    checkRewind(options);
    return rewindSession(
      this.#journeyDeps(),
      typeof options === "number" ? { to: options, scope: "conversation" } : options,
    );
  }

  /**
   * Undoes the latest journey, including its changes to the files. Rejects with NOTHING_TO_REDO if new work followed
   * the journey. To undo an older journey, pass its id. Newer work then moves to another branch. `previewFiles` shows
   * what this would do to the files.
   */
  async redo(options: EntryId | SessionRedoOptions = {}): Promise<RedoResult> {
    checkRedo(options);
    return redoSession(this.#journeyDeps(), typeof options === "string" ? { wanted: options } : options);
  }

  /** In the context for all future model calls, replaces everything except the last exchanges with `summary`. */
  async compact(request: {
    summary: string;
    keep?: number;
    reason?: EntryOf<"compaction">["reason"];
    focus?: string;
    by?: NonNullable<CompactionRequest["by"]>;
  }): Promise<EntryId> {
    checkCompact(request);
    if (request.summary.trim() === "") throw new WorldlineError("summary-empty", {});
    const { compaction, pinned, entries } = await this.shownAt(this.outline.head);
    const isAsking = (entry: Entry): boolean => entry.kind === "backtrack" && entry.prompts.length > 0;
    const journey = planCompaction(this.outline, {
      summary: request.summary,
      last: compaction,
      asking: new Set([...pinned, ...entries].filter(isAsking).map(({ id }) => id)),
      reaches: reachesOf(entries),
      summaryEstimate: weighSummary(request.summary, this.header),
      keep: request.keep ?? this.#settings.keepExchanges,
      reason: request.reason ?? "asked",
      ...(request.focus === undefined ? {} : { focus: request.focus }),
      ...(request.by === undefined ? {} : { by: request.by }),
      tokensBefore: this.tokenCount,
    });
    return (await this.write(appendsOf(journey)))[0] as EntryId;
  }

  /** Resolves when all appended entries are durable. Retries entries that the store has refused. */
  async flush(): Promise<void> {
    await this.#writer.flush();
  }

  /** Resolves when the published list of checkpoints matches the log and no update is pending. */
  async published(): Promise<void> {
    await this.#publisher.finish();
  }

  /** Publishes the list of checkpoints again after the store has dropped the list, for example, during a rewrite. */
  async republish(): Promise<void> {
    this.#publisher.start();
    await this.#publisher.finish();
  }

  /**
   * Writes all waiting entries and releases the lease, so that other programs can write to the session. The lease is
   * released even if the store refuses the entries.
   */
  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    try {
      await this.#writer.flush();
    } catch (error) {
      // If another program took over the log, every append that failed as a result has already reported the takeover.
      if (!isWorldlineError(error, "SESSION_CLOSED")) throw error;
    } finally {
      await this.#leave();
    }
  }

  async #leave(): Promise<void> {
    try {
      await this.#publisher.finish();
    } finally {
      await this.#lease.release();
    }
  }

  /**
   * Includes entries that the store has not accepted yet. These entries are in the outline, so the model and the user
   * must see them.
   */
  protected override async readLines(from: Seq, to: Seq): Promise<readonly Entry[]> {
    const waiting = this.#writer.waitingBetween(from, to);
    const stored = await super.readLines(from, to);
    if (waiting.length === 0) return stored;
    const written = new Set(stored.map((entry) => entry.seq));
    return [...stored, ...waiting.filter((entry) => !written.has(entry.seq))];
  }

  #journeyDeps(): JourneyDeps {
    return {
      session: this,
      files: this.#files,
      outside: this.#outside,
      dropRequest: async (why) => this.#backtracking.drop(why),
    };
  }

  #nextNumber(): CheckpointNumber {
    return toCheckpointNumber(Math.max(this.outline.highestNumber, this.header.numbersFrom) + 1);
  }
}

type ToolResult = Pick<EntryOf<"tool-end">, "parts" | "denial" | "seen" | "outside">;

/** A tool's result. A string or a list of parts is shorthand for a result with only this content. */
type ToolContent = string | readonly Part[] | ToolResult;

function toolResultOf(content: ToolContent): ToolResult {
  if (typeof content === "string") return { parts: [textPart(content)] };
  return "parts" in content ? content : { parts: content };
}
