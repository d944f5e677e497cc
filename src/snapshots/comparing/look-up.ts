import type { Gap, PathState } from "../../ports/workspace-files.ts";
import type { FileState, FolderState, PathBytes } from "../../record/files.ts";
import { pathIn } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { FolderCache } from "../objects/folder-cache.ts";
import { entryNamed } from "../objects/folder-object.ts";
import { PathBudget, type TreeSize } from "../objects/limits.ts";
import { TreeMeasures } from "../objects/tree-measures.ts";
import { byPath } from "./by-path.ts";

/** What a snapshot knows of one path; undefined where nothing is there. "" is the workspace itself. */
export function stateAt(cache: FolderCache, root: FolderState, path: PathBytes): FileState | undefined {
  let state: FileState | undefined = root;
  if (path === "") return state;
  for (const name of path.split("/")) {
    if (state?.kind !== "folder") return undefined;
    state = entryNamed(cache.read(state.hash), name)?.state;
  }
  return state;
}

/**
 * Everything at or under a path, in the order of the bytes of paths, which has folders before what they hold. Throws
 * SNAPSHOT_DAMAGED where there are more paths than any capture makes.
 */
export function listUnder(
  cache: FolderCache,
  root: FolderState,
  under: PathBytes,
  budget: PathBudget = new PathBudget(),
): PathState[] {
  const state = stateAt(cache, root, under);
  if (state === undefined) return [];
  const found: PathState[] = [{ path: under, state }];
  const sizes = sizesFrom(cache, state);
  // Grows while it is gone through: what a folder holds is put behind everything that is known already.
  for (const { path, state: each } of found) {
    if (each.kind !== "folder") continue;
    for (const entry of cache.read(each.hash).entries) {
      const below = pathIn(path, entry.name);
      budget.take(below, sizes);
      found.push({ path: below, state: entry.state });
    }
  }
  return found.sort(byPath);
}

/** What made a snapshot partial. Descends only to where something did. Throws as `listUnder` does. */
export function gapsOf(cache: FolderCache, root: ObjectHash, budget: PathBudget = new PathBudget()): Gap[] {
  const gaps: Gap[] = [];
  const sizes = sizesFrom(cache, { kind: "folder", mode: 0, hash: root });
  const folders: { path: PathBytes; hash: ObjectHash }[] = [{ path: "", hash: root }];
  for (const { path: folder, hash } of folders) {
    for (const { name, state, failures } of cache.read(hash).entries) {
      if (failures === 0) continue;
      const path = pathIn(folder, name);
      budget.take(path, sizes);
      if (state.kind === "folder") folders.push({ path, hash: state.hash });
      if (state.kind === "left-out") gaps.push({ path, why: state.why });
    }
  }
  return gaps.sort(byPath);
}

function sizesFrom(cache: FolderCache, state: FileState): () => readonly (TreeSize | "broken")[] {
  return () => (state.kind === "folder" ? [new TreeMeasures((hash) => cache.read(hash)).of(state.hash)] : []);
}
