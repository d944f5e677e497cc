import { userHome } from "../disk/folders.ts";
import type { TakeOver } from "../ports/lease.ts";
import type { LogStore } from "../ports/log-store.ts";
import { isWorldlineError } from "../record/error.ts";
import { type StoreAddress, storeAddress } from "../stores/store-address.ts";
import type { Notice, Progress } from "./notices.ts";
import { type Environment, homeFolder } from "./places/home.ts";
import { findWorkspace } from "./places/workspace.ts";
import { type LoadedSettings, loadSettings, type SettingsRequest } from "./settings/settings.ts";

/** Options that all use cases have in common. */
export interface CommonOptions {
  /** The session to work on: its id, the beginning of it, its title, or the id of an execution. */
  readonly session: string | undefined;
  /** The workspace to work in; by default the nearest one above the current folder. */
  readonly workspace: string | undefined;
  /** Reading it throws where it names no store: a use case that needs no sessions works all the same. */
  readonly store: StoreAddress;
  /** Whether to trust the workspace's settings as they are now, from now on. */
  readonly trust: boolean;
  /** Settings for this call only, each `key=value`. */
  readonly setting: readonly string[];
  /** For every request to write to a session. */
  readonly takeOver: TakeOver;
}

/** The store that was named; else the one of WORLDLINE_STORE, else the files of the home. */
export function chosenStore(
  named: string | undefined,
  { environment, cwd }: Pick<Surroundings, "environment" | "cwd">,
): StoreAddress {
  const address = named ?? (environment["WORLDLINE_STORE"] || "files");
  return storeAddress(address, { cwd, userHome: userHome() });
}

/** By which a program is asked to end. */
export type Interrupt = "SIGINT" | "SIGTERM" | "SIGHUP";

/** What the process gives to the use cases, in one place so that tests can give something else. */
export interface Surroundings {
  readonly environment: Environment;
  readonly cwd: () => string;
  /** Aborted when the user cancels. Work that listens gets a moment to finish; other work is stopped at once. */
  readonly cancelled: AbortSignal;
  /**
   * Hands these signals to `listener` instead of ending the program, for work that ends in its own way. Calling the
   * returned function gives them back.
   */
  readonly onInterrupt: (listener: (signal: Interrupt) => void) => () => void;
  /** Which of these folders, by their real paths, have a session in that store. */
  readonly knownWorkspaces: (search: KnownSearch) => Promise<readonly string[]>;
  /** For the stores that are opened; the caller that gives it closes it. */
  readonly stores?: RunStores;
}

export interface KnownSearch {
  readonly home: string;
  readonly store: StoreAddress;
  readonly folders: readonly string[];
}

/** Gets what a use case has to say beside its result. */
export interface AppListener {
  report(notice: Notice): void;
  /** How far work on many files is; "done" when something else is about to be said. */
  progress(progress: Progress | "done"): void;
  /** Calls `work` when the user's command is done, well or not: for what only the work brings to light. */
  atEnd(work: () => void): void;
}

/** What every use case works in. Nothing is looked up before it is needed, and then once. */
export interface AppContext {
  readonly common: CommonOptions;
  readonly surroundings: Surroundings;
  readonly listener: AppListener;
  /** The folder of everything that Worldline keeps; see `provideHome` before writing there. */
  readonly home: string;
  readonly stores: RunStores;
  /** The real path of the workspace. */
  workspace(): Promise<string>;
  /** Reports, the first time, what the user should know about their settings. */
  settings(): Promise<LoadedSettings>;
  /** For loading them again, because they have just changed. */
  settingsRequest(): Promise<SettingsRequest>;
}

type ContextOptions = Pick<AppContext, "common" | "surroundings" | "listener">;

/** `folder`: the real path of the workspace, where it is known; it may no longer exist. */
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
    flags: common.setting,
    trust: common.trust ? "from-now-on" : "as-recorded",
  });
  const settings = once(async () => {
    const loaded = await loadSettings(await settingsRequest());
    for (const warning of loaded.warnings) listener.report({ code: "settings", warning });
    return loaded;
  });
  return { common, surroundings, listener, home, stores, workspace, settings, settingsRequest };
}

/** An address that names no store knows of none; the use case that needs sessions reports that it is wrong. */
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
 * The same context for another workspace, such as a session's own: its settings and its trust are what counts there.
 * `trust` is about the folder that the user is in, and about no other.
 */
export async function contextIn<Context extends AppContext>(
  context: Context,
  folder: string,
): Promise<Context> {
  if ((await context.workspace()) === folder) return context;
  const { common, surroundings, listener } = context;
  const there = openContext({ common: { ...common, trust: false }, surroundings, listener }, folder);
  return { ...context, ...there, common };
}

/** A context whose settings are read again. What `trust` and `workspace` asked for was done when the first one was opened. */
export function freshContext(
  { common, surroundings, listener, stores }: AppContext,
  folder: string,
): AppContext {
  const fresh = { ...common, trust: false, workspace: undefined, session: undefined };
  return openContext({ common: fresh, surroundings: { ...surroundings, stores }, listener }, folder);
}

/** The same context for work in the background, which reports nothing. */
export function quietContext(context: AppContext): AppContext {
  const ignore = () => undefined;
  return { ...context, listener: { report: ignore, progress: ignore, atEnd: ignore } };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * Does work that must not be cut in the middle. Who listens to Ctrl-C is not stopped at once; `isCancelled`
 * is asked between two pieces, each of which leaves everything whole.
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
 * Does work that puts things in order by itself when it is interrupted: the first signal aborts, and gives the signals
 * back, so that a second one ends the process at once.
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

/** How long closing may take: a server that is gone must not keep the person from their prompt. */
const CLOSING_MS = 2_000;

/** The stores that one run of the program has opened: each once, and all closed when it ends. */
export class RunStores {
  readonly #opened = new Map<string, LogStore>();

  /** The one of that name; made by the first who asks. */
  open(name: string, make: () => LogStore): LogStore {
    const opened = this.#opened.get(name) ?? make();
    this.#opened.set(name, opened);
    return opened;
  }

  /** Never rejects: what was appended is durable, and what the command has to say is said. */
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
