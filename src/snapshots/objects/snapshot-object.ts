import type { FolderState } from "../../record/files.ts";
import type { ObjectHash, SnapshotId } from "../../record/ids.ts";
import { ByteReader } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import type { ObjectStore } from "./object-store.ts";
import { expectVersion, OBJECT_VERSION } from "./object-version.ts";

/**
 * A workspace as it was. Nothing in it depends on when or by whom it was captured, so that an unchanged workspace
 * has the same id.
 */
export interface Snapshot {
  readonly root: FolderState;
  /** The real path of the workspace. */
  readonly workspace: string;
  /** The content of the ignore rules that stand outside of the workspace, where there are any. */
  readonly outsideRules: ObjectHash | undefined;
}

const HIGHEST_MODE = 0o7777;

export function encodeSnapshot({ root, workspace, outsideRules }: Snapshot): Buffer {
  const writer = new ByteWriter();
  writer.byte(OBJECT_VERSION);
  writer.number(root.mode);
  writer.hash(root.hash);
  writer.text(workspace, "utf8");
  writer.byte(outsideRules === undefined ? 0 : 1);
  if (outsideRules !== undefined) writer.hash(outsideRules);
  return writer.bytes();
}

/** Throws SNAPSHOT_DAMAGED for anything that `encodeSnapshot` did not write, FORMAT_NEWER for a later version. */
export function decodeSnapshot(bytes: Uint8Array): Snapshot {
  const reader = new ByteReader(bytes, "snapshot");
  expectVersion(reader, "snapshot");
  const mode = reader.number();
  if (mode > HIGHEST_MODE) throw reader.damaged("bad-mode");
  const root: FolderState = { kind: "folder", mode, hash: reader.hash() };
  const workspace = reader.text();
  const hasRules = reader.byte();
  if (hasRules > 1) throw reader.damaged("rules-flag");
  const outsideRules = hasRules === 1 ? reader.hash() : undefined;
  reader.end();
  return { root, workspace, outsideRules };
}

/** Durable after `objects.sync`. */
export function writeSnapshot(objects: ObjectStore, snapshot: Snapshot): SnapshotId {
  return asSnapshotId(objects.put("snapshot", encodeSnapshot(snapshot)));
}

/** Throws SNAPSHOT_MISSING, SNAPSHOT_DAMAGED or FORMAT_NEWER. */
export function readSnapshot(objects: ObjectStore, id: SnapshotId): Snapshot {
  return decodeSnapshot(objects.get(asObjectHash(id), "snapshot"));
}

/** A snapshot is known by the hash of its object. */
export function asSnapshotId(hash: ObjectHash): SnapshotId {
  return hash as string as SnapshotId;
}

export function asObjectHash(id: SnapshotId): ObjectHash {
  return id as string as ObjectHash;
}
