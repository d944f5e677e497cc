import { readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { ownerOf } from "../../disk/lock/lock-file.ts";
import { isUnreadable, type Life, lifeOf } from "../../disk/lock/owner.ts";
import { realProcesses } from "../../disk/lock/processes.ts";
import { realDisk } from "../../disk/real-disk.ts";
import type { Owner } from "../../ports/lease.ts";
import type { SessionId } from "../../record/ids.ts";
import { placesOf } from "../../stores/files/places.ts";
import { systemCode } from "../places/system-error.ts";

/** Who has the right to write to a session, as its lock says. Looks, and does not ask for it. */
export interface Holder {
  /** Undefined when the lock cannot be read: it has an owner, somewhere. */
  readonly owner?: Owner;
  readonly life: Life;
}

export function holderOf(home: string, session: SessionId): Holder | undefined {
  try {
    const owner = ownerOf(realDisk, placesOf(home, session).lock);
    if (owner === undefined) return undefined;
    return { ...(isUnreadable(owner) ? {} : { owner }), life: lifeOf(owner, realProcesses()) };
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return { life: "elsewhere" };
  }
}

export interface FileSize {
  /** Within the session's folder. */
  readonly file: string;
  readonly bytes: number;
}

/** The files that a session is kept in, by name. */
export async function filesOf(home: string, session: SessionId): Promise<readonly FileSize[]> {
  const { folder } = placesOf(home, session);
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    found
      .filter((each) => each.isFile())
      .map(async (each) => {
        const path = join(each.parentPath, each.name);
        return { file: relative(folder, path), bytes: await sizeOf(path) };
      }),
  );
  return sizes.sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** Another program may remove a file between the list and the look. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return 0;
    throw error;
  }
}
