import type { Readable } from "node:stream";
import type { App } from "../app/app.ts";
import {
  type AppContext,
  type AppListener,
  type CommonOptions as AppOptions,
  type Surroundings as AppSurroundings,
  chosenStore,
  openContext,
} from "../app/context.ts";
import type { Demonstrations } from "../app/find.ts";
import type { Environment } from "../app/places/home.ts";
import { readUserSetting } from "../app/settings/files.ts";
import { variableOf } from "../app/settings/table.ts";
import type { Person } from "../ports/person.ts";
import { isWorldlineError, WorldlineError } from "../record/error.ts";
import type { SessionId } from "../record/ids.ts";
import type { JsonForm } from "../record/visible-text.ts";
import { noticeTexts, progressText } from "../show/notice-text.ts";
import type { StoreAddress } from "../stores/store-address.ts";
import type { CommandText } from "../strings/commands.ts";
import { type Language, languageOfLocale, languages } from "../strings/language.ts";
import type { Strings } from "../strings/strings.ts";
import { wordingIn } from "../strings/wording.ts";
import { flag, list, type OptionValues, text } from "./command.ts";
import { shellWording } from "./command-again.ts";
import { type Output, type OutputStream, openProgress, type Progress } from "./output.ts";

/** Everything that the command line needs from the process, in one place so that tests can replace it. */
export interface Surroundings extends AppSurroundings {
  readonly arguments: readonly string[];
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** The terminal front end; absent for commands that the terminal itself runs. */
  readonly screen?: Screen;
}

/**
 * A front end that uses the whole terminal. The screen is passed to the command line, which does not import other front
 * ends.
 */
export interface Screen {
  /** Restores the terminal if `runTerminal` will not be called. Does nothing if nothing was drawn. */
  restoreTerminal(): void;
  /** Uses the terminal until the user exits. */
  runTerminal(options: ScreenOptions): Promise<ScreenEnd>;
}

export interface ScreenOptions extends Pick<Surroundings, "environment" | "onInterrupt"> {
  readonly strings: Strings;
  readonly firstPrompt?: string;
  /** "session": the user first chooses a session. */
  readonly pick?: "session";
  /** Completes a command so that it finds the same sessions in a shell. */
  readonly shellCommand: CommandText;
  /** Aborted by a signal that tells the program to terminate. */
  readonly told: AbortSignal;
  readonly demonstrations: Demonstrations;
  /** Opens the app. Called after the first frame is drawn, so that large modules are not loaded before it. */
  readonly open: (person: Person) => Promise<App>;
}

interface ScreenEnd {
  /** The session to resume. */
  readonly resume?: SessionId;
  /** "hurried": the program did not wait for everything to be closed. */
  readonly how: "closed" | "hurried";
  /** Inputs that were queued or being typed, and were not sent to the agent. */
  readonly unsent: readonly string[];
}

/** Everything that a command works with: the context of its use cases, its output, and its strings. */
export interface Frame extends AppContext {
  readonly common: CommonOptions;
  readonly surroundings: Surroundings;
  readonly output: Output;
  readonly strings: Strings;
}

type FrameOptions = Pick<Frame, "common" | "output" | "strings" | "surroundings">;

/** Opens a frame. `folder`: the real path of the workspace, if it is known. The folder may no longer exist. */
export function openFrame(options: FrameOptions, folder?: string): Frame {
  const { common, surroundings } = options;
  const context = openContext({ common, surroundings, listener: printingListener(options) }, folder);
  return { ...context, ...options };
}

/**
 * Returns a listener that prints what use cases report: warnings and notices, and progress on a line that is
 * overwritten.
 */
function printingListener({ common, output, strings, surroundings }: FrameOptions): AppListener {
  let line: Progress | undefined;
  const words = {
    strings,
    ...wordingIn(strings.reasons, shellWording(common)),
  };
  return {
    report: (notice) => {
      for (const { tone, text } of noticeTexts(notice, words)) {
        // Programs that read the JSON document do not read standard error.
        const isInDocument = notice.code === "session-elsewhere" && output.mode === "json";
        if (tone === "warning" || isInDocument) output.warn(text);
        else output.notice(text);
      }
    },
    progress: (progress) => {
      if (progress === "done") {
        line?.clear();
        line = undefined;
        return;
      }
      line ??= openProgress({ output, surroundings });
      line.show(progressText(progress, strings));
    },
    afterWork: (work) => output.beforeFinish(work),
  };
}

