import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { promisify } from "node:util";
import {
  type HeldFolders,
  type HoldingBy,
  heldFolders,
  nodePath,
  O_PATH,
  splitPath,
} from "../../disk/held-folder.ts";
import type { PathBytes } from "../../record/files.ts";
import type { PathStat, ReadFile, WorkspaceDisk } from "./workspace-disk.ts";

/** O_NONBLOCK prevents `open` from waiting for a writer if a FIFO has replaced the file. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
const NAME_ONLY = O_PATH | (constants.O_NOFOLLOW ?? 0);

/** Number of threads that Node has for syncing. More simultaneous requests would only use up file descriptors. */
const SYNCS_AT_ONCE = 4;

const syncFile = promisify(fsync);

/** Returns the real file system. Calls never follow a link, regardless of what other processes do at the same time. */
export function workspaceDiskThrough(folders: HeldFolders): WorkspaceDisk {
  return {
    stat: (path) => {
      try {
        return folders.look(path, statAt);
      } catch (error) {
        if (isCode(error, "ENOENT")) return undefined;
        throw error;
      }
    },
    quickStat: (path) => statAt(nodePath(path)),
    names: (folder) =>
      folders.within(folder, "list", (held) => readdirSync(held.at(), { encoding: "latin1" })),
    readFile: (path, atMost) => folders.look(path, (place) => readFile(place, atMost)),
    readLink: (path) => folders.look(path, (place) => readlinkSync(place, { encoding: "latin1" })),
    isPlainFolder: (path) => folders.isPlainFolder(path),
    writeNew: (path, bytes, mode) => folders.change(path, (place) => writeNew(place, bytes, mode)),
    makeLink: (path, target) => folders.change(path, (place) => symlinkSync(nodePath(target), place)),
    makeFolder: (path, mode) =>
      folders.change(path, (place) => {
        mkdirSync(place, mode);
        // The mode is set again, because the umask may have removed bits from it.
        changeMode(place, mode, { expected: "folder", by: folders.by });
      }),
    chmod: (path, mode, seen) =>
      folders.change(path, (place) => changeMode(place, mode, { expected: seen, by: folders.by })),
    rename: (from, to) => rename(folders, from, to),
    unlink: (path) => folders.change(path, (place) => unlinkSync(place)),
    removeFolder: (path) => {
      folders.change(path, (place) => rmdirSync(place));
      folders.forget(path);
    },
    sync: async (paths) => sync(folders, paths),
  };
}

function rename(folders: HeldFolders, from: PathBytes, to: PathBytes): void {
  const [source, target] = [splitPath(from), splitPath(to)];
  folders.within(source.folder, "change", (held) => {
    if (source.folder === target.folder) return renameSync(held.at(source.name), held.at(target.name));
    return folders.within(target.folder, "change", (other) =>
      renameSync(held.at(source.name), other.at(target.name)),
    );
  });
  folders.forget(from);
  folders.forget(to);
}

export const realWorkspaceDisk: WorkspaceDisk = workspaceDiskThrough(heldFolders);

function statAt(place: string | Buffer): PathStat | undefined {
  const stat = lstatSync(place, { throwIfNoEntry: false });
  return stat === undefined ? undefined : pathStat(stat);
}

/**
 * Changes the mode without following a link. Node does not have lchmod, so the path is opened first, which also pins
 * down the file whose mode is changed.
 */
function changeMode(
  place: string | Buffer,
  mode: number,
  { expected, by }: { readonly expected: "folder" | PathStat; readonly by: HoldingBy },
): void {
  const isHandle = by === "handles";
  let file: number;
  try {
    file = openSync(place, isHandle ? NAME_ONLY : READ);
  } catch (error) {
    if (isHandle || !isCode(error, "EACCES")) throw error;
    // The mode of a file can be changed even if its owner is not allowed to read the file.
    requireSame(lstatSync(place), expected);
    chmodSync(place, mode);
    return;
  }
  try {
    requireSame(fstatSync(file), expected);
    if (isHandle) chmodSync(`/proc/self/fd/${file}`, mode);
    else fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
}

function requireSame(stats: Stats, expected: "folder" | PathStat): void {
  const is =
    expected === "folder"
      ? stats.isDirectory()
      : stats.ino === expected.inode && stats.dev === expected.device && kindOf(stats) === expected.kind;
  if (!is) throw Object.assign(new Error("another file or folder is at this path now"), { code: "ESTALE" });
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function readFile(place: string | Buffer, atMost?: number): ReadFile {
  const file = openSync(place, READ);
  try {
    const before = pathStat(fstatSync(file));
    if (before.kind !== "file") throw Object.assign(new Error("not a regular file"), { code: "EINVAL" });
    const bytes = atMost === undefined ? readAll(file, before.size) : readBeginning(file, atMost);
    return { bytes, before, after: pathStat(fstatSync(file)) };
  } finally {
    closeSync(file);
  }
}

function readBeginning(file: number, atMost: number): Buffer {
  const bytes = Buffer.allocUnsafe(atMost);
  return bytes.subarray(0, readSync(file, bytes, 0, atMost, 0));
}

/** Reads all bytes of the file. The number of bytes may differ from the file's size. */
function readAll(file: number, size: number): Buffer {
  let bytes = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const count = readSync(file, bytes, length, bytes.length - length, null);
    if (count === 0) return bytes.subarray(0, length);
    length += count;
    if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(bytes.length)]);
  }
}

function writeNew(place: string | Buffer, bytes: Uint8Array, mode: number): void {
  const file = openSync(place, CREATE, 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
}

async function sync(
  folders: HeldFolders,
  paths: readonly PathBytes[],
): Promise<ReadonlyMap<PathBytes, unknown>> {
  const failures = new Map<PathBytes, unknown>();
  // Windows cannot open a folder, but it makes names durable automatically.
  if (process.platform === "win32") return failures;
  const waiting = paths.values();
  const syncSome = async (): Promise<void> => {
    for (const path of waiting) {
      try {
        await syncOne(folders, path);
      } catch (error) {
        failures.set(path, error);
      }
    }
  };
  await Promise.all(Array.from({ length: SYNCS_AT_ONCE }, syncSome));
  return failures;
}

async function syncOne(folders: HeldFolders, path: PathBytes): Promise<void> {
  const file = folders.look(path, (place) => openSync(place, READ));
  try {
    await syncFile(file);
  } finally {
    closeSync(file);
  }
}

function pathStat(stat: Stats): PathStat {
  return {
    kind: kindOf(stat),
    mode: stat.mode & 0o7777,
    size: stat.size,
    links: stat.nlink,
    device: stat.dev,
    inode: stat.ino,
    modifiedAt: stat.mtimeMs,
    changedAt: stat.ctimeMs,
  };
}

function kindOf(stat: Stats): PathStat["kind"] {
  switch (stat.mode & constants.S_IFMT) {
    case constants.S_IFREG:
      return "file";
    case constants.S_IFDIR:
      return "folder";
    case constants.S_IFLNK:
      return "link";
    default:
      return "special";
  }
}
