import { existsSync } from "node:fs";
import { FEW_FILES, openFilesLimit } from "../../disk/open-files-limit.ts";
import type { Finder, OpenFinder } from "../capturing/finder.ts";
import type { WorkspaceGround } from "../workspace-ground.ts";
import { WorkspaceFinder } from "./workspace-finder.ts";

/** Where a thread begins; in the bundle and in the library it stands beside what starts it. Where nothing was built, it is not there. */
const ENTRY = new URL("./worker.js", import.meta.url);

export const openFinder: OpenFinder = (ground: WorkspaceGround, { outsideRules, manifest }): Finder => {
  const { store, disk, root, home, limits, threads } = ground;
  return new WorkspaceFinder({
    disk,
    root,
    home,
    limits,
    outsideRules,
    manifest,
    entry: threads === "auto" && openFilesLimit() >= FEW_FILES && existsSync(ENTRY) ? ENTRY : undefined,
    objects: store.objects,
    segments: store.places.segments,
    socket: store.processes.socket,
  });
};
