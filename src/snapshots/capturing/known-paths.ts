import { type FolderState, folderOf, type PathBytes } from "../../record/files.ts";
import { isGitName } from "../../record/git-name.ts";
import { stateAt } from "../comparing/look-up.ts";
import type { FolderEdit } from "../comparing/update-folders.ts";
import { isPassedOver, statOf, whyUnknown } from "../finding/coverage.ts";
import { RULES_NAME } from "../finding/rule-book.ts";
import type { Signature } from "../finding/signature.ts";
import type { FolderCache } from "../objects/folder-cache.ts";
import { type PathGround, storeTrusted } from "./store-path.ts";

export interface KnownGround extends PathGround {
  readonly folders: FolderCache;
  /** The root folder as it was captured last. */
  readonly base: FolderState;
}

export interface KnownPath {
  readonly path: PathBytes;
  readonly edit: FolderEdit;
  readonly signature: Signature | undefined;
}

/**
 * Looks at files that the caller says were written, without searching. What is more than another content of a file that is
 * known, or its end, is left to the search: of a new name only who searches can see that it is gone again.
 */
export function lookAtKnown(
  ground: KnownGround,
  paths: readonly PathBytes[],
): { readonly known: readonly KnownPath[]; readonly unknown: readonly PathBytes[] } {
  const known: KnownPath[] = [];
  const unknown: PathBytes[] = [];
  for (const path of paths) {
    const looked = lookAt(ground, path);
    if (looked === undefined) unknown.push(path);
    else known.push(looked);
  }
  return { known, unknown };
}

function lookAt(ground: KnownGround, path: PathBytes): KnownPath | undefined {
  const { disk, folders, root, base } = ground;
  if (!isPlain(path) || stateAt(folders, base, path)?.kind !== "file") return undefined;
  if (!isInKnownFolder(ground, path)) return undefined;
  const stat = statOf(disk, `${root}/${path}`);
  if (stat === undefined) return { path, edit: undefined, signature: undefined };
  if (whyUnknown(stat) !== undefined || stat.kind !== "file" || stat.size > ground.maxFileBytes)
    return undefined;
  const { state, stat: read, signature } = storeTrusted(ground, path);
  return read === undefined ? undefined : { path, edit: state, signature };
}

/** Files that decide about others are not only files. */
function isPlain(path: PathBytes): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name !== "" && name !== RULES_NAME && !isGitName(name) && !isPassedOver(name);
}

/** Every folder above it is in the snapshot, and is on the disk a folder and no link to one. */
function isInKnownFolder({ disk, folders, root, base }: KnownGround, path: PathBytes): boolean {
  for (let folder = folderOf(path); folder !== ""; folder = folderOf(folder)) {
    if (stateAt(folders, base, folder)?.kind !== "folder") return false;
    if (statOf(disk, `${root}/${folder}`)?.kind !== "folder") return false;
  }
  return true;
}
