import { open, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";

/** Reads a file that a path was pasted of; undefined where there is none, or more of it than `limit` bytes. */
export type ReadBytes = (path: string, limit: number) => Promise<Uint8Array | undefined>;

export const readLocalFile: ReadBytes = async (path, limit) => {
  try {
    // Throws for a user whom the system does not know.
    const place = path.startsWith("~/") ? resolve(homedir(), path.slice(2)) : resolve(path);
    return await readWhole(place, limit);
  } catch {
    return undefined;
  }
};

async function readWhole(place: string, limit: number): Promise<Uint8Array | undefined> {
  // A FIFO would hold whoever opens it.
  if (!(await stat(place)).isFile()) return undefined;
  const file = await open(place, "r");
  try {
    const { size } = await file.stat();
    return size > limit ? undefined : await file.readFile();
  } finally {
    await file.close();
  }
}
