import type { Model, ModelFailure } from "../../ports/model.ts";
import { isWorldlineError, type Remark, remark, remarkOf, WorldlineError } from "../../record/error.ts";
import { isJsonObject, textPart } from "../../record/parts.ts";
import { DEFAULT_LIMITS, type Environment, type HttpLimits, shownAddress } from "../http-fetch.ts";
import { type Access, type Keys, type ModelServer, modelServer } from "./access.ts";
import {
  type CatalogueRow,
  catalogueOf,
  DEFAULT_LOCAL_WINDOW,
  DEFAULT_WINDOW,
  isOnThisMachine,
  type ModelSettings,
  needsKey,
  type Provider,
  type ProviderKind,
  providersOf,
  rowOf,
} from "./catalogue.ts";
import { openModel } from "./open-model.ts";

/** The time limit is long because a local server may have to load the model first. */
const LOADING_MS = 600_000;

export interface ModelSources {
  readonly settings: ModelSettings;
  readonly environment: Environment;
  readonly keys: Keys;
  readonly patience?: Partial<HttpLimits>;
  /** The size of the model's window, if the user knows a more exact value than the one in the table. */
  readonly window?: number;
}

export interface ChosenModel {
  readonly model: Model;
  readonly row: CatalogueRow;
}

/**
 * Opens the requested model ("provider/name", or a name in the table). If no model was requested, opens the model in
 * the settings or else the default model of the first provider with a key. Throws NO_MODEL or MODEL_UNKNOWN.
 */
export async function chooseModel(wanted: string | undefined, sources: ModelSources): Promise<ChosenModel> {
  const { settings, environment } = sources;
  const providers = providersOf(settings, environment);
  const reference = wanted || settings.model;
  const { provider, name } = reference
    ? find(reference, providers, sources)
    : firstWithKey(providers, sources);
  const access = await accessTo(provider, name, sources);
  return { model: openModel(access), row: access.row };
}

interface Choice {
  readonly provider: Provider;
  readonly name: string;
}

function find(reference: string, providers: readonly Provider[], { settings, keys }: ModelSources): Choice {
  const slash = reference.indexOf("/");
  if (slash !== -1) {
    const provider = providers.find(({ name }) => name === reference.slice(0, slash));
    const name = reference.slice(slash + 1);
    if (provider === undefined || name === "") {
      throw new WorldlineError("provider-unknown", { model: reference, providers: namesOf(providers) });
    }
    return { provider, name };
  }
  const whole = providers.find(({ name }) => name === reference);
  if (whole !== undefined) return { provider: whole, name: whole.model ?? noDefault(whole) };
  const catalogue = catalogueOf(settings);
  const having = providers.filter(({ name }) => catalogue[`${name}/${reference}`] !== undefined);
  const provider = having.find((each) => keyOf(each, keys) !== undefined) ?? having[0];
  if (provider === undefined) {
    throw new WorldlineError("model-name-unknown", { model: reference, providers: namesOf(providers) });
  }
  return { provider, name: reference };
}

function firstWithKey(providers: readonly Provider[], { keys }: ModelSources): Choice {
  for (const provider of providers) {
    if (provider.model !== undefined && keyOf(provider, keys) !== undefined) {
      return { provider, name: provider.model };
    }
  }
  const variables = new Set(providers.flatMap(({ keyVariable }) => keyVariable ?? []));
  throw new WorldlineError("no-model", { variables: [...variables] });
}

interface ShownKey {
  readonly key: string;
  readonly keyAs: Access["keyAs"];
  readonly from: "environment" | "file";
  readonly variable: string;
}

/** Returns the API key that would be sent to a provider. */
export function keyOf({ keyVariable, bearerVariable }: Provider, keys: Keys): ShownKey | undefined {
  for (const [variable, keyAs] of [[keyVariable, "key"] as const, [bearerVariable, "bearer"] as const]) {
    const found = variable === undefined ? undefined : keys.find(variable);
    if (variable !== undefined && found !== undefined) return { ...found, keyAs, variable };
  }
  return undefined;
}

