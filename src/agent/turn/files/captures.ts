import { SerialQueue } from "../../../disk/lock.ts";
import type { IntervalFacts } from "../../../machine/files/captures.ts";
import type {
  CaptureOptions,
  CaptureResult,
  FilesAt,
  FilesProgress,
  ProgressOptions,
} from "../../../machine/files/requests.ts";
import type { Session } from "../../../machine/session.ts";
import type { AgentEvent } from "../../../ports/agent-events.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { WorkspaceFiles } from "../../../ports/workspace-files.ts";
import type { Author } from "../../../record/entry.ts";
import { inEnglish, type Problem, problemIn, problemOf, type Remark, remark } from "../../../record/error.ts";
import { type SnapshotId, toCheckpointNumber } from "../../../record/ids.ts";
import type { Reach } from "../../permissions/rules.ts";
import { type EndedCall, isChanging, type Look, RunningCalls, type StartingCall } from "./running-calls.ts";

/**
 * How long a call waits for any capture except the first. The wait is long enough for most captures, and short enough
 * to go unnoticed.
 */
const LATER_WAIT_MS = 2_000;

/** How long a turn waits for its last capture before it ends, in order to report which files changed. */
const END_WAIT_MS = 10_000;

interface CapturesOptions {
  readonly session: Session;
  readonly files?: WorkspaceFiles | undefined;
  readonly clock: Clock;
  readonly firstWaitMs: number;
  readonly emit: (event: AgentEvent) => void;
  /** The captures of the parent session, which owns the files and captures them before and after each call. */
  readonly above?: Captures | undefined;
}

/** The files before a turn, and the log line that records them. */
interface CapturedBase {
  readonly snapshot: SnapshotId;
  readonly line: number;
}

/**
 * The captures of a turn. Captures run in parallel with the model and the tools. A failed capture is reported but does
 * not stop anything. Only a tool that is about to change files waits for a capture, for a limited time. Only changes
 * made while a tool is running are attributed to the timeline. Right before a tool starts, a capture records all earlier
 * changes as outside changes. After the tool has ended, another capture attributes all new changes to the timeline and
 * its calls.
 */
export class Captures {
  readonly #options: CapturesOptions;
  /** A queue of captures. A capture decides which paths to examine at the moment when it begins. */
  readonly #queue = new SerialQueue();
  #running: Promise<CaptureResult> | undefined;
  #isFirst = true;
  /**
   * Whether there may be changes that no capture has seen. Such changes are possible before the first capture and after
   * a failed one.
   */
  #isUnsure = true;
  readonly #calls: RunningCalls;
  /** Whether a call has run since the last checkpoint's files were captured. */
  #hasRun = false;
  #newest: SnapshotId | undefined;
  #base: CapturedBase | undefined;
  /**
   * The author of the changes made before the next step of a turn that was cut off. Set when the turn continues. The
   * files at that step become the new base of the turn.
   */
  #resumedBy: Author | undefined;
  #progress = { files: 0, ofFiles: 0 };
  #missing = "";
  /** Aborted when the user no longer wants to wait for the first capture. */
  #impatience = new AbortController();

  constructor(options: CapturesOptions) {
    this.#options = options;
    const { id, header } = options.session;
    this.#calls = new RunningCalls({ session: id, workspace: header.workspace });
  }

  /** The newest snapshot that is known to be complete or partial. */
  get newest(): SnapshotId | undefined {
    return this.#newest;
  }

  /** The files of the workspace before the turn. Undefined if they were not captured. */
  get base(): CapturedBase | undefined {
    return this.#base;
  }

  /** Whether a capture is still running even though calls no longer wait for it. */
  get isBehind(): boolean {
    return this.#running !== undefined;
  }

  /** Makes the next capture examine everything. Called after a journey changed files. */
  journeyMade(): void {
    this.#isUnsure = true;
  }

