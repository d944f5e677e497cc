import { type ErrorCode, error, type Problem, remark } from "../../errors/texts.ts";

/** The reasons why a response cannot be used. */
export const httpFaults = {
  "http-too-large": remark(
    ({ megabytes }: { readonly megabytes: number }) => `It is larger than ${megabytes} MB.`,
  ),
  "http-too-many-parts": remark(({ most }: { readonly most: number }) => `It has more than ${most} parts.`),
  "http-too-long": remark(() => "It is too long to be a model's reply."),
  "http-encoded-often": remark(() => "It has too many content encodings."),
  "http-encoding-unknown": remark(
    ({ encoding }: { readonly encoding: string }) => `Its content encoding, ${encoding}, is not supported.`,
  ),
  "http-status-invalid": remark(
    ({ status }: { readonly status: number }) => `Its status, ${status}, is not valid.`,
  ),
};

/** The source of the key that was sent or, if none was sent, a source from which a key could be read. */
export type KeyFrom =
  | { readonly from: "environment" | "file"; readonly variable: string }
  | { readonly from: "nowhere"; readonly variable?: string };

/** The address at which a model's server was contacted. */
export interface Reached {
  readonly model: string;
  readonly baseUrl: string;
  /** The proxy that was used, without its password, and the variable that names it; absent for a direct connection. */
  readonly proxy?: { readonly address: string; readonly variable: string };
}

/** The reason why a server cannot be reached. */
export type Unreachable =
  | {
      readonly why:
        | "refused"
        | "no-host"
        | "no-way"
        | "no-network"
        | "no-address"
        | "unusable-address"
        | "proxy-not-http"
        | "name-lookup"
        | "ended"
        | "reset"
        | "silent";
      readonly errno: string;
    }
  | { readonly why: "no-answer"; readonly seconds: number };

