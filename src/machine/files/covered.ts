import { isWithin, type PathChange } from "../../record/files.ts";

/** What only one of the two snapshots covers, as when ignore rules came back with the files, says nothing of edits. */
export function isCovered(changes: readonly PathChange[]): (change: PathChange) => boolean {
  const isLeftOut = ({ before, after }: PathChange): boolean =>
    before?.kind === "left-out" || after?.kind === "left-out";
  const leftOut = changes.filter(isLeftOut).map(({ path }) => path);
  return ({ path }) => !leftOut.some((above) => isWithin(path, above));
}
