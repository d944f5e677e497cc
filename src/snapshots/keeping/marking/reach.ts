import { isWorldlineError, type WorldlineError } from "../../../record/error.ts";
import type { ObjectHash, SnapshotId } from "../../../record/ids.ts";
import { decodeFolder } from "../../objects/folder-object.ts";
import type { ObjectStore } from "../../objects/object-store.ts";
import { asObjectHash, decodeSnapshot } from "../../objects/snapshot-object.ts";
import type { ObjectTable } from "./object-table.ts";

export interface ReachGround {
  readonly store: Pick<ObjectStore, "get">;
  readonly table: ObjectTable;
}

/** Told of each object that is reached; "stop" where what lies below need not be looked at. */
export type Enter = (object: number) => "descend" | "stop";

/**
 * Goes from a snapshot to everything it is made of. Where a folder cannot be read it goes on with the others, and
 * throws SNAPSHOT_MISSING or SNAPSHOT_DAMAGED at the end. Contents are not read: one that is missing is passed over.
 */
export function reachFrom(ground: ReachGround, snapshot: SnapshotId, enter: Enter): void {
  const hash = asObjectHash(snapshot);
  const object = ground.table.find(hash);
  if (object !== undefined && enter(object) === "stop") return;
  const { root, outsideRules } = decodeSnapshot(ground.store.get(hash, "snapshot"));
  if (outsideRules !== undefined) reachContent(ground, outsideRules, enter);
  reachFromFolder(ground, root.hash, enter);
}

export function reachFromFolder(ground: ReachGround, root: ObjectHash, enter: Enter): void {
  // Not by recursion: how deep folders lie is not up to us.
  const waiting = [root];
  let damage: WorldlineError | undefined;
  for (let hash = waiting.pop(); hash !== undefined; hash = waiting.pop()) {
    const object = ground.table.find(hash);
    if (object !== undefined && enter(object) === "stop") continue;
    try {
      for (const folder of enterFolder(ground, hash, enter)) waiting.push(folder);
    } catch (error) {
      if (!isDamage(error)) throw error;
      damage ??= error;
    }
  }
  if (damage !== undefined) throw damage;
}

/** Reaches the contents in a folder; gives the folders in it. */
function* enterFolder({ store, table }: ReachGround, hash: ObjectHash, enter: Enter): Generator<ObjectHash> {
  for (const { state } of decodeFolder(store.get(hash, "folder")).entries) {
    if (state.kind === "folder") yield state.hash;
    else if (state.kind === "file") reachContent({ store, table }, state.hash, enter);
  }
}

/** Whether an object is gone or damaged, which costs the snapshots that need it and no others. */
export function isDamage(error: unknown): error is WorldlineError {
  return isWorldlineError(error, "SNAPSHOT_DAMAGED") || isWorldlineError(error, "SNAPSHOT_MISSING");
}

export function reachContent({ table }: ReachGround, hash: ObjectHash, enter: Enter): void {
  const object = table.find(hash);
  if (object !== undefined) enter(object);
}
