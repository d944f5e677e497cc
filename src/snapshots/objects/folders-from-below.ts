import type { ObjectHash } from "../../record/ids.ts";

export interface FromBelow<Read> {
  isSettled(hash: ObjectHash): boolean;
  read(hash: ObjectHash): Read;
  /** The folders in it. */
  foldersIn(read: Read): readonly ObjectHash[];
  /** All folders in it are settled by now. */
  settle(hash: ObjectHash, read: Read): void;
}

/**
 * Settles a folder and all folders below it, the deepest first; each is read once. A stack and not recursion: how deep
 * folders lie is not up to us.
 */
export function settleFromBelow<Read>(root: ObjectHash, walk: FromBelow<Read>): void {
  const enter = (hash: ObjectHash): { hash: ObjectHash; read: Read; waiting: ObjectHash[] } => {
    const read = walk.read(hash);
    return { hash, read, waiting: walk.foldersIn(read).toReversed() };
  };
  const stack = walk.isSettled(root) ? [] : [enter(root)];
  for (let at = stack.at(-1); at !== undefined; at = stack.at(-1)) {
    const next = at.waiting.pop();
    if (next === undefined) {
      walk.settle(at.hash, at.read);
      stack.pop();
    } else if (!walk.isSettled(next)) stack.push(enter(next));
  }
}
