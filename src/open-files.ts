import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { realDisk } from "./disk/disk.ts";
import { defaultHome } from "./disk/folders.ts";
import { realProcesses } from "./disk/lock-owner.ts";
import { systemClock } from "./disk/system-clock.ts";
import type { TakeOver } from "./ports/lease.ts";
import type { StorePlace } from "./ports/log-store.ts";
import type { ForgettableFiles, SnapshotObjects } from "./ports/snapshot-objects.ts";
import type { WorkspaceFiles } from "./ports/workspace-files.ts";
import { pathOfText } from "./record/files.ts";
import { checkOptions, type OptionsOf, option } from "./record/options.ts";
import { openSnapshotContext, type SnapshotContext, workspaceContext } from "./snapshots/context.ts";
import { StoredSnapshotObjects } from "./snapshots/exchange/snapshot-objects.ts";
import { type CoverageLimits, DEFAULT_LIMITS } from "./snapshots/finding/coverage.ts";
import { StoredForgettableFiles } from "./snapshots/forgetting/forgettable-files.ts";
import { SnapshotUpkeep } from "./snapshots/snapshot-upkeep.ts";
import { realWorkspaceDisk } from "./snapshots/workspace/real-workspace-disk.ts";
import { requireCapturable } from "./snapshots/workspace/workspace-folder.ts";
import { StoredWorkspaceFiles } from "./snapshots/workspace-files.ts";
import { storeKey } from "./stores/store-address.ts";

export interface OpenFilesOptions {
  /** The folder whose files are captured and restored; by default, the current folder. */
  readonly workspace?: string;
  /** The folder where snapshots are stored; by default, WORLDLINE_HOME, or `.worldline` in the home folder. */
  readonly home?: string;
  /** The store with the sessions that refer to the snapshots; by default, the files in `home`. */
  readonly sessionsIn?: StorePlace;
  /** Maximum size of a file in a snapshot. Larger files are left out. The default is 64 MiB. */
  readonly maxFileBytes?: number;
  /** The name of this program, shown by other programs that wait for it. */
  readonly name?: string;
  /** How long to wait while another program restores files; by default, 30 seconds. */
  readonly waitMs?: number;
  /**
   * "yes" takes over from a program on another machine, where this process cannot check whether the program is still
   * running. A program that is still running on this machine is never interrupted. The default is "no".
   */
  readonly takeOver?: TakeOver;
  /**
   * "auto", the default, uses worker threads if there is enough work for them. "none" does all work in the calling
   * thread.
   */
  readonly threads?: "auto" | "none";
}

export type OpenUpkeepOptions = Pick<OpenFilesOptions, "home" | "name" | "waitMs" | "takeOver">;

const WAIT_MS = 30_000;
/** Maximum number of links to follow. Linux has the same limit. */
const MAX_LINKS = 40;
const NAME = "a program that uses Worldline";

const fileOptions: OptionsOf<OpenFilesOptions> = {
  call: "openWorkspaceFiles",
  kinds: {
    workspace: option.path,
    home: option.path,
    sessionsIn: option.object,
    maxFileBytes: option.amount,
    name: option.text,
    waitMs: option.amount,
    takeOver: option.oneOf("yes", "unreadable", "no"),
    threads: option.oneOf("auto", "none"),
  },
};

/** Checks the options for calls that work on the snapshots of all workspaces. */
function checkUpkeep(call: string, options: OpenUpkeepOptions & Pick<OpenFilesOptions, "sessionsIn">): void {
  const { home, name, waitMs, takeOver, sessionsIn } = fileOptions.kinds;
  checkOptions<Pick<OpenFilesOptions, "home" | "name" | "waitMs" | "takeOver" | "sessionsIn">>(options, {
    call,
    kinds: { home, name, waitMs, takeOver, sessionsIn },
  });
}

/**
 * Opens a workspace's files. Nothing is read or created until the result is used. Rejects with WORKSPACE_UNUSABLE for
 * the home folder and for `/`.
 */