  /**
   * Captures the files before a prompt's turn. No tool of this session made any of the changes since the last capture.
   */
  beforePrompt(checkpoint: number, author: Author): void {
    this.#base = undefined;
    this.#hasRun = false;
    this.#begin(async () => {
      const result = await this.#capture({ checkpoint, author, look: "everything" }, "everything");
      this.#base = this.#baseOf(result);
      return result;
    });
  }

  /** Prepares to continue a turn that was cut off. Other programs may have changed any file before its next step. */
  beforeResume(author: Author): void {
    this.#isUnsure = true;
    this.#resumedBy = author;
    this.#base = undefined;
  }

  /** Captures the files for the checkpoint before the next model call. Called after a step. */
  atCheckpoint(checkpoint: number): void {
    this.#hasRun = false;
    const author = this.#resumedBy;
    this.#resumedBy = undefined;
    this.#begin(async () => {
      const look = this.#lookNow();
      const ran = author === undefined ? { ran: () => this.#calls.facts() } : {};
      const result = await this.#capture({ checkpoint, author: author ?? "timeline", look, ...ran }, look);
      if (author !== undefined) this.#base = this.#baseOf(result);
      return result;
    });
  }

  /** Creates a separate checkpoint for the changes made by an interrupted turn's tools. */
  atEarlyEnd(): void {
    if (!this.#hasRun) return;
    this.#hasRun = false;
    this.#begin(async () => this.#captureInterrupted());
  }

  /**
   * Captures the files after a user's command. Attributes all changes since the last capture to the command, and thus
   * to the timeline.
   */
  afterCommand(checkpoint: number): void {
    const { session, files } = this.#options;
    this.#hasRun = false;
    this.#begin(async () =>
      this.#shown(undefined, async (onProgress) => {
        const seen = this.#calls.ended;
        const ran = (): IntervalFacts => this.#calls.facts();
        const at = await captureAfterCommand({ session, files, checkpoint, onProgress, ran });
        if (at.state === "complete" || at.state === "partial") this.#saw(seen, "everything");
        return this.#noteFiles(at);
      }),
    );
  }

  /**
   * Resolves when the call may run. Waits for the running capture, and then captures outside changes, so that they are
   * not attributed to the call. If this takes too long, the call runs anyway, and the log records that it did.
   */
  async starting(call: StartingCall, signal: AbortSignal): Promise<void> {
    const { above, session, clock } = this.#options;
    if (above !== undefined) return above.starting({ ...call, call: this.#nameAbove(call.call) }, signal);
    const began = this.#isFirst ? undefined : clock.now();
    await this.ready(call.reach, signal);
    if (!isChanging(call) || !session.hasFiles || signal.aborted) return;
    // The two waits share one time limit. The wait for the first capture has a separate limit.
    const left = LATER_WAIT_MS - (began === undefined ? 0 : clock.now() - began);
    const late = this.#running !== undefined || (await this.#seesAll(call, left, signal)) === "late";
    if (!signal.aborted) this.started(call, late ? "late" : undefined);
  }

  /** Records that a call is starting to run. */
  started(call: StartingCall, looked?: "late"): void {
    const { above } = this.#options;
    if (above !== undefined) above.started({ ...call, call: this.#nameAbove(call.call) }, looked);
    else this.#calls.start(call, looked);
  }

  /** Records that a call will not run after all, or that it must first get permission again. */
  withdrawn(call: string): void {
    const { above } = this.#options;
    if (above !== undefined) above.withdrawn(this.#nameAbove(call));
    else this.#calls.withdraw(call);
  }

  /** Captures the call's changes while the turn continues. Called when the call has ended. */
  ended(call: string, end: EndedCall = {}): void {
    const { above } = this.#options;
    if (above !== undefined) {
      above.ended(this.#nameAbove(call), end);
      return;
    }
    const look = this.#noteEnded(call, end);
    if (look !== undefined) this.#begin(async () => this.#observe(look));
  }

  /** Like `ended`, but leaves the capture to the caller. */
  endedUnseen(call: string, end: EndedCall = {}): void {
    this.#noteEnded(call, end);
  }

  /**
   * Resolves when the changes made by the step's calls have been logged. The caller then captures the workspace itself.
   */
  async untilLogged(): Promise<void> {
    await this.#running;
  }

  /** Ends the wait for the first capture, if a call is waiting for it. */
  skipCaptureWait(): void {
    this.#impatience.abort();
    this.#impatience = new AbortController();
  }

  /** Resolves when a tool with this reach may start. */
  async ready(reach: Reach, signal: AbortSignal): Promise<void> {
    const running = this.#running;
    if (running === undefined || reach === "nothing" || reach === "reads") return;
    const isPatient = this.#isFirst;
    const waitMs = isPatient ? this.#options.firstWaitMs : LATER_WAIT_MS;
    if (isPatient)
      this.#options.emit({ type: "doing", doing: { what: "waiting-for-capture", ...this.#progress } });
    const impatience = this.#impatience.signal;
    const ending = isPatient ? AbortSignal.any([signal, impatience]) : signal;
    const outcome = await this.#within(running, waitMs, ending);
    if (outcome === "done" || !isPatient || signal.aborted) return;
    // Only the first call that changes files waits this long, not every command in a large workspace.
    this.#isFirst = false;
    const seconds = Math.round(waitMs / 1000);
    const words = impatience.aborted
      ? inEnglish("capture-not-waited-for", {})
      : inEnglish("capture-late", { seconds });
    this.#options.emit({ type: "warning", ...words, code: "SNAPSHOT_SLOW" });
  }

  /** Resolves when no capture is running or when a time limit is reached. */
  async settled(): Promise<void> {
    if (this.#running === undefined) return;
    const outcome = await this.#within(this.#running, END_WAIT_MS, undefined);
    if (outcome !== "late") return;
    const { why: message, ...made } = remark("capture-still-running");
    this.#options.emit({ type: "warning", code: "SNAPSHOT_SLOW", message, ...made });
  }

  /** Resolves when no capture is running, however long that takes. */
  async finished(): Promise<void> {
    await this.#running;
  }

  /**
   * Returns the name of a call in the parent's captures. The name is unique, even though parallel sub-agents may use
   * the same call ids.
   */
  #nameAbove(call: string): string {
    return `${this.#options.session.id}/${call}`;
  }

  #begin(capture: () => Promise<CaptureResult>): void {
    if (!this.#options.session.hasFiles) return;
    const running = this.#queue.run(capture);
    this.#running = running;
    void running.finally(() => {
      if (this.#running === running) this.#running = undefined;
      this.#isFirst = false;
    });
  }

  /**
   * Captures outside changes right before a call. Examines only the named paths for an edit tool, and all paths for a
   * command.
   */
  async #seesAll(call: StartingCall, waitMs: number, signal: AbortSignal): Promise<"done" | "late"> {
    const wrote = this.#calls.reachOf(call);
    let isSeen = false;
    this.#begin(async () => {
      const result = await this.#observe(wrote);
      isSeen = !this.#isUnsure;
      return result;
    });
    if (this.#running === undefined) return "done";
    const outcome = await this.#within(this.#running, Math.max(0, waitMs), signal);
    return outcome === "done" && isSeen ? "done" : "late";
  }

  async #observe(wanted: Look): Promise<CaptureResult> {
    const look = this.#widened(wanted);
    const seen = this.#calls.ended;
    return this.#shown(undefined, async (onProgress) => {
      const result = await this.#options.session.observe({
        look,
        onProgress,
        ran: () => this.#calls.facts(),
      });
      if (result?.state === "failed") this.#failed(undefined, problemIn(result));
      if (result?.state !== "captured") return { state: "no-files" };
      this.#newest = result.snapshot;
      this.#saw(seen, look);
      return { state: "no-files" };
    });
  }

  #lookNow(): Look {
    return this.#widened([]);
  }

  #widened(wanted: Look): Look {
    return this.#isUnsure ? "everything" : this.#calls.widened(wanted);
  }

  #saw(seen: Parameters<RunningCalls["saw"]>[0], look: Look): void {
    this.#calls.saw(seen, look);
    if (look === "everything") this.#isUnsure = false;
  }

  /** Returns the paths to capture after a call has ended, or undefined if the call was not known to be running. */
  #noteEnded(call: string, end: EndedCall): Look | undefined {
    const look = this.#calls.end(call, end);
    if (look !== undefined) this.#hasRun = true;
    return look;
  }

  #baseOf(result: CaptureResult): CapturedBase | undefined {
    const snapshot = snapshotOf(result);
    if (snapshot === undefined || !("entry" in result)) return undefined;
    const line = this.#options.session.outline.byId(result.entry)?.seq;
    return line === undefined ? undefined : { snapshot, line };
  }

  /** Captures the files. Never rejects, because failures are reported as warnings. */
  async #capture(request: Omit<CaptureOptions, "onProgress" | "signal">, look: Look): Promise<CaptureResult> {
    const { checkpoint } = request;
    const seen = this.#calls.ended;
    return this.#shown(checkpoint, async (onProgress) => {
      const result = await this.#options.session.capture({ ...request, onProgress });
      if (snapshotOf(result) !== undefined) this.#saw(seen, look);
      return result;
    });
  }

  async #captureInterrupted(): Promise<CaptureResult> {
    const { session } = this.#options;
    const seen = this.#calls.ended;
    const look = this.#lookNow();
    return this.#shown(undefined, async (onProgress) => {
      const ran = (): IntervalFacts => ({ ...this.#calls.facts(), author: "timeline" });
      const checkpoint = await session.checkpoint(undefined, { author: "timeline", look, onProgress, ran });
      const at = await session.filesAt(checkpoint);
      if (at.state === "complete" || at.state === "partial") this.#saw(seen, look);
      return this.#noteFiles(at);
    });
  }

  #noteFiles(at: FilesAt): CaptureResult {
    if (at.state === "complete" || at.state === "partial") this.#newest = at.snapshot;
    if (at.state === "none") this.#failed(undefined, problemIn(at));
    return { state: "no-files" };
  }

  async #shown(
    checkpoint: number | undefined,
    capture: (onProgress: (progress: FilesProgress) => void) => Promise<CaptureResult>,
  ): Promise<CaptureResult> {
    try {
      const result = await capture((progress) => this.#note(progress));
      if (result.state === "none") this.#failed(checkpoint, problemIn(result));
      if (result.state === "partial") this.#partial({ ...result, why: result.why ?? "" });
      this.#newest = snapshotOf(result) ?? this.#newest;
      return result;
    } catch (error) {
      // A failed capture must not end a turn.
      this.#failed(checkpoint, problemOf(error));
      return { state: "no-files" };
    }
  }

  #failed(checkpoint: number | undefined, problem: Problem): void {
    // It is unknown what this capture missed, so the next one must examine everything.
    this.#isUnsure = true;
    const { why: message, ...made } = remark("capture-failed", {
      ...(checkpoint === undefined ? {} : { checkpoint }),
      problem,
    });
    this.#options.emit({ type: "warning", code: "SNAPSHOT_FAILED", message, ...made });
  }

  /** Reports a partial capture once, and again only if captures miss something else. */
  #partial(missing: Remark): void {
    if (this.#missing === missing.why) return;
    this.#missing = missing.why;
    const { why: message, ...made } = remark("capture-in-part", { problem: problemIn(missing) });
    this.#options.emit({ type: "warning", code: "SNAPSHOT_PARTIAL", message, ...made });
  }

  #note(progress: FilesProgress): void {
    if (progress.doing !== "capture") return;
    this.#progress = { files: progress.files, ofFiles: progress.ofFiles };
    this.#options.emit({ type: "doing", doing: { what: "capturing", ...this.#progress } });
  }

  async #within(
    running: Promise<unknown>,
    waitMs: number,
    signal: AbortSignal | undefined,
  ): Promise<"done" | "late"> {
    const patience = new AbortController();
    const stop = (): void => patience.abort();
    signal?.addEventListener("abort", stop, { once: true });
    // A listener may have interrupted the turn as soon as it was notified of the wait.
    if (signal?.aborted === true) stop();
    const late = this.#options.clock.wait(waitMs, patience.signal).then(() => "late" as const);
    try {
      return await Promise.race([running.then(() => "done" as const), late]);
    } finally {
      signal?.removeEventListener("abort", stop);
      patience.abort();
    }
  }
}

