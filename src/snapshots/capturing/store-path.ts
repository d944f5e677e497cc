import type { PathBytes } from "../../record/files.ts";
import { isRacy, type Signature, signatureOf } from "../finding/signature.ts";
import type { StoredPath } from "./finder.ts";
import { type Stored, type StoreGround, storeFile } from "./store-file.ts";

export interface PathGround extends StoreGround {
  /** The workspace, absolute. */
  readonly root: PathBytes;
}

/** Stores one path of the workspace. */
export function storePath(ground: PathGround, path: PathBytes): StoredPath {
  const { state, signature } = storeTrusted(ground, path);
  return { path, state, signature };
}

export interface StoredTrusted extends Stored {
  /** Undefined, too, when the file changed so shortly before that another change could look the same. */
  readonly signature: Signature | undefined;
}

export function storeTrusted(ground: PathGround, path: PathBytes): StoredTrusted {
  // Before it is read: of what comes after that moment nothing is known. The system's clock, by which files are stamped.
  const at = Date.now();
  const stored = storeFile(ground, `${ground.root}/${path}`);
  const { stat } = stored;
  const signature = stat === undefined || isRacy(stat, at) ? undefined : signatureOf(stat);
  return { ...stored, signature };
}
