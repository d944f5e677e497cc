import { userHome } from "../disk/folders.ts";
import type { TakeOver } from "../ports/lease.ts";
import type { LogStore } from "../ports/log-store.ts";
import { isWorldlineError } from "../record/error.ts";
import { type StoreAddress, storeAddress } from "../stores/store-address.ts";
import type { Notice, Progress } from "./notices.ts";
import { type Environment, homeFolder } from "./places/home.ts";
import { findWorkspace } from "./places/workspace.ts";
import { type LoadedSettings, loadSettings, type SettingsRequest } from "./settings/settings.ts";

/** Options shared by all use cases. */
export interface CommonOptions {
  /** The session to work on: its id, a prefix of its id, its title, or the id of an execution. */
  readonly session: string | undefined;
  /** The workspace to work in; by default, the nearest one from the current folder up. */
  readonly workspace: string | undefined;
  /**
   * The address of the store. If it is invalid, this getter throws only when it is used, so that use cases without
   * sessions still work.
   */
  readonly store: StoreAddress;
  /** Whether to trust the workspace's settings, as they are now, in this call and later ones. */
  readonly trust: boolean;
  /** Settings for this call only, by name, with their values as text; undefined for a name without a value. */
  readonly settings: Readonly<Record<string, string | undefined>>;
  /** Applies to every request for the right to write to a session. */
  readonly takeOver: TakeOver;
}

/**
 * Returns the store that the user named or, by default, the one in WORLDLINE_STORE. If there is neither, returns the
 * files in the home folder.
 */
export function chosenStore(
  named: string | undefined,
  { environment, cwd }: Pick<Surroundings, "environment" | "cwd">,
): StoreAddress {
  const address = named ?? (environment["WORLDLINE_STORE"] || "files");
  return storeAddress(address, { cwd, userHome: userHome() });
}

/** The signals that tell a program to terminate. */
export type Interrupt = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Everything that use cases need from the process, in one place so that tests can replace it. */
export interface Surroundings {
  readonly environment: Environment;
  readonly cwd: () => string;
  /**
   * Aborted when the user cancels. Work that listens to this signal gets a moment to finish. Other work is stopped
   * immediately.
   */
  readonly cancelled: AbortSignal;
  /**
   * Passes interrupts to `listener` instead of ending the program. Used for work that handles interrupts itself.
   * Calling the returned function restores the default.
   */
  readonly onInterrupt: (listener: (signal: Interrupt) => void) => () => void;
  /** Returns the given folders that have a session in the given store. The folders are given as real paths. */
  readonly knownWorkspaces: (search: KnownSearch) => Promise<readonly string[]>;
  /** The open stores to use. The caller closes them. */
  readonly stores?: RunStores;
}

export interface KnownSearch {
  readonly home: string;
  readonly store: StoreAddress;
  readonly folders: readonly string[];
}

/** Receives what a use case reports in addition to its result. */
export interface AppListener {
  report(notice: Notice): void;
  /** Reports the progress of work on many files. Called with "done" before anything else is printed. */
  progress(progress: Progress | "done"): void;
  /**
   * Runs `work` after the user's work. For a command, `work` runs once, when the command has ended, even if the command
   * failed. For an interactive front end, `work` runs after each turn or journey, and when the session is closed. Use
   * this for warnings about problems that are discovered only during the user's work.
   */
  afterWork(work: () => void): void;
}

/** Everything that a use case works with. Each part is looked up when it is first needed, and only once. */
export interface AppContext {
  readonly common: CommonOptions;
  readonly surroundings: Surroundings;
  readonly listener: AppListener;
  /** The folder for everything that Worldline stores; see `provideHome` before writing there. */
  readonly home: string;
  readonly stores: RunStores;
  /** Returns the real path of the workspace. */
  workspace(): Promise<string>;
  /** Returns the settings. The first call reports the warnings about the user's settings. */
  settings(): Promise<LoadedSettings>;
  /** Returns what is needed to read the settings again after they have changed. */
  settingsRequest(): Promise<SettingsRequest>;
}

type ContextOptions = Pick<AppContext, "common" | "surroundings" | "listener">;

