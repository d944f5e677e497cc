import type { Disk } from "../../../../src/disk/disk.ts";
import { realDisk } from "../../../../src/disk/disk.ts";
import { realWorkspaceDisk } from "../../../../src/snapshots/workspace/real-workspace-disk.ts";
import type { WorkspaceDisk } from "../../../../src/snapshots/workspace/workspace-disk.ts";

/** Called right before each change; it may kill the process, and then never returns. */
export type Point = () => void;

/**
 * The real disk, with points at which the process may die: before each change, and in the middle of each
 * write.
 */
export function killingDisk(point: Point): Disk {
  const before = passing(point);
  return {
    ...realDisk,
    open: (path, how) => {
      if (how === "create") point();
      return realDisk.open(path, how);
    },
    write: (file, bytes) => {
      point();
      // A disk may write less than it was given, so the first half is already on disk if the process dies at
      // the second point.
      const written = realDisk.write(file, bytes.subarray(0, Math.ceil(bytes.length / 2)));
      point();
      return written + (written < bytes.length ? realDisk.write(file, bytes.subarray(written)) : 0);
    },
    sync: before(realDisk.sync),
    truncate: before(realDisk.truncate),
    makeFolder: before(realDisk.makeFolder),
    removeFolder: before(realDisk.removeFolder),
    syncFolder: before(realDisk.syncFolder),
    link: before(realDisk.link),
    rename: before(realDisk.rename),
    unlink: before(realDisk.unlink),
  };
}

export function killingWorkspaceDisk(point: Point): WorkspaceDisk {
  const before = passing(point);
  return {
    ...realWorkspaceDisk,
    writeNew: before(realWorkspaceDisk.writeNew),
    makeLink: before(realWorkspaceDisk.makeLink),
    makeFolder: before(realWorkspaceDisk.makeFolder),
    chmod: before(realWorkspaceDisk.chmod),
    rename: before(realWorkspaceDisk.rename),
    unlink: before(realWorkspaceDisk.unlink),
    removeFolder: before(realWorkspaceDisk.removeFolder),
    sync: before(realWorkspaceDisk.sync),
  };
}

function passing(point: Point) {
  return <Given extends unknown[], Result>(call: (...given: Given) => Result) =>
    (...given: Given): Result => {
      point();
      return call(...given);
    };
}
