import type { Disk } from "../../../src/disk/disk.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { openSnapshotContext, workspaceContext } from "../../../src/snapshots/context.ts";
import { DEFAULT_LIMITS } from "../../../src/snapshots/finding/coverage.ts";
import { SnapshotUpkeep } from "../../../src/snapshots/snapshot-upkeep.ts";
import { realWorkspaceDisk } from "../../../src/snapshots/workspace/real-workspace-disk.ts";
import type { WorkspaceDisk } from "../../../src/snapshots/workspace/workspace-disk.ts";
import { StoredWorkspaceFiles } from "../../../src/snapshots/workspace-files.ts";
import { ManualClock, SimulatedProcesses } from "../../../src/testing/testing.ts";
import type { ScriptContext } from "./files-script.ts";

const HOME = "/no-such-home";

export interface Opening {
  readonly workspace: string;
  readonly disk: Disk;
  readonly workspaceDisk?: WorkspaceDisk;
}

/** Opens a workspace on the real disk with a store on a simulated one, as a new process each time. */
export class FilesMachine {
  readonly #processes = new SimulatedProcesses();

  open({ workspace, disk, workspaceDisk = realWorkspaceDisk }: Opening): ScriptContext {
    const life = this.#processes.start();
    const clock = new ManualClock({ seed: life.pid, now: Date.now() });
    const store = openSnapshotContext({
      home: HOME,
      disk,
      clock: { ...systemClock, random: (count) => clock.random(count) },
      processes: life,
    });
    const files = new StoredWorkspaceFiles(
      workspaceContext({
        store,
        folder: workspace,
        disk: workspaceDisk,
        limits: DEFAULT_LIMITS,
        home: HOME,
        name: "a test",
        waitMs: 0,
        threads: "none",
      }),
    );
    const own = openSnapshotContext({ home: HOME, disk, clock: systemClock, processes: life });
    return { workspace, files, upkeep: new SnapshotUpkeep(own, { name: "a test", waitMs: 0 }) };
  }

  /** Kills every running process. */
  restart(): void {
    this.#processes.restart();
  }
}
