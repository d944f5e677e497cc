import { ManualClock } from "../simulated-system.ts";
import {
  applied,
  type DiskNode,
  type FileChange,
  FileNode,
  FolderNode,
  type NameChange,
  resized,
  setName,
} from "./simulated-disk.ts";

/**
 * What remains of what was not synced. "nothing": the harshest. "everything": as when only
 * the process dies. A seed: some of the names, in any combination; of each file, its changes
 * up to some point, the last one cut at any byte, or sectors here and there with zeros between.
 */
export type Survival = "nothing" | "everything" | { readonly seed: number };

const SECTOR_BYTES = 512;

/**
 * A copy of the disk under `root` as it may be found after the power went.
 * @internal
 */
export function survivorsOf(root: FolderNode, survival: Survival): FolderNode {
  const dice = new ManualClock({ seed: typeof survival === "object" ? survival.seed : 1 });
  const kept = new Map<NameChange, boolean>();
  const copies = new Map<DiskNode, DiskNode>();

  const isKept = (change: NameChange): boolean => {
    const known = kept.get(change);
    if (known !== undefined) return known;
    const chosen = typeof survival === "object" ? dice.below(2) === 1 : survival === "everything";
    kept.set(change, chosen);
    return chosen;
  };
  const copyFile = (file: FileNode): FileNode => {
    const copy = new FileNode(file.number);
    copy.content = contentAfter(file, survival, dice);
    copy.synced = copy.content;
    return copy;
  };
  const copyFolder = (folder: FolderNode): FolderNode => {
    const copy = new FolderNode(folder.number);
    for (const [name, node] of namesAfter(folder, isKept)) {
      const found = copies.get(node) ?? (node.kind === "file" ? copyFile(node) : copyFolder(node));
      copies.set(node, found);
      copy.names.set(name, found);
      copy.synced.set(name, found);
    }
    return copy;
  };
  return copyFolder(root);
}

function namesAfter(folder: FolderNode, isKept: (change: NameChange) => boolean): Map<string, DiskNode> {
  const names = new Map(folder.synced);
  const effects = folder.unsynced.filter(isKept).flatMap((change) => change.effects);
  for (const effect of effects) if (effect.folder === folder) setName(names, effect.name, effect.node);
  return names;
}

function contentAfter(file: FileNode, survival: Survival, dice: ManualClock): Buffer {
  if (survival === "nothing") return resized(file.synced, file.synced.length);
  if (survival === "everything") return resized(file.content, file.content.length);
  const { unsynced } = file;
  if (unsynced.length === 0) return resized(file.synced, file.synced.length);
  return dice.below(2) === 0 ? cutShort(file, dice) : sectorsOf(file, dice);
}

/** The changes up to one of them, and of that one its first bytes. */
function cutShort({ synced, unsynced }: FileNode, dice: ManualClock): Buffer {
  const whole = dice.below(unsynced.length + 1);
  const changes: FileChange[] = unsynced.slice(0, whole);
  const next = unsynced[whole];
  if (next?.do === "write")
    changes.push({ ...next, bytes: next.bytes.subarray(0, dice.below(next.bytes.length + 1)) });
  return changes.reduce(applied, resized(synced, synced.length));
}

/** All changes of size, but of what was written only some sectors; the others are zeros. */
function sectorsOf({ synced, unsynced }: FileNode, dice: ManualClock): Buffer {
  let content = resized(synced, synced.length);
  for (const change of unsynced) {
    if (change.do === "truncate") {
      content = applied(content, change);
      continue;
    }
    content = resized(content, Math.max(content.length, change.at + change.bytes.length));
    for (let at = 0; at < change.bytes.length; at += SECTOR_BYTES) {
      const sector = change.bytes.subarray(at, at + SECTOR_BYTES);
      if (dice.below(2) === 0) content.set(sector, change.at + at);
    }
  }
  return content;
}
