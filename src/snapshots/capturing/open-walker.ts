import { realpathSync } from "node:fs";
import { readError } from "../../disk/disk.ts";
import { isMissing } from "../../record/error.ts";
import { type PathBytes, pathOfText } from "../../record/files.ts";
import type { CoverageLimits } from "../finding/coverage.ts";
import type { Share } from "../finding/manifest.ts";
import { Walker, type WalkerParts } from "../finding/walker.ts";
import type { PathStat, WorkspaceDisk } from "../workspace/workspace-disk.ts";

export interface WalkerNeeds {
  readonly disk: WorkspaceDisk;
  readonly root: PathBytes;
  /** Where Worldline keeps everything: never captured, wherever it is. */
  readonly home: string;
  readonly limits: CoverageLimits;
  readonly outsideRules: string;
  readonly manifest: Uint8Array | undefined;
  readonly share: Share;
}

/** A walker with its share of what the manifest remembers, or, without one, that knows nothing yet. */
export function openWalker({ disk, root, home, limits, outsideRules, manifest, share }: WalkerNeeds): Walker {
  const ownStore = statHome(disk, home);
  const parts: WalkerParts = {
    disk,
    root,
    outsideRules,
    coverage: { limits, ...(ownStore === undefined ? {} : { ownStore }) },
    now: Date.now,
  };
  const loaded =
    manifest === undefined
      ? undefined
      : Walker.load(Buffer.from(manifest.buffer, manifest.byteOffset, manifest.byteLength), parts, share);
  return loaded?.walker ?? new Walker(parts);
}

/** Who does not know which folder the store is would capture it, and with it its own captures. */
function statHome(disk: WorkspaceDisk, home: string): PathStat | undefined {
  try {
    return disk.stat(pathOfText(realPathOf(home)));
  } catch (error) {
    throw readError(error, { what: "folder", of: home });
  }
}

/** A link to it is captured like any other; what it leads to is not. */
function realPathOf(home: string): string {
  try {
    return realpathSync(home);
  } catch (error) {
    if (isMissing(error)) return home;
    throw error;
  }
}
