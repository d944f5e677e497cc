import {
  type BigIntStats,
  closeSync,
  constants,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { type Disk, type DiskStat, errnoOf, type OpenHow } from "./disk.ts";

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const FLAGS: Readonly<Record<OpenHow, number>> = {
  read: constants.O_RDONLY,
  append: constants.O_WRONLY | constants.O_APPEND,
  create: constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL,
};

/** The file system of this machine. */
export const realDisk: Disk = {
  open: (path, how) => openSync(path, FLAGS[how], FILE_MODE),
  close: (file) => closeSync(file),
  read: (file, into, position) => readSync(file, into, 0, into.length, position),
  write: (file, bytes) => writeSync(file, bytes, 0, bytes.length),
  sync: (file) => fdatasyncSync(file),
  truncate: (file, size) => ftruncateSync(file, size),
  stat: (path) => describe(lstatSync(path, { bigint: true, throwIfNoEntry: false })),
  list: (folder) => readdirSync(folder),
  makeFolder: (path) => mkdirSync(path, FOLDER_MODE),
  removeFolder: (path) => rmdirSync(path),
  syncFolder,
  link: (from, to) => linkSync(from, to),
  rename: (from, to) => renameSync(from, to),
  unlink: (path) => unlinkSync(path),
};

function describe(stat: BigIntStats | undefined): DiskStat | undefined {
  if (stat === undefined) return undefined;
  return {
    kind: stat.isFile() ? "file" : stat.isDirectory() ? "folder" : "other",
    size: Number(stat.size),
    identity: `${stat.dev}:${stat.ino}`,
    modifiedAt: Number(stat.mtimeMs),
  };
}

function syncFolder(path: string): void {
  // Windows cannot open a folder, and writes names through by itself.
  if (process.platform === "win32") return;
  const folder = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } catch (error) {
    // Some network file systems know no fsync of a folder; there is nothing better to ask them for.
    if (errnoOf(error) !== "EINVAL") throw error;
  } finally {
    closeSync(folder);
  }
}
