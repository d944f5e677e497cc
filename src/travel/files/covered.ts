import { folderOf, type PathBytes, type PathChange } from "../../record/files.ts";

/** The changes that were seen. What a folder holds is not known where a snapshot could not read that folder. */
export function seenChanges(changes: readonly PathChange[]): readonly PathChange[] {
  const unread = new Map(changes.filter(isUncaptured).map(({ path }) => [path, true]));
  if (unread.size === 0) return changes;
  const isBelow = nearestAbove(unread);
  return changes.filter(({ path }) => isBelow(path) === undefined);
}

/** One of the two snapshots does not have it. */
export function isUncaptured({ before, after }: PathChange): boolean {
  return before?.kind === "left-out" || after?.kind === "left-out";
}

/**
 * What stands at the nearest folder above a path. Each folder is looked up once, as paths may be thousands deep; so what is
 * put at a path later must come before any question about what is below it.
 */
export function nearestAbove<Value>(
  values: ReadonlyMap<PathBytes, Value>,
): (path: PathBytes) => Value | undefined {
  /** At the folder or above it. */
  const known = new Map<PathBytes, Value | undefined>();
  return (path) => {
    if (values.size === 0) return undefined;
    const passed: PathBytes[] = [];
    let found: Value | undefined;
    for (let at = path; at !== "" && found === undefined; ) {
      at = folderOf(at);
      if (known.has(at)) {
        found = known.get(at);
        break;
      }
      passed.push(at);
      found = values.get(at);
    }
    for (const folder of passed) known.set(folder, found);
    return found;
  };
}
