import type { Disk } from "../../src/disk/disk.ts";
import type { LogStore } from "../../src/ports/log-store.ts";
import { type FilesStoreOptions, openFilesStore } from "../../src/stores/files/files.ts";
import {
  FailingDisk,
  type Faults,
  ManualClock,
  SimulatedDisk,
  SimulatedProcesses,
} from "../../src/testing/testing.ts";
import { type Scene, script } from "./script.ts";

export interface Run {
  readonly disk: SimulatedDisk;
  readonly failing: FailingDisk;
  readonly scene: Scene;
  /** Stores as the first process opens them. */
  readonly open: () => LogStore;
  /** Stores as they are opened after the machine was started again, on what the disk then holds. */
  openAfterwards(disk: Disk): () => LogStore;
}

export function prepareRun(faults: Faults): Run {
  const disk = new SimulatedDisk();
  const failing = new FailingDisk(disk, faults);
  const processes = new SimulatedProcesses();
  const opener = (on: Disk, options: Partial<FilesStoreOptions> = {}) => {
    const life = processes.start();
    const clock = new ManualClock({ seed: life.pid });
    return () => openFilesStore({ root: "/home", clock, disk: on, processes: life, ...options });
  };
  const open = opener(failing);
  return {
    disk,
    failing,
    scene: script(open),
    open,
    openAfterwards: (after) => {
      processes.restart();
      return opener(after);
    },
  };
}

/** How many operations the whole script takes when nothing fails. */
export async function countOperations(): Promise<FailingDisk["operations"]> {
  const { scene, failing } = prepareRun(() => undefined);
  for (const step of scene.steps) await step.run();
  return failing.operations;
}

/** The script up to where the power goes; returns the name of the step it went in. */
export async function playUntilDark(at: number) {
  const run = prepareRun(({ number }) => (number === at ? { errno: "power" } : undefined));
  for (const step of run.scene.steps) {
    try {
      await step.run();
    } catch {
      return { ...run, step: step.name };
    }
  }
  return { ...run, step: "the end" };
}
