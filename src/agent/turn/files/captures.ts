import { relative, sep } from "node:path";
import type { CaptureResult, CaptureWish, FilesAt, FilesProgress } from "../../../machine/files/requests.ts";
import type { Session } from "../../../machine/session.ts";
import type { AgentEvent } from "../../../ports/agent-events.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { WorkspaceFiles } from "../../../ports/workspace-files.ts";
import type { Author } from "../../../record/entry.ts";
import { type PathBytes, pathOfText } from "../../../record/files.ts";
import type { SnapshotId } from "../../../record/ids.ts";
import type { Reach } from "../../tools/tool.ts";
import { captureAfterCommand } from "./after-command.ts";

/** How long a call waits for a capture that is not the first one: long enough for most, short enough to go unnoticed. */
const LATER_WAIT_MS = 2_000;

/** How long the end of a turn waits for its last capture, to say which files it changed. */
const END_WAIT_MS = 10_000;

const NOT_WAITED_FOR =
  "The first capture of the workspace is not done; the tool runs without it, as you wished.";
const NOT_RESTORABLE = "What it changes before the capture is done may not be restorable.";

export interface CapturesParts {
  readonly session: Session;
  readonly files?: WorkspaceFiles;
  readonly clock: Clock;
  readonly firstWaitMs: number;
  readonly tell: (event: AgentEvent) => void;
  /** Whether commands run in the background, which may change anything at any time. */
  readonly isAnythingRunning: () => boolean;
}

/** What changed since the last capture, as far as the tools know. */
type Dirty = "everything" | Set<string>;

/**
 * The captures of a turn. They run beside the model and the tools, and what fails is shown and stops nobody; only a tool
 * that is about to change files waits a while, so that a capture does not hold half of what it did.
 */
export class Captures {
  readonly #parts: CapturesParts;
  #running: Promise<CaptureResult> | undefined;
  #isFirst = true;
  /** Nobody knows what changed before this began. */
  #dirty: Dirty = "everything";
  #author: Author = "timeline";
  #newest: SnapshotId | undefined;
  #atPrompt: SnapshotId | undefined;
  /** Whether the next capture is the one that a turn which goes on is compared with. */
  #isGoingOn = false;
  #progress = { files: 0, ofFiles: 0 };
  #missing = "";
  /** Aborted when the person does not want to wait for the first capture any longer. */
  #impatience = new AbortController();

  constructor(parts: CapturesParts) {
    this.#parts = parts;
  }

  /** The newest snapshot that is known to be complete or partial. */
  get newest(): SnapshotId | undefined {
    return this.#newest;
  }

  /** The workspace as it was before the turn; undefined where that was not captured. */
  get atPrompt(): SnapshotId | undefined {
    return this.#atPrompt;
  }

