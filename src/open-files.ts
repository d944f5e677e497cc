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
  /** The folder whose files are captured and restored; by default the current one. */
  readonly workspace?: string;
  /** Where snapshots are stored; by default WORLDLINE_HOME, or `.worldline` in the home folder. */
  readonly home?: string;
  /** The store that has the sessions for which snapshots are kept; by default the files of `home`. */
  readonly sessionsIn?: StorePlace;
  /** Files larger than this are left out. */
  readonly maxFileBytes?: number;
  /** The name that waiting processes display for this one. */
  readonly name?: string;
  /** How long to wait for another program's restore. */
  readonly waitMs?: number;
  /** "yes": takes over from programs on other machines that cannot be checked; never from a living one on this machine. */
  readonly takeOver?: TakeOver;
  /** "none": does everything in this thread. "auto", the default: uses threads if there is enough work for them. */
  readonly threads?: "auto" | "none";
}

export type OpenUpkeepOptions = Pick<OpenFilesOptions, "home" | "name" | "waitMs" | "takeOver">;

const WAIT_MS = 30_000;
/** The number of links that Linux follows. */
const MAX_LINKS = 40;
const NAME = "a program that uses worldline";

const fileOptions: OptionsOf<OpenFilesOptions> = {
  call: "openWorkspaceFiles",
  kinds: {
    workspace: option.text,
    home: option.path,
    sessionsIn: option.object,
    maxFileBytes: option.amount,
    name: option.text,
    waitMs: option.amount,
    takeOver: option.oneOf("yes", "unreadable", "no"),
    threads: option.oneOf("auto", "none"),
  },
};

/** Checks the options of the calls that concern all snapshots. */
function checkUpkeep(call: string, options: OpenUpkeepOptions & Pick<OpenFilesOptions, "sessionsIn">): void {
  const { home, name, waitMs, takeOver, sessionsIn } = fileOptions.kinds;
  checkOptions<Pick<OpenFilesOptions, "home" | "name" | "waitMs" | "takeOver" | "sessionsIn">>(options, {
    call,
    kinds: { home, name, waitMs, takeOver, sessionsIn },
  });
}

/**
 * Opens the files of a workspace. Nothing is read or created before it is needed. Rejects the home folder and `/` with
 * WORKSPACE_UNUSABLE.
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
 * Opens the store of all snapshots for maintenance. Creates nothing if there is none.
 * @internal
 */
export function openSnapshotUpkeep(options: OpenUpkeepOptions = {}): SnapshotUpkeep {
  checkUpkeep("openSnapshotUpkeep", options);
  const { home = defaultHome(), name = NAME, waitMs = WAIT_MS, takeOver = "no" } = options;
  return new SnapshotUpkeep(contextIn(home), { name, waitMs, takeOver });
}

/** Opens the objects of all snapshots, to export them to another machine or to import them. */
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

/** Opens the contents of all snapshots, to erase some of them permanently. */
export function openForgettableFiles(options: OpenUpkeepOptions = {}): ForgettableFiles {
  checkUpkeep("openForgettableFiles", options);
  const { home = defaultHome(), name = NAME, waitMs = WAIT_MS, takeOver = "no" } = options;
  return new StoredForgettableFiles(
    { store: contextIn(home), disk: realWorkspaceDisk },
    { name, waitMs, takeOver },
  );
}

/** The path of the database file within the workspace, if it is there. */
function ownDatabase(
  { sessionsIn }: Pick<OpenFilesOptions, "sessionsIn">,
  folder: string,
): Pick<CoverageLimits, "ownDatabase"> {
  if (sessionsIn?.kind !== "sqlite") return {};
  const within = relative(folder, realFileOf(sessionsIn.name));
  if (isAbsolute(within) || within === ".." || within.startsWith(`..${sep}`)) return {};
  return { ownDatabase: pathOfText(within.split(sep).join("/")) };
}

/** The path that SQLite uses for the file, and for the files next to it, with all links resolved. */
function realFileOf(path: string, links = MAX_LINKS): string {
  try {
    return realpathSync(path);
  } catch {
    // The file is created with the first session, where the last link leads.
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
