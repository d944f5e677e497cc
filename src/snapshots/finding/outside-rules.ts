import { realpathSync } from "node:fs";
import { join } from "node:path";
import { nodePath } from "../../disk/held-folder.ts";
import { type PathBytes, pathOfText } from "../../record/files.ts";
import type { WorkspaceDisk } from "../workspace/workspace-disk.ts";

export interface OutsidePlaces {
  readonly disk: WorkspaceDisk;
  /** The workspace, absolute. */
  readonly root: PathBytes;
  readonly home: string;
  /** `XDG_CONFIG_HOME`, where it is set. */
  readonly config: string | undefined;
}

/**
 * The ignore rules that stand in no folder of the workspace, the weaker first. Git is never asked and its
 * configuration is not read, because that can name programs to run.
 */
export function readOutsideRules(places: OutsidePlaces): string {
  const { disk, root, home } = places;
  const config = places.config === undefined || places.config === "" ? join(home, ".config") : places.config;
  const own = readRules(disk, `${realPathOf(pathOfText(join(config, "git")))}/ignore`);
  const excluded = readRules(disk, `${realPathOf(`${root}/.git/info`)}/exclude`);
  return [own, excluded].filter((text) => text !== undefined).join("\n");
}

/** These folders may be reached by links, as people keep their configuration in a repository. */
function realPathOf(folder: PathBytes): PathBytes {
  try {
    return realpathSync.native(nodePath(folder), { encoding: "latin1" });
  } catch {
    return folder;
  }
}

/** Undefined where there is no such file, it is a link (as in git), or it cannot be read. */
export function readRules(disk: WorkspaceDisk, path: PathBytes): string | undefined {
  try {
    return disk.readFile(path).bytes.toString("utf8");
  } catch {
    return undefined;
  }
}