/** Errors from model calls: from choosing a model, reaching its server, and reading its reply. */
export const models = {
  "no-model": error(
    "NO_MODEL",
    ({ variables }: { readonly variables: readonly string[] }) =>
      `No model is selected, and no API key was found. Checked --model, the "model" setting, the stored keys, and ${variables.join(", ")}.`,
    (_, { command, place }) => {
      const model = (name: string): string =>
        place === "screen" ? command({ do: "start", model: name }) : `--model ${name}`;
      return `Run \`${command({ do: "setup" })}\`, set one of these variables, or use a model on this machine (\`${model("ollama/<name>")}\`). You do not need a model to find what broke a test: \`${model("worldline/finder")}\`.`;
    },
  ),
  "no-key": error(
    "NO_MODEL",
    ({ model, variables }: { readonly model: string; readonly variables: readonly string[] }) =>
      `No API key for ${model} was found. Checked ${variables.join(" and ")} and the stored keys.`,
    ({ variables: [first] }, { command }) =>
      `Set ${first ?? "its key"}, or run \`${command({ do: "setup" })}\`.`,
  ),
  "base-url-invalid": error(
    "SETTINGS_INVALID",
    ({
      provider,
      baseUrl,
    }: {
      readonly provider: string;
      readonly baseUrl: string;
      readonly from: "settings" | "environment";
    }) => `Invalid base URL for ${provider}: ${baseUrl}`,
    ({ from }) =>
      `Fix it ${from === "settings" ? "in the `providers` setting" : "in the environment"}. A base URL such as https://host/v1 is required.`,
  ),
  "provider-unknown": error(
    "MODEL_UNKNOWN",
    ({ model }: { readonly model: string; readonly providers: readonly string[] }) =>
      `Unknown provider: ${model}`,
    ({ providers }) =>
      `Use provider/name with one of these providers: ${providers.join(", ")}. You can add more providers in the \`providers\` setting. worldline/finder works without a key.`,
  ),
  "no-default-model": error(
    "MODEL_UNKNOWN",
    ({ provider }: { readonly provider: string }) => `${provider} has no default model.`,
    ({ provider }, { command }) =>
      `\`${command({ do: "models" })}\` lists its models. Use ${provider}/<model>`,
  ),
  "model-name-unknown": error(
    "MODEL_UNKNOWN",
    ({ model }: { readonly model: string; readonly providers: readonly string[] }) =>
      `Unknown model: ${model}`,
    ({ model, providers }) =>
      `Use provider/${model} with one of these providers: ${providers.join(", ")}. worldline/finder works without a key.`,
  ),
  "key-invalid": error(
    "INPUT_INVALID",
    () => "That is not a key: it is empty, or contains spaces or line breaks.",
    () => "Copy it again from the provider's page.",
  ),
  "keys-unreadable": error(
    "MODEL_KEY",
    ({ path }: { readonly path: string }) => `The keys in ${path} cannot be read.`,
    (_, { command }) => `Check who owns the file, or remove it and run \`${command({ do: "setup" })}\`.`,
  ),
  "keys-open-to-others": error(
    "MODEL_KEY",
    ({ path }: { readonly path: string }) =>
      `Other users can read the keys in ${path}, so they are not used.`,
    ({ path }) =>
      `Run \`chmod 600 ${path}\`, and if other people use this machine, replace the keys with new ones.`,
  ),
  "keys-not-an-object": error(
    "MODEL_KEY",
    ({ path }: { readonly path: string }) => `The keys in ${path} are not a JSON object.`,
    (_, { command }) =>
      `The file should contain lines such as "ANTHROPIC_API_KEY": "...". Fix it, or remove it and run \`${command({ do: "setup" })}\`.`,
  ),

  "model-cancelled": error("CANCELLED", () => "The model call was canceled."),
  "reply-cut": error(
    "MODEL_FAILED",
    ({ model }: { readonly model: string }) =>
      `The stream from ${model} ended before the reply was complete.`,
  ),
  "reply-ended-oddly": error(
    "MODEL_FAILED",
    /** `end`: the provider's own reason for the end. */
    ({ model, end }: { readonly model: string; readonly end: string }) =>
      `The stream from ${model} ended early, with "${end}".`,
  ),
  "reply-silent": error(
    "MODEL_FAILED",
    ({ model, seconds }: { readonly model: string; readonly seconds: number }) =>
      `The stream from ${model} was cut off: no data arrived for ${seconds} s.`,
  ),
  "reply-empty": error(
    "MODEL_FAILED",
    /** `limit`: "hit" if the model had no tokens left for an answer. */
    ({ model, limit }: { readonly model: string; readonly limit: "hit" | "not-hit" }) =>
      `${model} sent an empty reply: ${limit === "hit" ? "it hit its output limit before it wrote anything" : "no text and no tool call"}.`,
  ),
  "reply-refused": error(
    "MODEL_REFUSED",
    ({ model }: { readonly model: string }) =>
      `${model} declined to answer: its content filter stopped the reply.`,
    (_, { command }) => `Rephrase the prompt, or go back with \`${command({ do: "rewind" })}\`.`,
  ),
  "reply-unusable": error(
    "MODEL_FAILED",
    (
      {
        model,
        code,
        said,
      }: {
        readonly model: string;
        readonly baseUrl: string;
        readonly code: string;
        /** A string in older logs, and for errors from the parser or a decoder. */
        readonly said: Problem;
      },
      { message },
    ) => `The response from ${model} cannot be used (${code}): ${message(said)}`,
    ({ baseUrl }) => `Check that ${baseUrl} is the address of a model server.`,
  ),
  "key-unsendable": error(
    "MODEL_KEY",
    ({ model }: { readonly model: string; readonly key: KeyFrom }) =>
      `The key for ${model} contains invalid characters.`,
    ({ key }, { command }) => keyAdvice(key, command({ do: "setup" })),
  ),
  "key-refused": error(
    "MODEL_KEY",
    ({
      model,
      baseUrl,
      status,
      said,
    }: {
      readonly model: string;
      readonly baseUrl: string;
      readonly status: number;
      readonly said: string;
      readonly key: KeyFrom;
    }) => `${baseUrl} does not accept the key for ${model} (status ${status}): ${reasonGiven(said)}`,
    ({ key }, { command }) => keyAdvice(key, command({ do: "setup" })),
  ),
  "model-failed": error(
    "MODEL_FAILED",
    ({ model, said }: { readonly model: string; readonly said: string }) =>
      `${model} failed${said === "" ? "" : `: ${said}`}`,
  ),
  "model-failed-with": error(
    "MODEL_FAILED",
    ({ model, status, said }: { readonly model: string; readonly status: number; readonly said: string }) =>
      `${model} failed with status ${status}: ${reasonGiven(said)}`,
  ),
  "model-refused": error(
    "MODEL_REFUSED",
    ({ model, status, said }: { readonly model: string; readonly status: number; readonly said: string }) =>
      `${model} refused the request (status ${status}): ${reasonGiven(said)}`,
  ),
  "model-out-of-money": error(
    "MODEL_REFUSED",
    ({ model, status, said }: { readonly model: string; readonly status: number; readonly said: string }) =>
      `${model} refused the request (status ${status}): ${reasonGiven(said)}`,
    () => "Your account with the provider is out of credit or quota.",
  ),
  "model-busy": error(
    "MODEL_BUSY",
    ({ model, said }: { readonly model: string; readonly said: string }) =>
      `${model} is busy: ${reasonGiven(said)}`,
  ),
  "context-too-long": error(
    "CONTEXT_TOO_LONG",
    ({ model, said }: { readonly model: string; readonly said: string }) =>
      `The context is too long for ${model}: ${reasonGiven(said)}`,
    (_, { command }) =>
      `Compact it with \`${command({ do: "compact" })}\`, or choose a model with a larger context window.`,
  ),
  "model-unknown": error(
    "MODEL_UNKNOWN",
    /** `api`: "responses" if the server may support only a different API. */
    ({
      model,
      baseUrl,
      status,
      said,
    }: {
      readonly model: string;
      readonly baseUrl: string;
      readonly status: number;
      readonly said: string;
      readonly api: "responses" | "other";
    }) => `${baseUrl} has no model ${model} (status ${status}): ${reasonGiven(said)}`,
    ({ api }, { command }) =>
      `\`${command({ do: "models" })}\` lists the available models and the address of each provider.${
        api === "responses"
          ? " If the server does not support the Responses API, use openai-chat/<name> instead."
          : ""
      }`,
  ),
  "model-unreachable": error(
    "MODEL_UNREACHABLE",
    ({ model, because, ...at }: Reached & { readonly because: Unreachable }) =>
      `${model} cannot be reached: ${unreachable(because)}. Worldline tried ${at.baseUrl} ${route(at)}.`,
    (_, { command }) =>
      `Check the address (\`${command({ do: "models" })}\` shows it), the network, and HTTPS_PROXY and NO_PROXY.`,
  ),
  "certificate-untrusted": error(
    "MODEL_UNREACHABLE",
    ({ model, code, ...at }: Reached & { readonly code: string }) =>
      `${model} cannot be reached: its certificate is not trusted (${code}). Worldline tried ${at.baseUrl} ${route(at)}.`,
    () =>
      "If a proxy or gateway uses its own certificate, set NODE_EXTRA_CA_CERTS to that certificate's file.",
  ),
  "proxy-refuses": error(
    "MODEL_UNREACHABLE",
    ({ model, status, ...at }: Reached & { readonly status?: number }) =>
      `${model} cannot be reached: the proxy refused the connection${status === undefined ? "" : ` (status ${status})`}. Worldline tried ${at.baseUrl} ${route(at)}.`,
    () => "Change HTTPS_PROXY or HTTP_PROXY, or add the address to NO_PROXY.",
  ),
  "proxy-wants-password": error(
    "MODEL_UNREACHABLE",
    (at: Reached) =>
      `The proxy requires authentication (status 407). Worldline tried ${at.baseUrl} ${route(at)}.`,
    () => "Add a user name and password to the proxy variable, or add the address to NO_PROXY.",
  ),
  "no-model-server": error(
    "MODEL_UNREACHABLE",
    ({ contentType, ...at }: Reached & { readonly contentType: string }) =>
      `There is no model server at ${at.baseUrl} (reached ${route(at)}). The response was ${contentType}.`,
    (_, { command }) =>
      `Check the address: \`${command({ do: "models", json: true })}\` shows each provider's address. The response may also have come from a network login page.`,
  ),
  "model-redirected": error(
    "MODEL_REDIRECTED",
    /** `to`: absent if the redirect has no usable address; `host`: whether it leads to another server. */
    ({
      model,
      status,
      to,
      ...at
    }: Reached & {
      readonly status: number;
      readonly to?: string;
      readonly host?: string;
    }) =>
      `${at.baseUrl} (reached ${route(at)}) redirects ${to === undefined ? "without a usable address" : `to ${to}`} (status ${status}). Nothing was sent there, because the request contains the conversation and the key for ${model}.`,
    ({ to, host }, { command }) =>
      `Redirects are not followed.${afterRedirect(to, host)} \`${command({ do: "models", json: true })}\` shows each provider's base URL.`,
  ),
};

