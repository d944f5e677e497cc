import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
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
  writeNew,
  makeLink: (path, target) => symlinkSync(nodePath(target), nodePath(path)),
  makeFolder: (path, mode) => {
    mkdirSync(nodePath(path), mode);
    // The umask may have taken bits away.
    chmodSync(nodePath(path), mode);
  },
  chmod: (path, mode) => chmodSync(nodePath(path), mode),
  rename: (from, to) => renameSync(nodePath(from), nodePath(to)),
  unlink: (path) => unlinkSync(nodePath(path)),
  removeFolder: (path) => rmdirSync(nodePath(path)),
  syncFolder,
};

function readFile(path: PathBytes): ReadFile {
  const file = openSync(nodePath(path), READ);
  try {
    const before = pathStat(fstatSync(file));
    if (before.kind !== "file") throw Object.assign(new Error("not a regular file"), { code: "EINVAL" });
    const bytes = readAll(file, before.size);
    return { bytes, before, after: pathStat(fstatSync(file)) };
  } finally {
    closeSync(file);
  }
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
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncFolder(path: PathBytes): void {
  if (process.platform === "win32") return;
  const folder = openSync(nodePath(path), constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
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
