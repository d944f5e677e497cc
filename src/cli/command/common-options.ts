import type { CommonOptions as AppOptions } from "../../app/context.ts";
import type { Environment } from "../../app/places/home.ts";
import { userHome } from "../../disk/folders.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { JsonForm } from "../../record/printable.ts";
import { type StoreAddress, storeAddress } from "../../stores/store-address.ts";
import { flag, list, type OptionValues, text } from "./parameters.ts";

/** Understood by every command, before or after its name. */
export const commonOptions = {
  json: flag("answer with one JSON document on standard output"),
  session: text(
    "<session>",
    "the session to work on: its id, the beginning of it, its title, or the id of an execution",
  ),
  workspace: text(
    "<folder>",
    "the workspace to work in (default: the nearest from here up with a session or a .git)",
  ),
  store: text(
    "<store>",
    "where sessions are kept: files, sqlite:~/sessions.db, or postgres://user@host/database (default: " +
      "WORLDLINE_STORE, where a password belongs, else files)",
  ),
  trust: flag("trust this workspace's settings as they are now, from now on"),
  setting: list("<key=value>", "set a setting for this call only; may be given several times"),
  takeOver: flag(
    "write to a session although it is locked from another machine or container, or by a lock that cannot be " +
      "read; only when nothing uses it any more, which cannot be seen from here",
  ),
};

export interface CommonOptions extends AppOptions {
  readonly json: boolean;
  /** Whether `--store` said so: a command that is to be repeated says it again. */
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
  const { store: given, ...others } = values;
  const known = { ...others, takeOver: values.takeOver ? "yes" : "no" } as const;
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

function storeOf(given: string | undefined, environment: Environment, cwd: () => string): StoreAddress {
  const wanted = given ?? (environment["WORLDLINE_STORE"] || "files");
  try {
    return storeAddress(wanted, { cwd, userHome: userHome() });
  } catch (error) {
    if (!isWorldlineError(error, "INPUT_INVALID")) throw error;
    const origin = given === undefined ? "WORLDLINE_STORE" : "--store";
    throw new WorldlineError("store-address-invalid", { origin, problem: error }, { cause: error });
  }
}

/** How the answer is to be written: "line", all of a document on one line. */
export interface WantedOutput {
  readonly mode: "text" | "json";
  readonly form?: JsonForm;
}

/** Asked before anything is parsed, because even "unknown option" is said in JSON then. */
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

/** Of the agent alone, which answers in more ways than others. */
const OUTPUT_FORMAT = "--output-format";
