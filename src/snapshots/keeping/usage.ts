import { isWorldlineError } from "../../record/error.ts";
import type { SessionId, SnapshotId } from "../../record/ids.ts";
import type { ObjectTable } from "./object-table.ts";
import { type Enter, type KeptStore, reachFrom, tableOf } from "./object-table.ts";
import type { Ref } from "./ref.ts";
import type { Refs } from "./refs.ts";

/**
 * The contents of the store, by session and by workspace. Snapshots share most of their contents, so any division of
 * the shared bytes would be arbitrary. `ownBytes` therefore counts only what cannot be reached from any other session
 * or workspace. Releasing the snapshots of that session or workspace alone would free exactly this much.
 */
export interface Usage {
  readonly storedBytes: number;
  readonly objects: number;
  readonly sessions: readonly (UsageOf & { readonly session: SessionId })[];
  readonly workspaces: readonly (UsageOf & { readonly workspace: string })[];
  /** The size of everything that cannot be reached from any reference. */
  readonly unreferencedBytes: number;
  /** Snapshots that could not be walked, so only part of their data is counted. */
  readonly damaged: readonly SnapshotId[];
}

export interface UsageOf {
  readonly snapshots: number;
  readonly ownBytes: number;
}

const SHARED = 0xff_ff_ff_ff;

export function measureUsage(store: KeptStore, refs: Refs): Usage {
  const all = refs.all();
  const sessions = groups(all, ({ keptFor }) => keptFor.session);
  const workspaces = groups(all, ({ workspace }) => workspace);
  const bySession = ownBytes(store, [...sessions.values()]);
  const byWorkspace = ownBytes(store, [...workspaces.values()]);
  return {
    storedBytes: store.segments().reduce((total, { bytes }) => total + bytes, 0),
    objects: bySession.objects,
    sessions: Array.from(sessions, ([session, snapshots], at) => ({
      session,
      snapshots: snapshots.size,
      ownBytes: bySession.own[at] ?? 0,
    })),
    workspaces: Array.from(workspaces, ([workspace, snapshots], at) => ({
      workspace,
      snapshots: snapshots.size,
      ownBytes: byWorkspace.own[at] ?? 0,
    })),
    unreferencedBytes: bySession.unreferenced,
    damaged: [...bySession.damaged],
  };
}

type Snapshots = Set<SnapshotId>;

function groups<Key>(refs: readonly Ref[], keyOf: (ref: Ref) => Key): Map<Key, Snapshots> {
  const found = new Map<Key, Snapshots>();
  for (const ref of refs) {
    const snapshots = found.get(keyOf(ref)) ?? new Set();
    found.set(keyOf(ref), snapshots.add(ref.snapshot));
  }
  return found;
}

function ownBytes(
  store: KeptStore,
  owners: readonly Snapshots[],
): {
  readonly own: readonly number[];
  readonly unreferenced: number;
  readonly objects: number;
  readonly damaged: ReadonlySet<SnapshotId>;
} {
  const table = tableOf(store);
  const damaged = new Set<SnapshotId>();
  for (const [at, snapshots] of owners.entries()) {
    const enter = enteringAs(table, at + 1);
    for (const snapshot of snapshots) {
      if (walked(() => reachFrom({ store, table }, snapshot, enter)) === "damaged") damaged.add(snapshot);
    }
  }
  const own = new Array<number>(owners.length).fill(0);
  let unreferenced = 0;
  for (let object = 0; object < table.size; object += 1) {
    const mark = table.markOf(object);
    if (mark === 0) unreferenced += table.bytesOf(object);
    else if (mark !== SHARED) own[mark - 1] = (own[mark - 1] ?? 0) + table.bytesOf(object);
  }
  return { own, unreferenced, objects: table.size, damaged };
}

function walked(walk: () => void): "whole" | "damaged" {
  try {
    walk();
    return "whole";
  } catch (error) {
    if (isWorldlineError(error)) return "damaged";
    throw error;
  }
}

/**
 * Returns a function that marks objects with their owner or as shared. A folder is read at most twice, because
 * everything below a shared folder is shared as well.
 */
function enteringAs(table: ObjectTable, owner: number): Enter {
  return (object) => {
    const mark = table.markOf(object);
    if (mark === owner || mark === SHARED) return "stop";
    table.mark(object, mark === 0 ? owner : SHARED);
    return "descend";
  };
}
