import type { SessionView } from "../../machine/view.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { isWorldlineError } from "../../record/error.ts";
import { isSameState, type PathChange } from "../../record/files.ts";
import type { SnapshotId } from "../../record/ids.ts";
import { seenChanges } from "../../travel/plan-files.ts";
import { filesKnownTo } from "../files/known-files.ts";

/** How the files are now, for one opened list: looked at once, when the first row asks. */
export class FilesOfList {
  readonly #files: WorkspaceFiles;
  readonly #view: SessionView;
  readonly #counts = new Map<SnapshotId, Promise<number | undefined>>();
  #present: Promise<SnapshotId | undefined> | undefined;

  constructor(files: WorkspaceFiles, view: SessionView) {
    this.#files = files;
    this.#view = view;
  }

  /** How many files differ between that snapshot and now; undefined where one of the two is not there. */
  async changedSince(snapshot: SnapshotId): Promise<number | undefined> {
    const known = this.#counts.get(snapshot);
    if (known !== undefined) return known;
    const counting = this.#count(snapshot);
    this.#counts.set(snapshot, counting);
    return counting;
  }

  async #count(snapshot: SnapshotId): Promise<number | undefined> {
    this.#present ??= this.#lookAtPresent();
    const present = await this.#present;
    if (present === undefined) return undefined;
    try {
      const changes = seenChanges(await this.#files.compare(snapshot, present));
      return changes.filter(isOfFile).length;
    } catch (error) {
      // A number in a list is worth nobody's error message.
      if (isWorldlineError(error)) return undefined;
      throw error;
    }
  }

  async #lookAtPresent(): Promise<SnapshotId | undefined> {
    try {
      return (await this.#files.capture({ look: "everything" })).snapshot;
    } catch (error) {
      if (isWorldlineError(error)) return this.#newestKnown();
      throw error;
    }
  }

  async #newestKnown(): Promise<SnapshotId | undefined> {
    const snapshot = await filesKnownTo(this.#view);
    return snapshot !== undefined && (await this.#files.has(snapshot)) ? snapshot : undefined;
  }
}

/** Folders change with what they hold. */
function isOfFile({ before, after }: PathChange): boolean {
  const isFile = [before, after].some((state) => state?.kind === "file" || state?.kind === "link");
  return isFile && !isSameState(before, after);
}