function snapshotOf(result: CaptureResult): SnapshotId | undefined {
  return result.state === "complete" || result.state === "partial" ? result.snapshot : undefined;
}

interface AfterCommand extends Pick<ProgressOptions, "onProgress"> {
  readonly session: Session;
  readonly files: WorkspaceFiles | undefined;
  /** The checkpoint before the command. */
  readonly checkpoint: number;
  /** Returns facts about the calls that have run since that checkpoint. */
  readonly ran: () => IntervalFacts;
}

/**
 * Logs the files after a user's command, so that later outside changes are not attributed to the command. Most commands
 * change nothing. In that case, the checkpoint's files are logged again, which keeps lists short.
 */
async function captureAfterCommand(after: AfterCommand): Promise<FilesAt> {
  const { session, onProgress, ran } = after;
  const unchanged = await filesUnchanged(after);
  if (unchanged !== undefined) {
    const { line: _, ...known } = unchanged;
    const checkpoint = toCheckpointNumber(after.checkpoint);
    await session.append({ kind: "snapshot", checkpoint, author: "timeline", ...known });
    return unchanged;
  }
  const patience = onProgress === undefined ? {} : { onProgress };
  return session.filesAt(await session.checkpoint(undefined, { author: "timeline", ran, ...patience }));
}

type FilesThere = Extract<FilesAt, { state: "complete" | "partial" }>;

/** Returns the files of the checkpoint, if they have not changed since then. */
async function filesUnchanged({ session, files, checkpoint }: AfterCommand): Promise<FilesThere | undefined> {
  const before = await session.filesAt(checkpoint);
  if (files === undefined || (before.state !== "complete" && before.state !== "partial")) return undefined;
  const { snapshot } = await files.capture({ look: "everything" });
  return snapshot === before.snapshot ? before : undefined;
}