/** Returns the provider's own words, if it sent any. */
function reasonGiven(said: string): string {
  return said === "" ? "it did not say why." : said;
}

function keyAdvice({ from, variable }: KeyFrom, setup: string): string {
  if (from === "environment") return `Change ${variable}, or unset it and run \`${setup}\`.`;
  if (from === "file") return `Run \`${setup}\` with a new key, or set ${variable}.`;
  return variable === undefined
    ? "In the `providers` setting, set `keyVariable` to the name of the variable that contains the provider's key."
    : `Set ${variable}, or run \`${setup}\`.`;
}

function route({ proxy }: Pick<Reached, "proxy">): string {
  return proxy === undefined ? "directly" : `through the proxy ${proxy.address} (${proxy.variable})`;
}

function afterRedirect(to: string | undefined, host: string | undefined): string {
  if (to === undefined) return "";
  return host === undefined
    ? " If that path is correct, put it in the provider's base URL."
    : ` If you trust ${host}, make it the provider's base URL.`;
}

function unreachable(because: Unreachable): string {
  if (because.why === "no-answer") return `it did not answer within ${because.seconds} s`;
  return `${UNREACHABLE[because.why]} (${because.errno})`;
}

const UNREACHABLE = {
  refused: "the connection was refused",
  "no-host": "there is no such host",
  "no-way": "there is no route to that host",
  "no-network": "there is no network connection",
  "no-address": "the address is not valid",
  "unusable-address": "the address cannot be used",
  "proxy-not-http": "its proxy is not an HTTP proxy",
  "name-lookup": "the host name could not be resolved",
  ended: "the connection was closed",
  reset: "the connection was reset",
  silent: "the connection went silent",
};

