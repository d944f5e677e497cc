import { errnoOf, isMissing } from "../../../record/error.ts";
import { type PathBytes, pathIn } from "../../../record/files.ts";
import { isGitName } from "../../../record/git-name.ts";
import type { WorkspaceDisk } from "../../workspace/workspace-disk.ts";
import { whyFailed } from "../why-failed.ts";
import type { PathLooker } from "./path-looker.ts";
import type { Temporaries } from "./temporaries.ts";

const GIT = ".git";

/**
 * Whether the file system of the workspace takes a name for `.git`. Where case counts, `.GIT` is a name like any other and
 * may be the user's own; on others, a restore would write into the repository, or make one. Nothing says which a
 * folder is on, so it is tried: in a folder of ours, beside the name.
 */
export class GitNames {
  readonly #parts: {
    readonly disk: WorkspaceDisk;
    readonly looker: PathLooker;
    readonly temporaries: Temporaries;
  };
  /** By the path of the name. */
  readonly #known = new Map<PathBytes, "git" | "other">();

  constructor(parts: {
    readonly disk: WorkspaceDisk;
    readonly looker: PathLooker;
    readonly temporaries: Temporaries;
  }) {
    this.#parts = parts;
  }

  /**
   * Whether some name on the way to the path, or its own, is `.git` there. Nearly always answered by the names alone. Throws
   * EACCES where nothing can be made yet.
   */
  leadToGit(path: PathBytes): boolean {
    let above: PathBytes = "";
    for (const name of path.split("/")) {
      const own = pathIn(above, name);
      if (isGitName(name) && this.#isGit(own, name) === "git") return true;
      above = own;
    }
    return false;
  }

  #isGit(path: PathBytes, name: PathBytes): "git" | "other" {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const found = this.#try(path, name);
    if (found === "folder-missing") return "other";
    this.#known.set(path, found);
    return found;
  }

  /** What cannot be tried counts as git's. In a folder that is not there nothing can be changed, so it is asked again later. */
  #try(path: PathBytes, name: PathBytes): "git" | "other" | "folder-missing" {
    const { disk, looker, temporaries } = this.#parts;
    if (name === GIT) return "git";
    if (looker.obstacle(path) !== undefined) return "folder-missing";
    const folder = temporaries.freshBeside(path);
    const git = pathIn(folder, GIT);
    try {
      disk.makeFolder(looker.absolute(folder), 0o700);
      disk.makeFolder(looker.absolute(git), 0o700);
      return isThere(disk, looker.absolute(pathIn(folder, name))) ? "git" : "other";
    } catch (error) {
      if (errnoOf(error) === "EACCES") throw error;
      whyFailed(error);
      return "git";
    } finally {
      temporaries.remove(git);
      temporaries.remove(folder);
    }
  }
}

function isThere(disk: WorkspaceDisk, place: PathBytes): boolean {
  try {
    return disk.stat(place) !== undefined;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
