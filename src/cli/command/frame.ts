import type { Readable } from "node:stream";
import { isWorldlineError } from "../../record/error.ts";
import type { StoreAddress } from "../../stores/store-address.ts";
import type { Strings } from "../../strings/strings.ts";
import type { Output } from "../output/output.ts";
import type { OutputStream } from "../output/pipe.ts";
import { type Environment, homeFolder } from "../places/home.ts";
import { RunStores } from "../places/run-stores.ts";
import { findWorkspace } from "../places/workspace.ts";
import { type LoadedSettings, loadSettings, type SettingsRequest } from "../settings/settings.ts";
import { warningText } from "../settings/warning.ts";
import type { CommonOptions } from "./common-options.ts";

/** By which a program is asked to end. */
export type Interrupt = "SIGINT" | "SIGTERM" | "SIGHUP";

/** What the process gives to the command line, in one place so that tests can give something else. */
export interface Surroundings {
  readonly arguments: readonly string[];
  readonly environment: Environment;
  readonly cwd: () => string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Aborted by Ctrl-C. Who listens gets a moment to put things in order; who does not is stopped at once. */
  readonly cancelled: AbortSignal;
  /**
   * For who has an end of its own: has these signals told to `listener` instead of ending the command. Calling
   * what it returns gives them back.
   */
  readonly onInterrupt: (listener: (signal: Interrupt) => void) => () => void;
  /** Which of these folders, by their real paths, have a session in that store. */
  readonly knownWorkspaces: (search: KnownSearch) => Promise<readonly string[]>;
  /** For what this run opens; whoever gives it closes it. */
  readonly stores?: RunStores;
}

export interface KnownSearch {
  readonly home: string;
  readonly store: StoreAddress;
  readonly folders: readonly string[];
}

/** What every command stands in. Nothing is looked up before it is asked for, and then once. */
export interface Frame {
  readonly common: CommonOptions;
  readonly output: Output;
  readonly strings: Strings;
  readonly surroundings: Surroundings;
  /** Where everything is kept; see `provideHome` before writing there. */
  readonly home: string;
  readonly stores: RunStores;
  /** The real path of the workspace. */
  workspace(): Promise<string>;
  /** Warns, the first time, of whatever in the settings the person should know. */
  settings(): Promise<LoadedSettings>;
  /** For who must load them again, because they have just changed. */
  settingsRequest(): Promise<SettingsRequest>;
}

export interface FrameParts {
  readonly common: CommonOptions;
  readonly output: Output;
  readonly strings: Strings;
  readonly surroundings: Surroundings;
}

/** `folder`: the real path of the workspace, where it is known; it need not be there any more. */
export function openFrame(parts: FrameParts, folder?: string): Frame {
  const { common, output, strings, surroundings } = parts;
  const home = homeFolder(surroundings.environment);
  const stores = surroundings.stores ?? new RunStores();
  const workspace = once(async () => {
    if (folder !== undefined) return folder;
    return findWorkspace({
      ...(common.workspace === undefined ? {} : { given: common.workspace }),
      cwd: surroundings.cwd,
      known: async (folders) => knownIn(parts, home, folders),
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
    for (const warning of loaded.warnings) output.warn(warningText(warning, strings));
    return loaded;
  });
  return { ...parts, home, stores, workspace, settings, settingsRequest };
}

/** An address that names no store knows of none; that it names none is said by whoever needs sessions. */
async function knownIn(
  { common, surroundings }: FrameParts,
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
 * The same for a session's own workspace, wherever the person stands: its settings and its trust are what counts there.
 * `--trust` is about the folder that the person stands in, and about no other.
 */
export async function frameIn(frame: Frame, folder: string): Promise<Frame> {
  if ((await frame.workspace()) === folder) return frame;
  const { common, output, strings, surroundings } = frame;
  const there = openFrame({ output, strings, surroundings, common: { ...common, trust: false } }, folder);
  return { ...there, common };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
