import fc from "fast-check";
import type { PathState } from "../../../src/ports/workspace-files.ts";
import {
  type FileState,
  type FolderState,
  folderOf,
  isFailure,
  isWithin,
  type PathBytes,
} from "../../../src/record/files.ts";
import { type FolderEdit, updateRoot } from "../../../src/snapshots/comparing/update-folders.ts";
import { FolderCache } from "../../../src/snapshots/objects/tree-objects.ts";
import { fileOf, REASONS } from "../arbitrary-states.ts";
import type { MemoryObjects } from "../memory-objects.ts";

/** A state as tests describe it. A folder is only its mode, because its hash follows from its content. */
export type Shown = Exclude<FileState, FolderState> | { readonly kind: "folder"; readonly mode: number };
export type Model = Map<PathBytes, Shown>;

export function shown(state: FileState): Shown {
  return state.kind === "folder" ? { kind: "folder", mode: state.mode } : state;
}

export function modelOf(list: readonly PathState[]): Model {
  return new Map(list.filter(({ path }) => path !== "").map(({ path, state }) => [path, shown(state)]));
}

export function sorted(model: Model): [PathBytes, Shown][] {
  return [...model].sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * A slow and simple reference: parents come first, each edit removes what it replaces, and missing parents
 * are created.
 */
export function applyPlainly(model: Model, edits: ReadonlyMap<PathBytes, Shown | undefined>): Model {
  const result = new Map(model);
  for (const [path, to] of [...edits].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (to?.kind !== "folder" || result.get(path)?.kind !== "folder") removeWithin(result, path);
    if (to === undefined) continue;
    result.set(path, to);
    for (let above = folderOf(path); above !== ""; above = folderOf(above)) {
      if (result.get(above)?.kind !== "folder") result.set(above, { kind: "folder", mode: 0o755 });
    }
  }
  return result;
}

function removeWithin(model: Model, path: PathBytes): void {
  for (const each of [...model.keys()]) {
    if (isWithin(each, path)) model.delete(each);
  }
}

export function failuresOf(model: Model): number {
  return [...model.values()].filter((state) => state.kind === "left-out" && isFailure(state.why)).length;
}

/** Few and shallow names, so that edits meet. "a-" and "a0" sort around "a/", where path orders differ. */
export const anyPath: fc.Arbitrary<PathBytes> = fc
  .array(fc.constantFrom("a", "a-", "a0", "b", "\xff"), { minLength: 1, maxLength: 4 })
  .map((names) => names.join("/"));

const anyShown: fc.Arbitrary<Shown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("1", "2", "3").map((text): Shown => fileOf(text)) },
  { weight: 2, arbitrary: fc.constantFrom(0o755, 0o700).map((mode): Shown => ({ kind: "folder", mode })) },
  { weight: 1, arbitrary: fc.constantFrom("x", "../y").map((target): Shown => ({ kind: "link", target })) },
  { weight: 1, arbitrary: fc.constantFrom(...REASONS).map((why): Shown => ({ kind: "left-out", why })) },
);

export const anyEdits: fc.Arbitrary<ReadonlyMap<PathBytes, Shown | undefined>> = fc
  .array(fc.tuple(anyPath, fc.option(anyShown, { nil: undefined })), { maxLength: 12 })
  .map((edits) => new Map(edits));

/** A root built from nothing but these edits. */
export function rootOf(
  objects: MemoryObjects,
  ...batches: ReadonlyMap<PathBytes, FolderEdit>[]
): FolderState {
  const cache = new FolderCache(objects);
  let { root } = updateRoot(cache, undefined, new Map());
  for (const edits of batches) root = updateRoot(cache, root, edits).root;
  return { kind: "folder", mode: 0o755, hash: root };
}