  /** A tool has run: what it wrote, where it knows all of it. */
  touched(paths: readonly string[] | undefined): void {
    if (paths === undefined) this.#dirty = "everything";
    else if (this.#dirty !== "everything") for (const path of paths) this.#dirty.add(path);
  }

  /** Before a prompt's turn: whoever changed files since, it was not a tool of this session. */
  beforePrompt(checkpoint: number, author: Author): void {
    this.#atPrompt = undefined;
    this.#begin(async () => {
      const result = await this.#capture({ checkpoint, author, look: "everything" });
      this.#atPrompt = snapshotOf(result);
      return result;
    });
  }

  /** A turn that was cut goes on: up to its next step others may have changed anything. */
  beforeGoingOn(author: Author): void {
    this.#dirty = "everything";
    this.#author = author;
    this.#atPrompt = undefined;
    this.#isGoingOn = true;
  }

  /** After a step: what its tools changed belongs to the timeline. */
  afterStep(checkpoint: number): void {
    const look = this.#look();
    const author = this.#author;
    this.#author = "timeline";
    const isBase = this.#isGoingOn;
    this.#isGoingOn = false;
    this.#begin(async () => {
      const result = await this.#capture({ checkpoint, author, look });
      if (isBase) this.#atPrompt = snapshotOf(result);
      return result;
    });
  }

  /** What tools changed in a turn that was stopped is the timeline's, and must not pass for the person's edit. */
  afterInterrupt(): void {
    const isDirty = this.#dirty === "everything" || this.#dirty.size > 0;
    if (!isDirty) return;
    this.#begin(async () => this.#captureInterrupted());
  }

  /** What a command of the person's changed is the timeline's, up to here. */
  afterCommand(checkpoint: number): void {
    const { session, files } = this.#parts;
    this.#begin(async () =>
      this.#shown(undefined, async (onProgress) =>
        this.#noteFiles(await captureAfterCommand({ session, files, checkpoint, onProgress })),
      ),
    );
  }

  /** Ends the wait for the first capture, where somebody waits. */
  goOn(): void {
    this.#impatience.abort();
    this.#impatience = new AbortController();
  }

  /** Resolves when a tool of this reach may begin. */
  async ready(reach: Reach, signal: AbortSignal): Promise<void> {
    const running = this.#running;
    if (running === undefined || reach === "nothing" || reach === "reads") return;
    const isPatient = this.#isFirst;
    const waitMs = isPatient ? this.#parts.firstWaitMs : LATER_WAIT_MS;
    if (isPatient)
      this.#parts.tell({ type: "doing", doing: { what: "waiting-for-capture", ...this.#progress } });
    const impatience = this.#impatience.signal;
    const ending = isPatient ? AbortSignal.any([signal, impatience]) : signal;
    const outcome = await this.#within(running, waitMs, ending);
    if (outcome === "done" || !isPatient || signal.aborted) return;
    // It is waited for that long once, not by every command of a large workspace.
    this.#isFirst = false;
    if (impatience.aborted) this.#warn("SNAPSHOT_SLOW", NOT_WAITED_FOR, NOT_RESTORABLE);
    else
      this.#warn("SNAPSHOT_SLOW", lateText(waitMs), `${NOT_RESTORABLE} Wait longer: snapshots.firstWaitMs`);
  }

  /** Resolves when nothing is being captured any more, or after a while. */
  async settled(): Promise<void> {
    if (this.#running === undefined) return;
    const outcome = await this.#within(this.#running, END_WAIT_MS, undefined);
    if (outcome === "late") this.#warn("SNAPSHOT_SLOW", "The files are still being captured.");
  }

  /** Resolves when nothing is being captured any more, however long that takes. */
  async finished(): Promise<void> {
    await this.#running;
  }

  #begin(capture: () => Promise<CaptureResult>): void {
    if (!this.#parts.session.hasFiles) return;
    this.#dirty = new Set();
    const running = capture();
    this.#running = running;
    void running.finally(() => {
      if (this.#running === running) this.#running = undefined;
      this.#isFirst = false;
    });
  }

  /** Never rejects: what goes wrong is shown. */
  async #capture(wish: Omit<CaptureWish, "onProgress" | "signal">): Promise<CaptureResult> {
    const { checkpoint } = wish;
    return this.#shown(checkpoint, async (onProgress) =>
      this.#parts.session.capture({ ...wish, onProgress }),
    );
  }

  async #captureInterrupted(): Promise<CaptureResult> {
    const { session } = this.#parts;
    return this.#shown(undefined, async (onProgress) => {
      const checkpoint = await session.checkpoint(undefined, { author: "timeline", onProgress });
      return this.#noteFiles(await session.filesAt(checkpoint));
    });
  }

  #noteFiles(at: FilesAt): CaptureResult {
    if (at.state === "complete" || at.state === "partial") this.#newest = at.snapshot;
    if (at.state === "none") this.#failed(undefined, at.why);
    return { state: "no-files" };
  }

  async #shown(
    checkpoint: number | undefined,
    capture: (onProgress: (progress: FilesProgress) => void) => Promise<CaptureResult>,
  ): Promise<CaptureResult> {
    try {
      const result = await capture((progress) => this.#note(progress));
      if (result.state === "none") this.#failed(checkpoint, result.why);
      if (result.state === "partial") this.#partial(result.why ?? "");
      this.#newest = snapshotOf(result) ?? this.#newest;
      return result;
    } catch (error) {
      // Whatever it is, a capture must not end a turn.
      this.#failed(checkpoint, error instanceof Error ? error.message : String(error));
      return { state: "no-files" };
    }
  }

  #failed(checkpoint: number | undefined, why: string): void {
    // The next one has to look at everything: nobody knows what this one has missed.
    this.#dirty = "everything";
    this.#warn(
      "SNAPSHOT_FAILED",
      `The files ${checkpoint === undefined ? "" : `of checkpoint ${checkpoint} `}were not captured: ${why}`,
    );
  }

  /** Said once, until it is something else that is missing. */
  #partial(why: string): void {
    if (this.#missing === why) return;
    this.#missing = why;
    this.#warn("SNAPSHOT_PARTIAL", `The files were captured in part: ${why}`);
  }

  #note(progress: FilesProgress): void {
    if (progress.doing !== "capture") return;
    this.#progress = { files: progress.files, ofFiles: progress.ofFiles };
    this.#parts.tell({ type: "doing", doing: { what: "capturing", ...this.#progress } });
  }

  #look(): "everything" | readonly PathBytes[] {
    if (this.#dirty === "everything" || this.#parts.isAnythingRunning()) return "everything";
    const { workspace } = this.#parts.session.header;
    return [...this.#dirty].flatMap((path) => insideOf(workspace, path));
  }

  async #within(
    running: Promise<unknown>,
    waitMs: number,
    signal: AbortSignal | undefined,
  ): Promise<"done" | "late"> {
    const patience = new AbortController();
    const stop = (): void => patience.abort();
    signal?.addEventListener("abort", stop, { once: true });
    // Whoever looks on may have interrupted when the wait was told.
    if (signal?.aborted === true) stop();
    const late = this.#parts.clock.wait(waitMs, patience.signal).then(() => "late" as const);
    try {
      return await Promise.race([running.then(() => "done" as const), late]);
    } finally {
      signal?.removeEventListener("abort", stop);
      patience.abort();
    }
  }

  #warn(code: string, message: string, hint?: string): void {
    this.#parts.tell({ type: "warning", code, message, ...(hint === undefined ? {} : { hint }) });
  }
}

function lateText(waitMs: number): string {
  return `The first capture of the workspace is not done after ${Math.round(waitMs / 1000)} s; the tool runs without it.`;
}

function snapshotOf(result: CaptureResult): SnapshotId | undefined {
  return result.state === "complete" || result.state === "partial" ? result.snapshot : undefined;
}

/** The path within the workspace; nothing for one that lies elsewhere. */
function insideOf(workspace: string, path: string): readonly PathBytes[] {
  const inside = relative(workspace, path);
  if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`)) return [];
  return [pathOfText(inside.split(sep).join("/"))];
}