/** The source of a setting's value. */
export type SettingPlace =
  | { readonly is: "file"; readonly file: string; readonly line: number }
  | { readonly is: "variable"; readonly variable: string }
  | { readonly is: "flag" | "default" };

export interface Provider {
  readonly provider: string;
}

/** The provider's response, or the reason why there was none. */
export interface KeyFailure {
  readonly code: ErrorCode;
  /** The reason in English, for programs. */
  readonly why: string;
  readonly problem: Problem;
}

/** Errors from choosing a model and from handling keys. */
export const choosingModels = {
  "model-of-setting-unusable": error(
    ({ code }: ModelOfSetting) => code,
    ({ setting, place, problem }, { message }) =>
      `The model in the ${setting} setting (${placeText(place)}) cannot be used: ${message(problem)}`,
    ({ problem }, { hint }) => hint(problem),
  ),
  "finder-writes-no-summaries": error(
    "MODEL_UNKNOWN",
    ({ model }: { readonly model: string; readonly by: "option" | "setting" }) =>
      `${model} finds what broke a test; it cannot write summaries.`,
    ({ by }, { command }) =>
      `Choose another model for summaries: ${by === "option" ? "--model <provider/name>" : command({ do: "config set", key: "compaction.model", value: { any: "provider/name" } })}`,
  ),
  "model-not-named": error(
    "MODEL_UNKNOWN",
    () => "--model was given without a model.",
    (_, { command }) =>
      `Give a model as provider/name, or leave out --model. See: ${command({ do: "help", of: "compact" })}`,
  ),
  "sdk-folder-relative": error(
    "SETTINGS_INVALID",
    ({ folder }: { readonly folder: string }) => `claude.sdk is "${folder}", which is not an absolute path.`,
    (_, { command }) =>
      `Give an absolute path, or one that begins with ~: ${command({ do: "config set", key: "claude.sdk", value: "~/claude-sdk" })}`,
  ),
  "model-not-of-the-sdk": error(
    "INPUT_INVALID",
    ({ model }: { readonly model: string }) => `${model} is not a Claude Agent SDK model.`,
    ({ model }, { command }) =>
      `Worldline's own agent can use it: ${command({ do: "start", host: "native", model })}`,
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
      `Type the key when prompted, or pipe it in: ${command({ do: "setup", provider, key: "file" })}`,
  ),
  "key-to-connect-refused": error(
    ({ code }: KeyFailure) => code,
    ({ problem }, { message }) => message(problem),
    ({ problem }, { hint }) => `${hint(problem)} Nothing was saved.`.trim(),
  ),
  "key-try-failed": error(
    ({ code }: KeyFailure) => code,
    ({ problem }, { message }) => message(problem),
    ({ problem }, { hint }) =>
      `${hint(problem)} Nothing was saved. To save the key anyway, use --without-test.`.trim(),
  ),
  "model-to-connect-unknown": error(
    "INPUT_INVALID",
    ({ provider }: Provider) => `${provider} has no default model to test the key with.`,
    ({ provider }, { command }) =>
      `In a shell, name a model: ${command({ do: "setup", provider, model: { any: "name" } })}`,
  ),
  "model-to-try-unknown": error(
    "INPUT_INVALID",
    ({ provider }: Provider) => `${provider} has no default model to test the key with.`,
    () => "Name a model with --model, or save the key without testing it: --without-test",
  ),
  "provider-takes-no-key": error(
    "INPUT_INVALID",
    ({ provider }: Provider) => `There is no provider "${provider}" that takes a key.`,
    (_, { command }) => `See all providers: ${command({ do: "models" })}`,
  ),
  "whose-key": error(
    "USAGE",
    (_: { readonly providers: readonly string[] }) => "Which provider is the key for?",
    ({ providers }, { command }) =>
      `Name the provider: ${command({ do: "setup", provider: { any: "provider" } })}. Providers: ${providers.join(", ")}`,
  ),
  "model-not-connected": error(
    "MODEL_KEY",
    () => "No model is connected.",
    (_, { command }) =>
      `Connect a provider with \`${command({ do: "setup" })}\`, or choose a model with \`${command({ do: "models" })}\`. Everything else works without a model.`,
  ),
  "provider-name-unknown": error(
    "INPUT_INVALID",
    (_: { readonly providers: readonly string[] }) => "There is no provider with that name.",
    ({ providers }) =>
      `Providers: ${providers.join(", ")}. Do not give the key itself as an argument. Type the key when prompted, or pipe it in.`,
  ),
};

export interface ModelOfSetting {
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
