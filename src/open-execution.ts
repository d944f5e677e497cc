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
  /** Where executions are kept; by default WORLDLINE_HOME, or `.worldline` in the home folder. */
  readonly home?: string;
  /** A store, which stays open, or an address: `files`, `sqlite:path`, `postgres://...`; by default WORLDLINE_STORE, else files. */
  readonly store?: LogStore | string;
  /** The folder that the program works in; by default the current one. */
  readonly workspace?: string;
  /** Within which ids are told apart: by default the workspace. Programs in several folders, or on several machines, that are to share an execution name one. */
  readonly scope?: string;
  /** "on": each step ends with a snapshot of the workspace, and `rollbackTo` brings it back. "off", the default: the state alone. */
  readonly files?: "on" | "off";
  /** Shown to others who want to run the same execution. */
  readonly name?: string;
  /** How long to wait while another program runs it; 0, the default, refuses at once. */
  readonly waitMs?: number;
  /** "yes": takes it from a program that cannot be asked whether it lives, on another machine; a living one's here is never taken. "no" is the default. */
  readonly takeOver?: TakeOver;
  /**
   * What to do with an execution that this home did not write, such as another machine's in a shared store. "refuse", the default, rejects
   * with SESSION_UNCONFIRMED: its results are whatever its writer says. "confirm": the program vouches for it, and it goes on in `workspace`.
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
 * Opens the execution of that id, or begins it, and holds it until `close`. A program that is started again opens the
 * same one, and its steps that succeeded are not run again. `turn-<session>-<checkpoint>` opens a turn of an agent, which
 * can be looked at and gone back into, and is not held meanwhile.
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
  const { name = "a program that uses worldline", waitMs = 0, takeOver = "no" } = options;
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

/** More deletions than this are not a coincidence. */
const MAX_BEGINNINGS = 10;

/** If the holder deletes the execution while this program waits for it, it is begun again. */
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
      // What a store says of a session that is taken away under a waiter differs; whether it is there does not.
      if (await isBegun(deps.store, header.session)) throw error;
    }
  }
}

/** An execution that is there already counts only where this home wrote it, its user confirmed it, or the program vouches for it. */
async function beginConfirmed({ deps, request, unconfirmed }: ExecutionOpening): Promise<EntryOf<"session">> {
  const header = await beginExecution(deps, request);
  if (header.confirmation?.state !== "needed" || unconfirmed === "refuse") {
    requireConfirmed(deps.store, header);
    return header;
  }
  await confirmIfNeeded(deps.store, header.session, { workspace: request.workspace, system: "" });
  return headerOf(deps.store, header.session);
}

/** Opens the files that the execution is to have, and sees to it that they are closed with it, or when it cannot be opened. */
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

/** An execution that was begun elsewhere has its files there. */
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
