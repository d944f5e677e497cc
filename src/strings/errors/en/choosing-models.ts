import { type ErrorCode, error, type Problem } from "../texts.ts";

/** Where a setting was set. */
export type SettingPlace =
  | { readonly is: "file"; readonly file: string; readonly line: number }
  | { readonly is: "variable"; readonly variable: string }
  | { readonly is: "flag" | "default" };

interface Provider {
  readonly provider: string;
}

/** What the model's provider answered, or why it did not. */
interface KeyFailure {
  readonly code: ErrorCode;
  readonly why: string;
  readonly advice?: string;
}

/** The errors of choosing a model, and of keys. */
export const choosingModels = {
  "model-of-setting-unusable": error(
    ({ code }: ModelOfSetting) => code,
    ({ setting, place, problem }, { message }) =>
      `The model that the setting ${setting} names (${placeText(place)}) cannot be used: ${message(problem)}`,
    ({ problem }, { hint }) => hint(problem),
  ),
  "finder-writes-no-summaries": error(
    "MODEL_UNKNOWN",
    ({ model }: { readonly model: string; readonly by: "option" | "setting" }) =>
      `${model} finds what broke a test, and writes no summaries.`,
    ({ by }, { command }) =>
      `Name another model for that: ${by === "option" ? "--model <provider/name>" : command("config set compaction.model <provider/name>")}`,
  ),
  "model-not-named": error(
    "MODEL_UNKNOWN",
    () => "--model names no model.",
    (_, { command }) =>
      `Give a model as provider/name, or leave --model out. See: ${command("compact --help")}`,
  ),
  "sdk-folder-relative": error(
    "SETTINGS_INVALID",
    ({ folder }: { readonly folder: string }) => `claude.sdk is "${folder}", which is no whole path.`,
    (_, { command }) =>
      `Name the folder from the root, or from ~: ${command("config set claude.sdk ~/claude-sdk")}`,
  ),
  "model-not-of-the-sdk": error(
    "INPUT_INVALID",
    ({ model }: { readonly model: string }) => `${model} is no model of the Claude Agent SDK.`,
    ({ model }, { command }) =>
      `Worldline's own agent can use it: ${command(`--host native --model ${model}`)}`,
  ),
  "key-to-paste-missing": error(
    "INPUT_INVALID",
    () => "No key was given.",
    () => "Paste it here.",
  ),
  "key-missing": error(
    "INPUT_INVALID",
    (_: Provider) => "No key was given.",
    ({ provider }, { command }) =>
      `Type it when asked, or pipe it in: ${command(`setup ${provider} < <file>`)}`,
  ),
  "key-to-connect-refused": error(
    ({ code }: KeyFailure) => code,
    ({ why }) => why,
    ({ advice = "" }) => `${advice} Nothing was kept.`.trim(),
  ),
  "key-refused": error(
    ({ code }: KeyFailure) => code,
    ({ why }) => why,
    ({ advice = "" }) => `${advice} Nothing was kept; to keep it all the same: --without-test`.trim(),
  ),
  "model-to-connect-unknown": error(
    "INPUT_INVALID",
    ({ provider }: Provider) => `It is not known which model of ${provider} to try the key with.`,
    ({ provider }, { command }) => `Name one in a shell: ${command(`setup ${provider} --model <name>`)}`,
  ),
  "model-to-try-unknown": error(
    "INPUT_INVALID",
    ({ provider }: Provider) => `It is not known which model of ${provider} to try the key with.`,
    () => "Name one with --model, or keep the key without trying it: --without-test",
  ),
  "provider-takes-no-key": error(
    "INPUT_INVALID",
    ({ provider }: Provider) => `There is no provider "${provider}" that takes a key.`,
    (_, { command }) => `See them all: ${command("models")}`,
  ),
  "whose-key": error(
    "USAGE",
    (_: { readonly providers: readonly string[] }) => "Whose key is it?",
    ({ providers }, { command }) =>
      `Name the provider: ${command("setup <provider>")}. Providers: ${providers.join(", ")}`,
  ),
  "provider-unknown": error(
    "INPUT_INVALID",
    (_: { readonly providers: readonly string[] }) => "There is no provider of that name.",
    ({ providers }) =>
      `Providers: ${providers.join(", ")}. The key itself is asked for, or read from a pipe; it is no argument.`,
  ),
};

interface ModelOfSetting {
  readonly code: ErrorCode;
  readonly setting: string;
  readonly place: SettingPlace;
  readonly problem: Problem;
}

function placeText(place: SettingPlace): string {
  if (place.is === "file") return `${place.file}:${place.line}`;
  if (place.is === "variable") return `environment ${place.variable}`;
  return place.is === "flag" ? "flag --setting" : "default";
}
