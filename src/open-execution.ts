import { realpathSync } from "node:fs";
import { defaultHome, realFolder } from "./disk/folders.ts";
import { systemClock } from "./disk/system-clock.ts";
import type { Execution } from "./executions/execution.ts";
import {
  beginExecution,
  type ExecutionHoldOptions,
  type ExecutionRequest,
  holdExecution,
  isBegun,
  requireExecutionId,
} from "./executions/hold-execution.ts";
import { findTurn, turnExecution } from "./executions/turns/turn-execution.ts";
import { confirmIfNeeded, headerOf, requireConfirmed, type SessionContext } from "./machine/open.ts";
import { type SessionSettings, settingsOptions } from "./machine/settings.ts";
import { type OpenFilesOptions, openWorkspaceFiles } from "./open-files.ts";
import { defaultStore, openStore } from "./open-store.ts";
import type { Clock } from "./ports/clock.ts";
import type { TakeOver } from "./ports/lease.ts";
import type { LogStore } from "./ports/log-store.ts";
import type { WorkspaceFiles } from "./ports/workspace-files.ts";
import type { EntryOf } from "./record/entry.ts";
import { isWorldlineError, WorldlineError } from "./record/error.ts";
import { checkOptions, type OptionsOf, option } from "./record/options.ts";

export interface OpenExecutionOptions {
  /** The folder where executions are stored; by default, WORLDLINE_HOME, or `.worldline` in the home folder. */
  readonly home?: string;
  /**
   * An open store, or an address: `files`, `sqlite:path` or `postgres://...`. The caller closes an open store. By
   * default, the store that WORLDLINE_STORE names, otherwise `files`.
   */
  readonly store?: LogStore | string;
  /** The folder that the program works in; by default, the current folder. */
  readonly workspace?: string;
  /**
   * The scope within which ids are unique; by default, the workspace. Programs in several folders or on several
   * machines can share an execution only if they use the same scope.
   */
  readonly scope?: string;
  /**
   * "on": each step ends with a snapshot of the workspace, which `rollbackTo` restores. "off", the default: only the
   * state is stored.
   */
  readonly files?: "on" | "off";
  /** The name that other programs see when they want to run the same execution. */
  readonly name?: string;
  /** How long to wait while another program runs the execution. With the default, 0, the call fails immediately. */
  readonly waitMs?: number;
  /**
   * "yes" takes the execution over from a program on another machine, where this process cannot check whether the
   * program is still running. An execution is never taken over from a program that is still running on this machine.
   * The default is "no".
   */
  readonly takeOver?: TakeOver;
  /**
   * What to do with an execution that this home did not write, such as one that another machine wrote to a shared
   * store. "refuse", the default, rejects with SESSION_UNCONFIRMED, because the stored results are only claims by their
   * writer. "confirm": the program vouches for the execution, which continues in `workspace`.
   */
  readonly unconfirmed?: "refuse" | "confirm";
  readonly settings?: Partial<SessionSettings>;
  readonly clock?: Clock;
}

const executionOptions: OptionsOf<OpenExecutionOptions> = {
  call: "openExecution",
  kinds: {
    home: option.path,
    store: option.store,
    workspace: option.path,
    scope: option.text,
    files: option.oneOf("on", "off"),
    name: option.text,
    waitMs: option.amount,
    takeOver: option.oneOf("yes", "unreadable", "no"),
    unconfirmed: option.oneOf("refuse", "confirm"),
    settings: option.object,
    clock: option.clock,
  },
};

/**
 * Opens the execution with this id, or creates it, and holds it until `close`. A restarted program opens the same
 * execution again, and steps that have succeeded are not run again. An id of the form `turn-<session>-<checkpoint>`
 * opens an agent's turn, which can be read and rewound but is not held.
 */