export async function openWorkspaceFiles(options: OpenFilesOptions = {}): Promise<WorkspaceFiles> {
  checkOptions(options, fileOptions);
  const folder = realpathSync(options.workspace ?? process.cwd());
  requireCapturable(folder);
  const home = options.home ?? defaultHome();
  const store = contextIn(home);
  const { maxFileBytes = DEFAULT_LIMITS.maxFileBytes } = options;
  return new StoredWorkspaceFiles(
    workspaceContext({
      store,
      folder,
      disk: realWorkspaceDisk,
      limits: { ...DEFAULT_LIMITS, maxFileBytes, ...ownDatabase(options, folder) },
      home,
      sessionsIn: keyOf(options, home),
      name: options.name ?? NAME,
      waitMs: options.waitMs ?? WAIT_MS,
      takeOver: options.takeOver ?? "no",
      threads: options.threads ?? "auto",
    }),
  );
}

/**
 * Opens the snapshot store for maintenance. Does not create the store.
 *
 * @internal
 */
export function openSnapshotUpkeep(options: OpenUpkeepOptions = {}): SnapshotUpkeep {
  checkUpkeep("openSnapshotUpkeep", options);
  const { home = defaultHome(), name = NAME, waitMs = WAIT_MS, takeOver = "no" } = options;
  return new SnapshotUpkeep(contextIn(home), { name, waitMs, takeOver });
}

/** Opens the objects of all snapshots, so that they can be exported to another machine or imported from one. */
export function openSnapshotObjects(
  options: OpenUpkeepOptions & Pick<OpenFilesOptions, "sessionsIn"> = {},
): SnapshotObjects {
  checkUpkeep("openSnapshotObjects", options);
  const { home = defaultHome(), name = NAME, waitMs = WAIT_MS, takeOver = "no" } = options;
  return new StoredSnapshotObjects(contextIn(home), {
    name,
    waitMs,
    takeOver,
    sessionsIn: keyOf(options, home),
  });
}

/** Opens the contents of all snapshots, so that the caller can erase some of them permanently. */
export function openForgettableFiles(options: OpenUpkeepOptions = {}): ForgettableFiles {
  checkUpkeep("openForgettableFiles", options);
  const { home = defaultHome(), name = NAME, waitMs = WAIT_MS, takeOver = "no" } = options;
  return new StoredForgettableFiles(
    { store: contextIn(home), disk: realWorkspaceDisk },
    { name, waitMs, takeOver },
  );
}

/** Returns the database file's path within the workspace, if the database is in the workspace. */
function ownDatabase(
  { sessionsIn }: Pick<OpenFilesOptions, "sessionsIn">,
  folder: string,
): Pick<CoverageLimits, "ownDatabase"> {
  if (sessionsIn?.kind !== "sqlite") return {};
  const within = relative(folder, realFileOf(sessionsIn.name));
  if (isAbsolute(within) || within === ".." || within.startsWith(`..${sep}`)) return {};
  return { ownDatabase: pathOfText(within.split(sep).join("/")) };
}

/** Returns the path that SQLite uses for the database and for the files next to it. All links are resolved. */
function realFileOf(path: string, links = MAX_LINKS): string {
  try {
    return realpathSync(path);
  } catch {
    // SQLite creates the file together with the first session, at the place that the last link points to.
    const target = links === 0 ? undefined : linkTarget(path);
    if (target !== undefined) return realFileOf(resolve(dirname(path), target), links - 1);
    const above = dirname(path);
    return above === path ? path : join(realFileOf(above, links), basename(path));
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function keyOf({ sessionsIn }: Pick<OpenFilesOptions, "sessionsIn">, home: string): string | undefined {
  return sessionsIn === undefined ? undefined : storeKey(sessionsIn, home);
}

function contextIn(home: string): SnapshotContext {
  return openSnapshotContext({ home, disk: realDisk, clock: systemClock, processes: realProcesses(home) });
}
