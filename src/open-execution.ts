import { realpathSync } from "node:fs";
import { defaultHome } from "./disk/default-home.ts";
import { systemClock } from "./disk/system-clock.ts";
import type { Execution } from "./executions/execution.ts";
import { requireExecutionId } from "./executions/execution-session.ts";
import { beginExecution, holdExecution } from "./executions/hold-execution.ts";
import { headerOfTurn, openTurn } from "./executions/turns/turn-execution.ts";
import type { SessionSettings } from "./machine/settings.ts";
import { type OpenFilesOptions, openWorkspaceFiles } from "./open-files.ts";
import { defaultStore, openStore } from "./open-store.ts";
import type { Clock } from "./ports/clock.ts";
import type { LogStore } from "./ports/log-store.ts";
import type { WorkspaceFiles } from "./ports/workspace-files.ts";
import type { EntryOf } from "./record/entry.ts";
import { WorldlineError } from "./record/error.ts";

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
  /** What others are told who want to run the same execution. */
  readonly name?: string;
  /** How long to wait while another program runs it; 0, the default, refuses at once. */
  readonly waitMs?: number;
  readonly settings?: Partial<SessionSettings>;
  readonly clock?: Clock;
}

/**
 * Opens the execution of that id, or begins it, and holds it until `close`. A program that is started again opens the
 * same one, and its steps that succeeded are not run again. `turn-<session>-<checkpoint>` opens a turn of an agent, which
 * can be looked at and gone back into, and is not held meanwhile.
 */
export async function openExecution(id: string, options: OpenExecutionOptions = {}): Promise<Execution> {
  requireExecutionId(id);
  const {
    home = defaultHome(),
    clock = systemClock,
    store: wanted = defaultStore(options.home),
    settings,
  } = options;
  const workspace = realFolder(options.workspace ?? process.cwd());
  const store = typeof wanted === "string" ? openStore(wanted, { home, clock }) : wanted;
  let files: WorkspaceFiles | undefined;
  const onClose = async (): Promise<void> => {
    await files?.close();
    if (typeof wanted === "string") await store.close();
  };
  try {
    const wish = { id, scope: options.scope ?? workspace, workspace };
    const turn = await headerOfTurn(store, wish);
    const header = turn ?? (await beginExecution({ store, clock }, wish));
    if (options.files === "on") files = await openFilesOf(header, { home, sessionsIn: store.place });
    const ground = {
      store,
      clock,
      ...(settings === undefined ? {} : { settings }),
      ...(files === undefined ? {} : { files }),
    };
    const { name = "a program that uses worldline", waitMs = 0 } = options;
    const holding = { name, waitMs, onClose };
    const opened = turn && (await openTurn(ground, id, holding));
    return opened ?? (await holdExecution(ground, header, holding));
  } catch (error) {
    await onClose();
    throw error;
  }
}

/** An execution that was begun elsewhere has its files there. */
async function openFilesOf(
  { workspace }: EntryOf<"session">,
  place: Pick<OpenFilesOptions, "home" | "sessionsIn">,
): Promise<WorkspaceFiles> {
  try {
    if (realpathSync(workspace) === workspace) return await openWorkspaceFiles({ workspace, ...place });
  } catch (cause) {
    if (cause instanceof WorldlineError) throw cause;
    throw workspaceGone(workspace, cause);
  }
  throw workspaceGone(workspace);
}

function workspaceGone(workspace: string, cause?: unknown): WorldlineError {
  return new WorldlineError(
    "WORKSPACE_UNUSABLE",
    `The folder of this execution is not there any more, or is a link now: ${workspace}`,
    {
      hint: 'Bring it back, or open the execution without files: openExecution(id, { files: "off" })',
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (cause) {
    throw new WorldlineError(
      "WORKSPACE_UNUSABLE",
      `The folder ${folder} is not there, or cannot be looked at.`,
      { hint: "Give openExecution a folder that exists: { workspace }.", cause },
    );
  }
}
