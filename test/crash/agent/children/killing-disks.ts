import type { Disk } from "../../../../src/disk/disk.ts";
import { realDisk } from "../../../../src/disk/disk.ts";
import { realWorkspaceDisk } from "../../../../src/snapshots/workspace/real-workspace-disk.ts";
import type { WorkspaceDisk } from "../../../../src/snapshots/workspace/workspace-disk.ts";

/** Called right before something changes; the process may not live to see what comes after it. */
export type Point = () => void;

/** The machine's disk; each change is a point at which the process may die, and the middle of each write another one. */
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
      // A disk may write less than it was given: so half of it is there when the process dies at the second point.
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
