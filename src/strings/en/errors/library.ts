import type { ArgumentName, Given, Must, PlainMust } from "../../errors/facts.ts";
import { type ErrorCode, error } from "../../errors/texts.ts";

export interface OfOption {
  readonly call: string;
  readonly option: string;
}

/** Errors from invalid library calls. */
export const library = {
  "options-not-an-object": error(
    "INPUT_INVALID",
    ({ call, must, given }: { call: string; must: Must; given: Given; options: readonly string[] }) =>
      `${call}: the options must be ${mustBe(must)}, not ${givenIs(given)}.`,
    ({ options }) => `Its options: ${options.join(", ")}`,
  ),
  "option-unknown": error(
    "INPUT_INVALID",
    ({
      call,
      option,
    }: OfOption & { readonly near: string | undefined; readonly options: readonly string[] }) =>
      `${call}: unknown option ${JSON.stringify(option)}.`,
    ({ near, options }) =>
      `${near === undefined ? "" : `Did you mean ${near}? `}Its options: ${options.join(", ")}`,
  ),
  "option-missing": error(
    "INPUT_INVALID",
    ({ call, option }: OfOption & { readonly must: Must }) => `${call}: the ${option} option is missing.`,
    ({ must }) => `Set it to ${mustBe(must)}.`,
  ),
  "option-wrong": error(
    "INPUT_INVALID",
    ({ call, option, must, given }: OfOption & { must: Must; given: Given; near: string | undefined }) =>
      `${call}: the ${option} option must be ${mustBe(must)}, not ${givenIs(given)}.`,
    ({ near }) =>
      near === undefined ? "Leave it out to use the default." : `Did you mean ${JSON.stringify(near)}?`,
  ),
  "deletions-unconfirmed": error(
    "NEEDS_YES",
    ({ deletions }: { readonly deletions: number }) => `This would delete ${deletions} files.`,
    () => "To list them, call previewRewind or previewRedo. To confirm, pass confirmDeletions: true",
  ),
  "argument-wrong": error(
    "INPUT_INVALID",
    ({
      argument,
      must,
      given,
    }: {
      readonly argument: ArgumentName;
      readonly must: Must;
      readonly given: Given;
    }) => `${ARGUMENTS[argument].name} must be ${mustBe(must)}, not ${givenIs(given)}.`,
    ({ argument }) => ARGUMENTS[argument].hint,
  ),
  "call-argument-wrong": error(
    "INPUT_INVALID",
    (wrong: { call: string; argument: string; must: Must; given: Given; names: readonly string[] }) =>
      `${wrong.call}: ${wrong.argument} must be ${mustBe(wrong.must)}, not ${givenIs(wrong.given)}.`,
    ({ call, names }) => `Call it like this: ${call}(${names.join(", ")})`,
  ),
  "folder-unusable": error(
    "WORKSPACE_UNUSABLE",
    ({ folder }: { readonly folder: string; readonly call: string }) =>
      `The folder ${folder} does not exist or cannot be read.`,
    ({ call }) => `Pass ${call} a folder that exists: { workspace }`,
  ),
  "session-folder-gone": error(
    "WORKSPACE_UNUSABLE",
    ({ session, folder }: { readonly session: string; readonly folder: string }) =>
      `The folder of session ${session} no longer exists or is now a link: ${folder}`,
    () => 'Restore the folder, or open the session without files: openSession({ files: "off" })',
  ),
  "execution-folder-gone": error(
    "WORKSPACE_UNUSABLE",
    ({ folder }: { readonly folder: string }) =>
      `The folder of this execution no longer exists or is now a link: ${folder}`,
    () => 'Restore the folder, or open the execution without files: openExecution(id, { files: "off" })',
  ),
  "no-session-to-resume": error(
    "SESSION_UNKNOWN",
    ({ workspace }: { readonly workspace: string }) => `There is no session in ${workspace} yet.`,
    () => 'Start one: openSession({ resume: "new" })',
  ),
  "no-model-for-program": error(
    "NO_MODEL",
    ({ variables }: { readonly variables: readonly string[] }) =>
      `No model is selected, and no API key was found. Checked the "model" option, the "model" setting, the stored keys, and ${variables.join(", ")}.`,
    () => 'Set one of these variables, or pass a model: openAgent({ model: "ollama/<name>" })',
  ),
};

const ARGUMENTS: Readonly<Record<ArgumentName, { readonly name: string; readonly hint: string }>> = {
  "compact-request": {
    name: "The argument to compact",
    hint: 'Call it like this: compact({ summary: "..." })',
  },
  "store-address": {
    name: "A store address",
    hint: 'Pass "files", "sqlite:path", or "postgres://..." to openStore.',
  },
  "step-work": {
    name: "A step's work",
    hint: 'Call it like this: step("fetch", async () => fetchIt(), { maxRetries: 3 })',
  },
  "save-request": {
    name: "The argument to save",
    hint: 'Pass at least a name and an index: save({ name: "fetch", index: 0 })',
  },
  "restore-function": {
    name: "The restore function",
    hint: "Nothing was changed. Pass a function that takes the checkpoint, or leave out the argument.",
  },
  "checkpoint-id": {
    name: "A checkpoint id",
    hint: "checkpoints() lists the ids. They look like ckpt-exec-123-2@1",
  },
};

const MUSTS: Readonly<Record<PlainMust, string>> = {
  text: "a string",
  path: "a folder path",
  flag: "true or false",
  amount: "a non-negative number",
  number: "a number",
  ordinal: "a positive whole number",
  callback: "a function",
  object: "an object",
  "plain-object": "a plain object",
  signal: "an AbortSignal",
  store: "an address or an open store",
  "open-store": "an open store",
  view: "a session or a view of one",
  deps: "an object with an open store and a clock",
  bytes: "a Uint8Array or an object with a read function",
  clock: "a clock",
  choices: "a Map from paths to choices",
  prompt: "a string or a non-empty array of parts",
  decision: '"retry", "skip", "fail", or { skip: output }',
  anything: "anything",
};

/** Finishes a sentence such as: the files option must be "on" or "off". */
function mustBe(must: Must): string {
  switch (must.must) {
    case "one-of":
      return inWords(must.words.map((word) => JSON.stringify(word)));
    case "optional":
      return `${mustBe(must.of)}, or left out`;
    case "list":
      return `an array where each item is ${mustBe(must.of)}`;
    case "or-function":
      return `${mustBe(must.of)}, or a function that returns it`;
    case "either":
      return inWords(must.of.map(mustBe));
    default:
      return MUSTS[must.must];
  }
}

function inWords(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  const others = words.slice(0, -1).join(", ");
  return words.length < 2 ? last : `${others}${words.length > 2 ? "," : ""} or ${last}`;
}

function givenIs(given: Given): string {
  switch (given.is) {
    case "value":
      return given.text;
    case "function":
      return "a function";
    case "list":
      return "an array";
    case "object":
      return "an object";
    case "class":
      return "an instance of a class";
    case "instance":
      return `an instance of ${given.text}`;
    default:
      return given satisfies never;
  }
}

/** An error with the text of the code that throws it: a store, host, or model that is not Worldline's own. */
export const stated = {
  stated: error(
    ({ code }: Stated) => code,
    ({ message }) => message,
    ({ hint = "" }) => hint,
  ),
};

export interface Stated {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
}
