import { SerialQueue } from "../../../disk/lock.ts";
import type { PathOutcome } from "../../../ports/workspace-files.ts";
import type { Entry } from "../../../record/entry.ts";
import { pathOfText } from "../../../record/files.ts";
import { isSameOutside, type OutsideChange, outsideOf } from "../../../record/outside.ts";
import type { KeptPath } from "../../../travel/files/kept.ts";
import { type WritingView, writeRestored } from "../perform.ts";
import type { FilesProgress, SettledRestore } from "../requests.ts";
import { toldOfOutcomes } from "../told.ts";
import { lookAtPath, stateOf } from "./look-at-path.ts";
import { lookOutside, type OutsidePlan, type OutsideRequest, pathWithin } from "./plan-outside.ts";
import { restorePath } from "./restore-path.ts";
import { type KeptContents, type OutsideWatch, watchPaths } from "./watch.ts";

/** What is certain to be tried when the journey is in the log: what is there now is kept. */
export interface DecidedOutside {
  /** For the journey's entry. */
  readonly changes: readonly OutsideChange[];
  readonly kept: readonly KeptPath[];
  restore(onProgress?: (progress: FilesProgress) => void): Promise<readonly PathOutcome[]>;
}

/**
 * Files where no snapshot reaches, followed by path: those outside the workspace, and all of them where the workspace is
 * not captured, as the home folder is not. The log has what tools did to them, and their contents are blobs of the session.
 */
export class OutsideFiles {
  /** For a preview: what a journey leaves is kept, also where no snapshot reaches. */
  readonly kept = { touchedFiles: "follow" } as const;
  readonly #view: WritingView;
  readonly #contents: KeptContents;
  readonly #follows: "outside" | "everything";
  readonly #queue = new SerialQueue();

  constructor(view: WritingView, store: KeptContents["store"], follows: "outside" | "everything") {
    this.#view = view;
    this.#contents = { session: view.id, store };
    this.#follows = follows;
  }

  /** "touched": files that no tool has written are not known here. */
  get tracked(): { readonly tracked?: "touched" } {
    return this.#follows === "everything" ? { tracked: "touched" } : {};
  }

  /** Where the workspace is captured, its files give the turns. */
  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#queue.run(work);
  }

  /** Keeps what a tool is about to write, where no snapshot would. */
  async watch(paths: readonly string[]): Promise<OutsideWatch> {
    return watchPaths(this.#contents, new Set(paths.filter((path) => this.#isFollowed(path))));
  }

  async look(request: OutsideRequest): Promise<OutsidePlan> {
    return lookOutside(this.#view, request);
  }

  /** Keeps what is there, so that the journey can be undone. What has changed since it was looked at stays. */
  async decide({ steps, files }: OutsidePlan): Promise<DecidedOutside> {
    const changes: OutsideChange[] = [];
    const kept: KeptPath[] = [...files.kept];
    const { session, store } = this.#contents;
    for (const step of steps) {
      const look = await lookAtPath(step.path);
      if (!isSameOutside(stateOf(look), step.before)) {
        kept.push({ path: pathOfText(step.path), why: "outside" });
        continue;
      }
      // Should this fail, there is no journey: nothing may be put away that could not be brought back.
      if (look.there === "file") await store.putBlob(session, look.bytes);
      changes.push(step);
    }
    return { changes, kept, restore: async (onProgress) => this.#restore(changes, onProgress) };
  }

  /** Does what a journey in the log was to do, as far as it is not done. */
  async finish(journey: Entry): Promise<readonly PathOutcome[]> {
    return this.#restore(outsideOf(journey));
  }

  /**
   * Finishes the journeys that a crash has cut off. One that took the workspace along ends with the workspace's files, and is
   * left alone where there are none.
   */
  async settle(): Promise<readonly SettledRestore[]> {
    const view = this.#view;
    const settled: SettledRestore[] = [];
    for (const journey of await this.#open()) {
      const paths = await this.finish(journey);
      const text = toldOfOutcomes("A journey that was cut off has been finished.", paths);
      await writeRestored({ view }, { journey: journey.id, paths, snapshot: undefined, text });
      settled.push({ session: view.id, journey: journey.id, paths });
    }
    return settled;
  }

  /** No journey takes files along before those above it have ended, so only the ones behind the last end can be open. */
  async #open(): Promise<readonly Entry[]> {
    const { outline } = this.#view;
    const lastEnd = outline.linesOf("restored").at(-1) ?? 0;
    const lines = (["backtrack", "rewind", "redo"] as const)
      .flatMap((kind) => outline.linesOf(kind))
      .filter((line) => line > lastEnd)
      .sort((a, b) => a - b);
    const journeys = await this.#view.storedEntries(lines);
    return journeys.filter((journey) => {
      const isOfWorkspace = "left" in journey && journey.left !== undefined;
      return outsideOf(journey).length > 0 && !(isOfWorkspace && this.#follows === "everything");
    });
  }

  async #restore(
    changes: readonly OutsideChange[],
    onProgress?: (progress: FilesProgress) => void,
  ): Promise<readonly PathOutcome[]> {
    const outcomes: PathOutcome[] = [];
    for (const change of changes) {
      onProgress?.({ doing: "restore", done: outcomes.length, of: changes.length });
      outcomes.push(await restorePath(this.#contents, change));
    }
    return outcomes;
  }

  #isFollowed(path: string): boolean {
    return this.#follows === "everything" || pathWithin(this.#view.header.workspace, path) === undefined;
  }
}
