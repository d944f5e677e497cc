import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
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
import { open } from "node:fs/promises";
import type { PathBytes } from "../../record/files.ts";
import type { PathStat, ReadFile, WorkspaceDisk } from "./workspace-disk.ts";

/** What Node needs to reach exactly these bytes: text where the path is ASCII, which is faster, else bytes. */
export function nodePath(path: PathBytes): string | Buffer {
  // A regular expression is the quickest way to ask.
  return !/[\x80-\xff]/.test(path) ? path : Buffer.from(path, "latin1");
}

/** O_NONBLOCK: should a FIFO have taken a file's place, opening it must not wait for a writer. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

export const realWorkspaceDisk: WorkspaceDisk = {
  stat: (path) => {
    const stat = lstatSync(nodePath(path), { throwIfNoEntry: false });
    return stat === undefined ? undefined : pathStat(stat);
  },
  names: (folder) => readdirSync(nodePath(folder), { encoding: "latin1" }),
  readFile,
  readLink: (path) => readlinkSync(nodePath(path), { encoding: "latin1" }),
  ...(process.platform === "linux" ? { isPlainFolder } : {}),
  writeNew,
  makeLink: (path, target) => symlinkSync(nodePath(target), nodePath(path)),
  makeFolder: (path, mode) => {
    mkdirSync(nodePath(path), mode);
    // The umask may have taken bits away.
    chmodSync(nodePath(path), mode);
  },
  chmod,
  rename: (from, to) => renameSync(nodePath(from), nodePath(to)),
  unlink: (path) => unlinkSync(nodePath(path)),
  removeFolder: (path) => rmdirSync(nodePath(path)),
  sync,
};

/** Only named, not opened: that needs no right to read it. Linux only; Node has no name for it. */
const O_PATH = 0o10_000_000;

/** The system itself says by which path it got there. */
function isPlainFolder(path: PathBytes): boolean {
  let folder: number;
  try {
    folder = openSync(nodePath(path), O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch {
    // Whoever asks looks at each folder on the way, and hears what is wrong.
    return false;
  }
  try {
    return readlinkSync(`/proc/self/fd/${folder}`, { encoding: "latin1" }) === path;
  } catch {
    return false;
  } finally {
    closeSync(folder);
  }
}

/** Node knows no lchmod: the file is opened, which a link refuses, so that its target never gets the mode. */
function chmod(path: PathBytes, mode: number): void {
  let file: number;
  try {
    file = openSync(nodePath(path), READ);
  } catch (error) {
    // What may not be read can still be given another mode; and what is no file or folder has none that counts.
    if (lstatSync(nodePath(path)).isSymbolicLink()) throw error;
    chmodSync(nodePath(path), mode);
    return;
  }
  try {
    fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
}

function readFile(path: PathBytes, atMost?: number): ReadFile {
  const file = openSync(nodePath(path), READ);
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

/** As many bytes as there are when it is read, which may be more or less than the size said. */
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

function writeNew(path: PathBytes, bytes: Uint8Array, mode: number): void {
  const file = openSync(nodePath(path), CREATE, 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
}

async function sync(paths: readonly PathBytes[]): Promise<ReadonlyMap<PathBytes, unknown>> {
  const failures = new Map<PathBytes, unknown>();
  // Windows cannot open a folder, and writes names through by itself.
  if (process.platform === "win32") return failures;
  await Promise.all(
    paths.map(async (path) => {
      try {
        await syncOne(path);
      } catch (error) {
        failures.set(path, error);
      }
    }),
  );
  return failures;
}

async function syncOne(path: PathBytes): Promise<void> {
  const file = await open(nodePath(path), READ);
  try {
    await file.sync();
  } finally {
    await file.close();
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
