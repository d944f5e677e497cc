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
  /** Opens stores in the first process. */
  readonly open: () => LogStore;
  /** Opens stores after the machine has restarted, on what is then left on the disk. */
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

/** Plays the script until the power fails, and returns the name of the step during which it did. */
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
