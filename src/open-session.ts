import { realpathSync } from "node:fs";
import { defaultHome, realFolder } from "./disk/folders.ts";
import { systemClock } from "./disk/system-clock.ts";
import {
  confirmIfNeeded,
  createSession,
  type Holding,
  headerOf,
  holdSession,
  type NewSession,
  newSessionKinds,
  requireConfirmed,
  type SessionContext,
} from "./machine/open.ts";
import { listSessions, resolveSession } from "./machine/queries/sessions.ts";
import type { Session } from "./machine/session.ts";
import { type SessionSettings, settingsOptions } from "./machine/settings.ts";
import { openWorkspaceFiles } from "./open-files.ts";
import { defaultStore, openStore } from "./open-store.ts";
import type { TakeOver } from "./ports/lease.ts";
import type { LogStore } from "./ports/log-store.ts";
import type { WorkspaceFiles } from "./ports/workspace-files.ts";
import { WorldlineError } from "./record/error.ts";
import { checkOptions, type OptionsOf, option } from "./record/options.ts";

export interface OpenSessionOptions extends Omit<NewSession, "workspace"> {
  /** The folder that the session works in; by default, the current folder. */
  readonly workspace?: string;
  /**
   * The session to open: "new" (the default), "latest" for the latest session in this workspace, or a session's id, the
   * beginning of its id, or its title.
   */
  readonly resume?: string;
  /** The folder where sessions are stored; by default, WORLDLINE_HOME, or `.worldline` in the home folder. */
  readonly home?: string;
  /**
   * "on": checkpoints include the workspace's files, and rewinds can restore them. "off", the default: checkpoints
   * include only the conversation.
   */
  readonly files?: "on" | "off";
  /**
   * An open store, or the address of a store. The caller closes an open store; a store opened from its address is
   * closed together with the session. By default, the store that WORLDLINE_STORE names, otherwise the files in `home`.
   */
  readonly store?: LogStore | string;
  readonly settings?: Partial<SessionSettings>;
  /** The name that other programs see when they want to write to the same session. */
  readonly name?: string;
  /** How long to wait while another program writes to the session. With the default, 0, the call fails immediately. */
  readonly waitMs?: number;
  /**
   * "yes" takes the session over from a program on another machine, where this process cannot check whether the program
   * is still running. "unreadable" takes it over only if the lock does not name its owner. A session is never taken
   * over from a program that is still running on this machine. "no", the default, rejects with SESSION_HELD.
   */
  readonly takeOver?: TakeOver;
  /**
   * What to do with a session that this home did not write and the user has not confirmed, such as an imported one or
   * one that another machine wrote to a shared store. "refuse", the default, rejects with SESSION_UNCONFIRMED.
   * "confirm": the program vouches for the session, which then works in `workspace` with `system`, no matter what its
   * log says.
   */
  readonly unconfirmed?: "refuse" | "confirm";
}

const sessionOptions: OptionsOf<OpenSessionOptions> = {
  call: "openSession",
  kinds: {
    ...newSessionKinds,
    resume: option.text,
    home: option.path,
    files: option.oneOf("on", "off"),
    store: option.store,
    settings: option.object,
    name: option.text,
    waitMs: option.amount,
    takeOver: option.oneOf("yes", "unreadable", "no"),
    unconfirmed: option.oneOf("refuse", "confirm"),
  },
};

/** Opens a session and holds it until `close`. Combines the lower-level calls that most programs need. */
export async function openSession(options: OpenSessionOptions = {}): Promise<Session> {
  checkOptions(options, sessionOptions);
  if (options.settings !== undefined) checkOptions(options.settings, settingsOptions);
  const { workspace: folder, home = defaultHome(), store } = options;
  const workspace = realFolder(folder ?? process.cwd(), "openSession");
  const isGiven = store !== undefined && typeof store !== "string";
  const logs = isGiven ? store : openStore(store ?? defaultStore(options.home), { home });
  const opened: Opened = isGiven ? {} : { store: logs };
  try {
    return await openIn({ logs, workspace, home, opened }, options);
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

async function openIn(
  {
    logs,
    workspace,
    home,
    opened,
  }: { readonly logs: LogStore; readonly workspace: string; readonly home: string; readonly opened: Opened },
  options: OpenSessionOptions,
): Promise<Session> {
  const {
    workspace: _workspace,
    resume = "new",
    home: _home,
    store: _store,
    settings,
    name = "a program that uses Worldline",
    waitMs = 0,
    takeOver = "no",
    files: wanted,
    unconfirmed = "refuse",
    ...rest
  } = options;
  const resumed = resume === "new" ? undefined : await findSession(logs, resume, workspace);
  if (resumed !== undefined && unconfirmed === "confirm") {
    await confirmIfNeeded(logs, resumed, { workspace, system: rest.system ?? "" });
  }
  if (wanted === "on") opened.files = await openFilesOf({ logs, resumed, workspace, home, takeOver });
  const deps: SessionContext = {
    store: logs,
    clock: systemClock,
    ...(settings === undefined ? {} : { settings }),
    ...(opened.files === undefined ? {} : { files: opened.files }),
  };
  const holding: Holding = { name, waitMs, takeOver, onClose: async () => closeAll(opened) };
  if (resumed === undefined) return createSession(deps, { ...rest, workspace }, holding);
  return holdSession(deps, resumed, holding);
}

/** Resources that were opened only for this session and are closed with it. */
interface Opened {
  files?: WorkspaceFiles;
  readonly store?: LogStore;
}

async function closeAll({ files, store }: Opened): Promise<void> {
  try {
    await files?.close();
  } finally {
    await store?.close();
  }
}

interface SessionFilesRequest {
  readonly logs: LogStore;
  /** The resumed session; undefined for a new session. */
  readonly resumed: Session["id"] | undefined;
  readonly workspace: string;
  readonly home: string;
  readonly takeOver: TakeOver;
}

/** Opens the files in a resumed session's own folder, which may differ from the folder that the caller named. */
async function openFilesOf({
  logs,
  resumed,
  workspace,
  home,
  takeOver,
}: SessionFilesRequest): Promise<WorkspaceFiles> {
  if (resumed === undefined) return openWorkspaceFiles({ workspace, home, sessionsIn: logs.place, takeOver });
  const header = await headerOf(logs, resumed);
  requireConfirmed(logs, header);
  const { workspace: own } = header;
  if (realPathOf(own) !== own) {
    throw new WorldlineError("session-folder-gone", { session: resumed, folder: own });
  }
  return openWorkspaceFiles({ workspace: own, home, sessionsIn: logs.place, takeOver });
}

function realPathOf(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    return undefined;
  }
}

async function findSession(store: LogStore, resume: string, workspace: string): Promise<Session["id"]> {
  return resume === "latest" ? latestIn(store, workspace) : resolveSession(store, resume);
}

async function latestIn(store: LogStore, workspace: string): Promise<Session["id"]> {
  const { sessions } = await listSessions(store, workspace);
  const latest = sessions.find(
    ({ task, mode, unconfirmed }) => task === undefined && mode !== "execution" && unconfirmed === undefined,
  );
  if (latest === undefined) {
    throw new WorldlineError("no-session-to-resume", { workspace });
  }
  return latest.id;
}