async function accessTo(provider: Provider, name: string, sources: ModelSources): Promise<Access> {
  const { environment, keys } = sources;
  if (!URL.canParse(provider.baseUrl)) {
    throw new WorldlineError("base-url-invalid", {
      provider: provider.name,
      baseUrl: shownAddress(provider.baseUrl),
      from: provider.baseUrlFrom === "settings" ? "settings" : "environment",
    });
  }
  const shown = keyOf(provider, keys);
  if (shown === undefined && needsKey(provider)) throw noKey(provider, name);
  const isLocal = provider.kind === "ollama";
  const patience = {
    ...DEFAULT_LIMITS,
    ...(isLocal ? { firstByteMs: LOADING_MS } : {}),
    ...sources.patience,
  };
  const { baseUrl, fetch } = modelServer(provider.baseUrl, { environment, limits: patience });
  const row = rowFor(`${provider.name}/${name}`, sources, isLocal ? DEFAULT_LOCAL_WINDOW : DEFAULT_WINDOW);
  return {
    provider: provider.name,
    kind: provider.kind,
    baseUrl,
    ...(shown === undefined ? {} : { key: shown.key }),
    keyAs: shown?.keyAs ?? "key",
    keyFrom: keyFrom(provider, shown),
    row: isLocal ? await fitted(row, { baseUrl, name, fetch }) : row,
    environment,
    patience,
    fetch,
  };
}

function rowFor(model: string, { settings, window }: ModelSources, assumed: number): CatalogueRow {
  const row = rowOf(catalogueOf(settings), model, assumed);
  return window === undefined ? row : { ...row, window, windowIs: "known" };
}

/** Asks Ollama for the model's window, because Ollama silently truncates longer contexts. */
async function fitted(
  row: CatalogueRow,
  where: { readonly baseUrl: string; readonly name: string; readonly fetch: typeof fetch },
): Promise<CatalogueRow> {
  const most = await ollamaWindow(where);
  return most === undefined ? row : { ...row, window: Math.min(row.window, most), windowIs: "known" };
}

function keyFrom({ keyVariable }: Provider, shown: ShownKey | undefined): Access["keyFrom"] {
  if (shown !== undefined) return { from: shown.from, variable: shown.variable };
  return { from: "nowhere", ...(keyVariable === undefined ? {} : { variable: keyVariable }) };
}

function noKey({ name: provider, keyVariable, bearerVariable }: Provider, name: string): WorldlineError {
  const variables = [keyVariable, bearerVariable].filter((variable) => variable !== undefined);
  return new WorldlineError("no-key", { model: `${provider}/${name}`, variables });
}

function noDefault({ name }: Provider): never {
  throw new WorldlineError("no-default-model", { provider: name });
}

function namesOf(providers: readonly Provider[]): readonly string[] {
  return providers.map(({ name }) => name);
}

/** A provider, whether it can be used, and the reason. The reason never contains a key. */
export interface ListedProvider extends Remark {
  readonly name: string;
  readonly kind: ProviderKind;
  /** The base URL for display, without its user name and password. */
  readonly baseUrl: string;
  readonly usable: "yes" | "no";
  /** The provider's default model as "provider/name". */
  readonly model?: string;
  /** The models that a local server offers or the table contains, each as "provider/name". */
  readonly models: readonly string[];
}

/** Lists all providers for `worldline models`. Contacts only local servers. */
export function listModels(sources: ModelSources): Promise<readonly ListedProvider[]> {
  const providers = providersOf(sources.settings, sources.environment);
  return Promise.all(providers.map((provider) => listed(provider, sources)));
}

async function listed(provider: Provider, sources: ModelSources): Promise<ListedProvider> {
  const { name, kind, baseUrl, model } = provider;
  const prefix = `${name}/`;
  const known = Object.keys(catalogueOf(sources.settings)).filter((each) => each.startsWith(prefix));
  const shown = shownAddress(baseUrl);
  const base = { name, kind, baseUrl: shown, ...(model === undefined ? {} : { model: `${prefix}${model}` }) };
  const isLocal = isOnThisMachine(baseUrl) && (kind === "ollama" || kind === "compatible");
  if (!isLocal) return { ...base, ...usability(provider, sources), models: known };
  const limits = { ...DEFAULT_LIMITS, ...sources.patience };
  const server = modelServer(baseUrl, { environment: sources.environment, limits });
  const found = await modelsOfServer(server, kind);
  if (found === undefined) {
    return { ...base, usable: "no", ...remark("provider-silent", { address: shown }), models: known };
  }
  const models = found.map((each) => `${prefix}${each}`);
  const why = remark("provider-models", { count: found.length });
  return { ...base, usable: found.length === 0 ? "no" : "yes", ...why, models };
}