/** Opens a context. `folder`: the real path of the workspace, if it is known. The folder may no longer exist. */
export function openContext(options: ContextOptions, folder?: string): AppContext {
  const { common, surroundings, listener } = options;
  const home = homeFolder(surroundings.environment);
  const stores = surroundings.stores ?? new RunStores();
  const workspace = once(async () => {
    if (folder !== undefined) return folder;
    return findWorkspace({
      ...(common.workspace === undefined ? {} : { given: common.workspace }),
      cwd: surroundings.cwd,
      known: async (folders) => knownIn(options, home, folders),
    });
  });
  const settingsRequest = async (): Promise<SettingsRequest> => ({
    home,
    workspace: await workspace(),
    environment: surroundings.environment,
    given: common.settings,
    trust: common.trust ? "from-now-on" : "as-recorded",
  });
  const settings = once(async () => {
    const loaded = await loadSettings(await settingsRequest());
    for (const warning of loaded.warnings) listener.report({ code: "settings", warning });
    return loaded;
  });
  return { common, surroundings, listener, home, stores, workspace, settings, settingsRequest };
}

/**
 * Returns the folders that are known workspaces. If the store's address is invalid, no workspaces are known, and a use
 * case that needs sessions reports the address.
 */
async function knownIn(
  { common, surroundings }: ContextOptions,
  home: string,
  folders: readonly string[],
): Promise<readonly string[]> {
  try {
    return await surroundings.knownWorkspaces({ home, store: common.store, folders });
  } catch (error) {
    if (isWorldlineError(error, "INPUT_INVALID")) return [];
    throw error;
  }
}

/**
 * Returns the same context for another workspace, such as a session's. That workspace's settings and trust then apply.
 * The `trust` option applies only to the folder that the user is in.
 */
export async function contextIn<Context extends AppContext>(
  context: Context,
  folder: string,
): Promise<Context> {
  if ((await context.workspace()) === folder) return context;
  const { common, surroundings, listener } = context;
  const workspaceContext = openContext(
    { common: { ...common, trust: false }, surroundings, listener },
    folder,
  );
  return { ...context, ...workspaceContext, common };
}

/**
 * Returns the same context, except that it reads the settings again. The `trust` and `workspace` options were already
 * applied when the first context was opened.
 */
export function freshContext(
  { common, surroundings, listener, stores }: AppContext,
  folder: string,
): AppContext {
  const fresh = { ...common, trust: false, workspace: undefined, session: undefined };
  return openContext({ common: fresh, surroundings: { ...surroundings, stores }, listener }, folder);
}

/** Returns the same context for background work, except that it reports nothing. */
export function quietContext(context: AppContext): AppContext {
  const ignore = () => undefined;
  return { ...context, listener: { report: ignore, progress: ignore, afterWork: ignore } };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * Runs work that must not be interrupted halfway. While the work runs, Ctrl-C does not stop it immediately. Instead,
 * the work checks `isCancelled` between steps, each of which leaves everything in a consistent state.
 */
export async function heard<Result>(
  { surroundings }: AppContext,
  work: (isCancelled: () => boolean) => Promise<Result>,
): Promise<Result> {
  const { cancelled } = surroundings;
  const listen = () => undefined;
  cancelled.addEventListener("abort", listen);
  try {
    return await work(() => cancelled.aborted);
  } finally {
    cancelled.removeEventListener("abort", listen);
  }
}

/**
 * Runs work that cleans up after itself when it is interrupted. The first signal aborts the work. The default handlers
 * are then restored, so a second signal ends the process immediately.
 */
export async function interruptible<Result>(
  { surroundings }: AppContext,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  const release = surroundings.onInterrupt(() => {
    release();
    stop.abort();
  });
  try {
    return await work(stop.signal);
  } finally {
    release();
  }
}

/** Time limit for closing, so that an unreachable server does not delay the user's shell prompt. */
const CLOSING_MS = 2_000;

/**
 * The stores that the program has opened. Each store is opened only once, and all stores are closed when the program
 * exits.
 */
export class RunStores {
  readonly #opened = new Map<string, LogStore>();

  /** Returns the store with that name. The first call opens it. */
  open(name: string, make: () => LogStore): LogStore {
    const opened = this.#opened.get(name) ?? make();
    this.#opened.set(name, opened);
    return opened;
  }

  /**
   * Closes all stores. Never rejects, because everything that was appended is already durable, and the command has
   * reported its result.
   */
  async close(): Promise<void> {
    const stores = [...this.#opened.values()];
    this.#opened.clear();
    if (stores.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSING_MS);
    });
    await Promise.race([Promise.allSettled(stores.map(async (store) => store.close())), patience]);
    clearTimeout(timer);
  }
}