export async function openExecution(id: string, options: OpenExecutionOptions = {}): Promise<Execution> {
  requireExecutionId(id);
  checkOptions(options, executionOptions);
  if (options.settings !== undefined) checkOptions(options.settings, settingsOptions);
  const {
    home = defaultHome(),
    clock = systemClock,
    store: wanted = defaultStore(options.home),
    settings,
  } = options;
  const workspace = realFolder(options.workspace ?? process.cwd(), "openExecution");
  const store = typeof wanted === "string" ? openStore(wanted, { home, clock }) : wanted;
  const { name = "a program that uses Worldline", waitMs = 0, takeOver = "no" } = options;
  const opening: ExecutionOpening = {
    deps: { store, clock, ...(settings === undefined ? {} : { settings }) },
    request: { id, scope: options.scope ?? workspace, workspace },
    files: options.files === "on" ? { home, sessionsIn: store.place, takeOver } : undefined,
    holding: { name, waitMs, takeOver },
    unconfirmed: options.unconfirmed ?? "refuse",
    onClose: async () => (typeof wanted === "string" ? store.close() : undefined),
  };
  try {
    return await openOrBegin(opening);
  } catch (error) {
    await opening.onClose();
    throw error;
  }
}

interface ExecutionOpening {
  readonly deps: SessionContext;
  readonly request: ExecutionRequest;
  readonly files: Pick<OpenFilesOptions, "home" | "sessionsIn" | "takeOver"> | undefined;
  readonly holding: Pick<ExecutionHoldOptions, "name" | "waitMs" | "takeOver">;
  readonly unconfirmed: "refuse" | "confirm";
  readonly onClose: () => Promise<void>;
}

/** Number of attempts before giving up. This many deletions in a row cannot be a coincidence. */
const MAX_BEGINNINGS = 10;

/** Creates the execution again if its holder deletes it while this program waits for it. */
async function openOrBegin(opening: ExecutionOpening): Promise<Execution> {
  const { deps, request } = opening;
  const turn = await findTurn(deps.store, request);
  if (turn !== undefined) {
    return withFilesOf(turn.header, opening, async (own, holding) => turnExecution(own, turn.id, holding));
  }
  for (let time = 1; ; time += 1) {
    const header = await beginConfirmed(opening);
    try {
      return await withFilesOf(header, opening, async (own, holding) => holdExecution(own, header, holding));
    } catch (error) {
      if (!isWorldlineError(error) || time >= MAX_BEGINNINGS) throw error;
      // Stores report the removal of a session to a waiting program in different ways, but every store can check
      // whether a session exists.
      if (await isBegun(deps.store, header.session)) throw error;
    }
  }
}

/** Uses an existing execution only if this home wrote it, the user confirmed it, or the program vouches for it. */
async function beginConfirmed({ deps, request, unconfirmed }: ExecutionOpening): Promise<EntryOf<"session">> {
  const header = await beginExecution(deps, request);
  if (header.confirmation?.state !== "needed" || unconfirmed === "refuse") {
    requireConfirmed(deps.store, header);
    return header;
  }
  await confirmIfNeeded(deps.store, header.session, { workspace: request.workspace, system: "" });
  return headerOf(deps.store, header.session);
}

/**
 * Opens the files for the execution. The files are closed together with the execution, or if the execution cannot be
 * opened.
 */
async function withFilesOf(
  header: EntryOf<"session">,
  { deps, files: wanted, holding, onClose }: ExecutionOpening,
  open: (deps: SessionContext, holding: ExecutionHoldOptions) => Promise<Execution>,
): Promise<Execution> {
  const files = wanted && (await openFilesOf(header, wanted));
  const closeAll = async (): Promise<void> => {
    await files?.close();
    await onClose();
  };
  try {
    const own = files === undefined ? deps : { ...deps, files };
    return await open(own, { ...holding, onClose: closeAll });
  } catch (error) {
    await files?.close();
    throw error;
  }
}

/** Opens the files in the execution's own folder, which may differ from the folder that the caller named. */
async function openFilesOf(
  { workspace }: EntryOf<"session">,
  place: Pick<OpenFilesOptions, "home" | "sessionsIn" | "takeOver">,
): Promise<WorkspaceFiles> {
  try {
    if (realpathSync(workspace) === workspace) return await openWorkspaceFiles({ workspace, ...place });
  } catch (cause) {
    if (cause instanceof WorldlineError) throw cause;
    throw new WorldlineError("execution-folder-gone", { folder: workspace }, { cause });
  }
  throw new WorldlineError("execution-folder-gone", { folder: workspace });
}