/**
 * Returns the provider's key, or the error if the key file is unusable. The list of providers is then still shown,
 * without keys from the file.
 */
function keyOrWhyNot(provider: Provider, keys: Keys): ReturnType<typeof keyOf> | WorldlineError {
  try {
    return keyOf(provider, keys);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return needsKey(provider) ? error : undefined;
  }
}

function usability(
  provider: Provider,
  { keys }: ModelSources,
): Pick<ListedProvider, "usable" | keyof Remark> {
  if (!URL.canParse(provider.baseUrl)) {
    return {
      usable: "no",
      ...remark("provider-address-invalid", { address: shownAddress(provider.baseUrl) }),
    };
  }
  const shown = keyOrWhyNot(provider, keys);
  if (isWorldlineError(shown)) return { usable: "no", ...remarkOf(shown) };
  if (shown !== undefined) {
    const { from, variable } = shown;
    const why = from === "file" ? remark("provider-key-stored") : remark("provider-key-set", { variable });
    return { usable: "yes", ...why };
  }
  if (!needsKey(provider)) return { usable: "yes", ...remark("provider-needs-no-key") };
  return { usable: "no", ...remark("provider-without-key", { variable: provider.keyVariable }) };
}

/** The time limit for servers on this machine or network. Such servers answer immediately or are not running. */
const SHORT_MS = 2_000;

/** Returns the models that a server has now, or undefined if it does not answer. */
export async function modelsOfServer(
  server: ModelServer,
  kind: "ollama" | "compatible",
): Promise<readonly string[] | undefined> {
  const path = kind === "ollama" ? "/api/tags" : "/models";
  const answer = await askJson(server, path);
  const list = answer?.[kind === "ollama" ? "models" : "data"];
  if (!Array.isArray(list)) return undefined;
  const names = list.map((row) => (isJsonObject(row) ? row[kind === "ollama" ? "name" : "id"] : undefined));
  return names.filter((name): name is string => typeof name === "string").sort();
}

/** Returns the window size of an Ollama model in tokens, or undefined if it is unknown. */
async function ollamaWindow(server: ModelServer & { readonly name: string }): Promise<number | undefined> {
  const answer = await askJson(server, "/api/show", { model: server.name });
  const info = answer?.["model_info"];
  if (!isJsonObject(info)) return undefined;
  // The field's name begins with the model's family, as in "qwen3.context_length".
  const lengths = Object.entries(info).filter(([field]) => field.endsWith(".context_length"));
  return lengths.map(([, length]) => length).find((length) => typeof length === "number" && length > 0) as
    | number
    | undefined;
}

/** Returns undefined if the server does not answer with JSON. The model call itself will report the reason. */
async function askJson(
  { baseUrl, fetch }: ModelServer,
  path: string,
  body?: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const signal = AbortSignal.timeout(SHORT_MS);
    const post = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    const response = await fetch(`${baseUrl}${path}`, body === undefined ? { signal } : { ...post, signal });
    // A stream could be far longer than any list, so only a JSON response is read.
    const isJson = /^application\/json\b/iu.test(response.headers.get("content-type") ?? "");
    const value: unknown = response.ok && isJson ? await response.json() : await response.body?.cancel();
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The result of the short call that checks a model. */
export type ModelCheck =
  | { readonly outcome: "ok" }
  | { readonly outcome: "failed"; readonly failure: ModelFailure };

/** The limit leaves enough tokens for a model that thinks before it answers. */
const REPLY_LIMIT = 2_048;

/** Checks a model by asking it to answer with one word. */
export async function checkModel(model: Model, signal: AbortSignal): Promise<ModelCheck> {
  const messages = [{ role: "user" as const, parts: [textPart("Reply with only this word: ready")] }];
  const context = { system: "", messages, breakpoints: [] };
  for await (const event of model.stream({ context, tools: [], maxOutputTokens: REPLY_LIMIT, signal })) {
    if (event.type === "failed") return { outcome: "failed", failure: event.failure };
  }
  return { outcome: "ok" };
}
