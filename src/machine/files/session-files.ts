import { SerialQueue } from "../../disk/lock.ts";
import type { Author } from "../../record/entry.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { PathChange } from "../../record/files.ts";
import { isSameState } from "../../record/files.ts";
import type { Present } from "../../travel/journey.ts";
import { captureCheckpoint } from "./capture-checkpoint.ts";
import { captureInterval, type IntervalResult, type IntervalWish } from "./capture-interval.ts";
import { filesAt } from "./files-at.ts";
import { capturePresent, type FilesPresent, type FilesTarget, keepLeft, presentAuthor } from "./look.ts";
import type { WritingGround } from "./perform.ts";
import { previewFiles } from "./preview.ts";
import type {
  CaptureResult,
  CaptureWish,
  FilesAt,
  FilesPreview,
  JourneyWish,
  PreviewWish,
  Settled,
} from "./requests.ts";
import { settleUnfinished } from "./settling/settle.ts";

/** The files of a session that is held. Captures and journeys take turns, so that none sees half of another. */
export class SessionFiles {
  readonly ground: WritingGround;
  readonly #settleOthers: () => Promise<unknown>;
  readonly #queue = new SerialQueue();
  #settled: Settled = { restores: [] };

  constructor(ground: WritingGround, settleOthers: () => Promise<unknown>) {
    this.ground = ground;
    this.#settleOthers = settleOthers;
  }

  /** What a crash had cut off, and what became of it when the session was opened. */
  get settled(): Settled {
    return this.#settled;
  }

  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#queue.run(work);
  }

  async settle(): Promise<void> {
    this.#settled = await this.inTurn(async () => settleUnfinished(this.ground));
  }

  /** Refused while a restore is cut off that nobody can finish: the next one would build on half of it. */
  async requireSettled(): Promise<void> {
    const { files } = this.ground;
    if ((await files.unfinished()).length === 0) return;
    const { trouble } = await settleUnfinished(this.ground);
    if (trouble !== undefined) throw trouble;
    await this.#settleOthers();
    if ((await files.unfinished()).length === 0) return;
    throw new WorldlineError("restore-unfinished-here", {});
  }

  async capture(wish: CaptureWish): Promise<CaptureResult> {
    return this.inTurn(async () => captureCheckpoint(this.ground, wish));
  }

  async observe(wish: IntervalWish): Promise<IntervalResult> {
    return this.inTurn(async () => captureInterval(this.ground, wish));
  }

  /** Waits for what is being captured: "pending" then means that nobody is at it. */
  async at(checkpoint: number): Promise<FilesAt> {
    const { view, files } = this.ground;
    return this.inTurn(async () => filesAt(view, files, checkpoint));
  }

  async preview(wish: PreviewWish): Promise<FilesPreview> {
    return this.inTurn(async () => previewFiles(this.ground, wish));
  }

  async label(checkpoint: number, label: string): Promise<void> {
    const { view, files } = this.ground;
    // A capture under way would else be kept under the name that the checkpoint had before.
    await this.inTurn(async () => files.label(view.id, checkpoint, label));
  }

  /**
   * The present, for a journey that leaves the files as they are, and what differs from where it goes. Such a
   * journey does not depend on it, so a workspace that cannot be captured does not stop it.
   */
  async glance(target: FilesTarget | undefined, wish: JourneyWish): Promise<Glance> {
    const author = await presentAuthor(this.ground.view, wish);
    try {
      const present = await capturePresent(this.ground, wish);
      const differ = target === undefined ? [] : await this.#differing(present, target);
      return { author, present, differ };
    } catch (error) {
      if (!isWorldlineError(error) || error.code === "CANCELLED") throw error;
      return { author, differ: [] };
    }
  }

  /** What such a journey leaves, kept where it can be: what cannot be is not named by it. */
  async leave({ author, present }: Pick<Glance, "author" | "present">): Promise<Present> {
    if (present === undefined) return { author };
    try {
      await keepLeft(this.ground, present);
      return present;
    } catch (error) {
      if (!isWorldlineError(error)) throw error;
      return { author };
    }
  }

  async #differing(present: FilesPresent, target: FilesTarget): Promise<readonly PathChange[]> {
    const changes = await this.ground.files.compare(target.snapshot, present.snapshot);
    return changes.filter(({ before, after }) => !isSameState(before, after));
  }
}

export interface Glance {
  /** Who changed the files since the last state, captured or not. */
  readonly author: Author;
  readonly present?: FilesPresent;
  readonly differ: readonly PathChange[];
}
