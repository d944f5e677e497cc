import { existsSync } from "node:fs";
import { WorkspaceFinder } from "../workers/workspace-finder.ts";
import type { WorkspaceGround } from "../workspace-ground.ts";
import type { Finder } from "./finder.ts";

/** Where a thread begins; in the bundle and in the library it stands beside what starts it. */
const ENTRY = new URL("./worker.js", import.meta.url);
const LIBRARY_ENTRY = new URL("../workers/worker.js", import.meta.url);

export function openFinder(
  ground: WorkspaceGround,
  { outsideRules, manifest }: { readonly outsideRules: string; readonly manifest: Buffer | undefined },
): Finder {
  const { store, disk, root, home, limits, threads } = ground;
  const entry = threads === "none" ? undefined : [ENTRY, LIBRARY_ENTRY].find((each) => existsSync(each));
  return new WorkspaceFinder({
    disk,
    root,
    home,
    limits,
    outsideRules,
    manifest,
    entry,
    objects: store.objects,
    segments: store.places.segments,
  });
}
