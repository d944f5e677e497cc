import type { Disk } from "../../../src/disk/disk.ts";
import type { Processes } from "../../../src/disk/lock-owner.ts";
import type { ObjectHash } from "../../../src/record/ids.ts";
import type { SegmentStore } from "../../../src/snapshots/segments/segment-store.ts";
import { openSegments, type SegmentOptions } from "../../../src/snapshots/segments/stored-segments.ts";
import { ManualClock, SimulatedDisk, SimulatedProcesses } from "../../../src/testing/testing.ts";

export const FOLDER = "/home/snapshots/segments";

/** A store in its own simulated process. */
export interface Living {
  readonly store: SegmentStore;
  readonly process: Processes;
}

/** A disk, and processes with stores on it. */
export class SegmentScene {
  readonly disk: Disk;
  readonly processes: SimulatedProcesses;

  constructor(disk: Disk = new SimulatedDisk(), processes = new SimulatedProcesses()) {
    this.disk = disk;
    this.processes = processes;
  }

  start(options: Partial<SegmentOptions> = {}): Living {
    const process = this.processes.start();
    const clock = new ManualClock({ seed: process.pid, now: Date.UTC(2026, 0, 1) + process.pid });
    return {
      process,
      store: openSegments({ disk: this.disk, clock, processes: process, folder: FOLDER, ...options }),
    };
  }

  open(options: Partial<SegmentOptions> = {}): SegmentStore {
    return this.start(options).store;
  }

  /** The scene on this disk after every process has died. */
  restarted(disk: Disk): SegmentScene {
    this.processes.restart();
    return new SegmentScene(disk, this.processes);
  }

  names(): string[] {
    return this.disk.stat(FOLDER) === undefined ? [] : this.disk.list(FOLDER).sort();
  }
}

export function putText(store: SegmentStore, text: string): ObjectHash {
  return store.put("content", Buffer.from(text));
}

export function textOf(store: SegmentStore, hash: ObjectHash): string {
  return store.get(hash, "content").toString();
}

/** Incompressible bytes. */
export function noise(length: number, seed = 7): Buffer {
  return Buffer.from(new ManualClock({ seed }).random(length));
}

export function codeOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}
