import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Disk } from "../../../src/disk/disk.ts";
import { realDisk } from "../../../src/disk/disk.ts";
import { type Processes, realProcesses } from "../../../src/disk/lock-owner.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import type { RestoreRequest } from "../../../src/ports/workspace-files.ts";
import type { PathChange } from "../../../src/record/files.ts";
import type { SessionId, SnapshotId } from "../../../src/record/ids.ts";
import {
  openSnapshotContext,
  type WorkspaceContext,
  workspaceContext,
} from "../../../src/snapshots/context.ts";
import { type CoverageLimits, DEFAULT_LIMITS } from "../../../src/snapshots/finding/coverage.ts";
import { SnapshotUpkeep } from "../../../src/snapshots/snapshot-upkeep.ts";
import { realWorkspaceDisk } from "../../../src/snapshots/workspace/real-workspace-disk.ts";
import type { WorkspaceDisk } from "../../../src/snapshots/workspace/workspace-disk.ts";
import { StoredWorkspaceFiles } from "../../../src/snapshots/workspace-files.ts";
import { sessionNumber } from "../../../src/testing/testing.ts";

export interface WorldParts {
  readonly disk?: Disk;
  readonly workspaceDisk?: WorkspaceDisk;
  readonly limits?: Partial<CoverageLimits>;
  readonly processes?: Processes;
  readonly home?: string;
}

export const SESSION: SessionId = sessionNumber(1);

/** A workspace and a store in their own folder, which a test can open as often as it likes. */
export class FilesWorld {
  readonly workspace: string;
  readonly home: string;
  readonly #parts: WorldParts;

  constructor(folder: string, parts: WorldParts = {}) {
    this.workspace = join(folder, "workspace");
    this.home = parts.home ?? join(folder, "home");
    this.#parts = parts;
    mkdirSync(this.workspace, { recursive: true });
  }

  /** Opens the workspace as a new process would. */
  open(parts: WorldParts = {}): StoredWorkspaceFiles {
    return new StoredWorkspaceFiles(this.deps(parts));
  }

  deps(parts: WorldParts = {}): WorkspaceContext {
    const { disk = realDisk, workspaceDisk, limits, processes } = { ...this.#parts, ...parts };
    const store = openSnapshotContext({
      home: this.home,
      disk,
      clock: systemClock,
      processes: processes ?? realProcesses(),
    });
    return workspaceContext({
      store,
      folder: this.workspace,
      disk: workspaceDisk ?? realWorkspaceDisk,
      limits: { ...DEFAULT_LIMITS, ...limits },
      home: this.home,
      name: "a test",
      waitMs: 0,
      threads: "none",
    });
  }

  upkeep(parts: WorldParts = {}): SnapshotUpkeep {
    return new SnapshotUpkeep(this.deps(parts).store, { name: "a test", waitMs: 0 });
  }
}

export function restoreOf(steps: readonly PathChange[], left: SnapshotId): RestoreRequest {
  return { session: SESSION, journey: { from: "e1", left }, steps, commit: async () => undefined };
}

/** Keeps only what is referenced. */
export const KEEP_REFERENCED = {
  retention: { keepCount: 1000, keepJourneys: 1000 },
  maxBytes: Number.MAX_SAFE_INTEGER,
} as const;