/** The options that every command has. These options can be given before or after the command's name. */
export const commonOptions = {
  json: flag(),
  session: text("<session>"),
  workspace: text("<folder>"),
  store: text("<store>"),
  trust: flag(),
  setting: list("<key=value>"),
  takeOver: flag(),
};

export interface CommonOptions extends AppOptions {
  readonly json: boolean;
  /** Whether the store was named with `--store`, so that commands shown to the user must repeat it. */
  readonly storeFrom: "option" | "elsewhere";
}

export function readCommonOptions(
  values: OptionValues<typeof commonOptions>,
  { environment, cwd }: { readonly environment: Environment; readonly cwd: () => string },
): CommonOptions {
  for (const name of ["session", "workspace", "store"] as const) {
    if (values[name]?.trim() === "") {
      throw new WorldlineError("option-empty", { option: `--${name}` });
    }
  }
  const { store: given, setting, ...others } = values;
  const settings = Object.fromEntries(setting.map(settingIn));
  const known = { ...others, settings, takeOver: values.takeOver ? "yes" : "no" } as const;
  try {
    const store = storeOf(given, environment, cwd);
    return { ...known, store, storeFrom: given === undefined ? "elsewhere" : "option" };
  } catch (error) {
    if (given !== undefined) throw error;
    return {
      ...known,
      get store(): StoreAddress {
        throw error;
      },
      storeFrom: "elsewhere",
    };
  }
}

/**
 * Splits `key=value` into the name and the value. The name and the value are not validated until settings are needed.
 */
function settingIn(flag: string): [string, string | undefined] {
  const at = flag.indexOf("=");
  return at === -1 ? [flag, undefined] : [flag.slice(0, at).trim(), flag.slice(at + 1)];
}

function storeOf(given: string | undefined, environment: Environment, cwd: () => string): StoreAddress {
  try {
    return chosenStore(given, { environment, cwd });
  } catch (error) {
    if (!isWorldlineError(error, "INPUT_INVALID")) throw error;
    const origin = given === undefined ? "WORLDLINE_STORE" : "--store";
    throw new WorldlineError("store-address-invalid", { origin, problem: error }, { cause: error });
  }
}

/** The requested form of the answer. "line" puts the whole document on one line. */
interface WantedOutput {
  readonly mode: "text" | "json";
  readonly form?: JsonForm;
}

/**
 * Returns the requested output. The output is determined before the options are parsed, because even "unknown option"
 * is reported as JSON if JSON was requested.
 */
export function wantedOutput(args: readonly string[]): WantedOutput {
  const end = args.indexOf("--");
  const options = end === -1 ? args : args.slice(0, end);
  const format = options
    .map((word, index) => (word === OUTPUT_FORMAT ? `${word}=${options[index + 1]}` : word))
    .findLast((word) => word.startsWith(`${OUTPUT_FORMAT}=`))
    ?.slice(OUTPUT_FORMAT.length + 1);
  if (format === "stream-json") return { mode: "json", form: "line" };
  return { mode: format === "json" || options.includes("--json") ? "json" : "text" };
}

/** An option that exists only for the agent, which has more output formats than other commands. */
const OUTPUT_FORMAT = "--output-format";

const FLAG = "--setting";

/**
 * Determines the language from the flag, the environment variable, the user's settings file, or the locale. The
 * language is determined before the options are parsed, so that parsing errors are translated too. An invalid value is
 * skipped here and is reported when the settings are loaded.
 */
export async function wantedLanguage(words: readonly string[], environment: Environment): Promise<Language> {
  const said =
    wordOf(fromFlag(words)) ??
    wordOf(environment[variableOf("language")]) ??
    wordOf(await readUserSetting(environment, "language"));
  return said === undefined || said === "auto" ? languageOfLocale(environment) : said;
}

function wordOf(given: unknown): Language | "auto" | undefined {
  return (["auto", ...languages] as const).find((each) => each === given);
}

function fromFlag(words: readonly string[]): string | undefined {
  const end = words.indexOf("--");
  return (end === -1 ? words : words.slice(0, end))
    .map((word, index, all) => (word === FLAG ? `${word}=${all[index + 1]}` : word))
    .findLast((word) => word.startsWith(`${FLAG}=language=`))
    ?.slice(`${FLAG}=language=`.length);
}
