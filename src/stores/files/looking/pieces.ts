import { join } from "node:path";
import type { Disk } from "../../../disk/disk.ts";
import { namesIn } from "../../../disk/durable-files.ts";
import type { Piece } from "../../../ports/log-store.ts";
import type { SessionPlaces } from "../places.ts";

/** The files that a session is kept in, by name. Another program may remove one between the list and the look. */
export function piecesOf(disk: Disk, { folder }: SessionPlaces): Piece[] {
  return piecesIn(disk, folder, "").sort((a, b) => (a.name < b.name ? -1 : 1));
}

function piecesIn(disk: Disk, folder: string, within: string): Piece[] {
  return namesIn(disk, folder).flatMap((each) => {
    const [path, name] = [join(folder, each), join(within, each)];
    const stat = disk.stat(path);
    if (stat?.kind === "folder") return piecesIn(disk, path, name);
    return stat?.kind === "file" ? [{ name, bytes: stat.size }] : [];
  });
}

/** Two writes within one tick of the clock differ in size: a log only grows, or is put in place anew. */
export function stampOf(disk: Disk, { log }: SessionPlaces): string {
  const live = disk.stat(log);
  return live === undefined ? "no log" : `${live.size} ${live.modifiedAt} ${live.identity}`;
}
