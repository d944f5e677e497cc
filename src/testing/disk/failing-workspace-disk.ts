import type { PathBytes } from "../../record/files.ts";
import type { PathStat, ReadFile, WorkspaceDisk } from "../../snapshots/workspace/workspace-disk.ts";
import { systemError } from "./simulated-disk.ts";

/** A call to a workspace's disk. */
export interface WorkspaceOperation {
  readonly name: keyof WorkspaceDisk;
  /** The path that the call works on. For a rename, this is the destination. */
  readonly path: PathBytes;
  /** The source of a rename. Absent for other calls. */
  readonly from?: PathBytes;
  readonly does: "look" | "change";
  /** The number of the call among all calls, starting at 1. */
  readonly number: number;
  /**
   * The number of the call among the calls that change something, starting at 1. For a call that only reads, this is
   * the number of changes before it.
   */
  readonly change: number;
}

/**
 * Decides whether a call fails. Returns the code of a system error, or "killed", which also makes every later call
 * fail.
 */
export type WorkspaceFaults = (operation: WorkspaceOperation) => string | undefined;

/** Simulates a kill, which a process cannot catch. In tests, an error without a `code` has this effect. */
export class Killed extends Error {
  constructor() {
    super("The process was killed.");
    this.name = "Killed";
  }
}

/** Makes the call with this number fail with a system error. Calls that only read are counted as well. */
export function failAt(number: number, errno: string): WorkspaceFaults {
  return (operation) => (operation.number === number ? errno : undefined);
}

/** Kills the process right before the call with this number. Only calls that change something are counted. */
export function killAt(change: number): WorkspaceFaults {
  return (operation) => (operation.does === "change" && operation.change === change ? "killed" : undefined);
}

/** Passes all calls to another disk, except calls that should fail. */
export class FailingWorkspaceDisk implements WorkspaceDisk {
  readonly operations: WorkspaceOperation[] = [];
  faults: WorkspaceFaults;
  readonly #disk: WorkspaceDisk;
  #changes = 0;
  #isDead = false;

  constructor(disk: WorkspaceDisk, faults: WorkspaceFaults = () => undefined) {
    this.#disk = disk;
    this.faults = faults;
  }

  /** The number of calls that change something, including calls that failed. */
  get changes(): number {
    return this.#changes;
  }

  stat(path: PathBytes): PathStat | undefined {
    return this.#look("stat", path, () => this.#disk.stat(path));
  }

  names(folder: PathBytes): PathBytes[] {
    return this.#look("names", folder, () => this.#disk.names(folder));
  }

  readFile(path: PathBytes, atMost?: number): ReadFile {
    return this.#look("readFile", path, () => this.#disk.readFile(path, atMost));
  }

  readLink(path: PathBytes): PathBytes {
    return this.#look("readLink", path, () => this.#disk.readLink(path));
  }

  writeNew(path: PathBytes, bytes: Uint8Array, mode: number): void {
    this.#change("writeNew", path, () => this.#disk.writeNew(path, bytes, mode));
  }

  makeLink(path: PathBytes, target: PathBytes): void {
    this.#change("makeLink", path, () => this.#disk.makeLink(path, target));
  }

  makeFolder(path: PathBytes, mode: number): void {
    this.#change("makeFolder", path, () => this.#disk.makeFolder(path, mode));
  }

  chmod(path: PathBytes, mode: number, seen: PathStat): void {
    this.#change("chmod", path, () => this.#disk.chmod(path, mode, seen));
  }

  rename(from: PathBytes, to: PathBytes): void {
    this.#count({ name: "rename", path: to, from, does: "change" });
    this.#disk.rename(from, to);
  }

  unlink(path: PathBytes): void {
    this.#change("unlink", path, () => this.#disk.unlink(path));
  }

  removeFolder(path: PathBytes): void {
    this.#change("removeFolder", path, () => this.#disk.removeFolder(path));
  }

  /** Syncs the paths. Each path counts as a separate call. */
  async sync(paths: readonly PathBytes[]): Promise<ReadonlyMap<PathBytes, unknown>> {
    const failures = new Map<PathBytes, unknown>();
    for (const path of paths) {
      try {
        this.#count({ name: "sync", path, does: "change" });
      } catch (error) {
        if (error instanceof Killed) throw error;
        failures.set(path, error);
      }
    }
    const others = await this.#disk.sync(paths.filter((path) => !failures.has(path)));
    return new Map([...failures, ...others]);
  }

  #look<Result>(name: WorkspaceOperation["name"], path: PathBytes, call: () => Result): Result {
    this.#count({ name, path, does: "look" });
    return call();
  }

  #change(name: WorkspaceOperation["name"], path: PathBytes, call: () => void): void {
    this.#count({ name, path, does: "change" });
    call();
  }

  #count(call: Pick<WorkspaceOperation, "name" | "path" | "from" | "does">): void {
    if (this.#isDead) throw new Killed();
    if (call.does === "change") this.#changes += 1;
    const operation = { ...call, number: this.operations.length + 1, change: this.#changes };
    this.operations.push(operation);
    const fault = this.faults(operation);
    if (fault === "killed") {
      this.#isDead = true;
      throw new Killed();
    }
    if (fault !== undefined)
      throw systemError(fault, `simulated failure of ${call.name} ${operation.number}`);
  }
}
