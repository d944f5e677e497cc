import { dropKey, type Keys, keepKey, modelServer, requireRoomForKeys } from "../../agent/models/access.ts";
import { catalogueOf, isOnThisMachine, type Provider, providersOf } from "../../agent/models/catalogue.ts";
import {
  checkModel,
  chooseModel,
  keyOf,
  type ListedProvider,
  listModels,
  modelsOfServer,
} from "../../agent/models/choose-model.ts";
import { realDisk } from "../../disk/disk.ts";
import { systemClock } from "../../disk/system-clock.ts";
import { FINDER_MODEL, FINDER_WINDOW } from "../../finder/worker/offline-worker.ts";
import type { Model } from "../../ports/model.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";
import type { ModelsLookedFor } from "./open-model.ts";
import { modelSources } from "./open-model.ts";

/** Which model answers, and how another one comes to. */
export interface Models {
  /** Those that can be used, and those that only want a key. */
  list(): Promise<readonly ModelRow[]>;
  /** From the next prompt on; `remember`: for later sessions too. */
  choose(name: string, remember: "yes" | "no"): Promise<void>;
  /** Providers that a key can be given for. */
  providers(): Promise<readonly ProviderRow[]>;
  /** Keeps the key in a file that only the person can read, and takes a model of that provider. */
  connect(provider: string, key: string): Promise<void>;
  /** Takes a model that needs no key, after one call that it answered, for later sessions too; else nothing is changed. */
  connectLocal(name: string): Promise<void>;
  /** An Ollama on this machine, asked for once; nothing of it is used before the person says so. */
  findOllama(): Promise<OllamaFound | undefined>;
}

export type ModelState =
  | { readonly state: "ready"; readonly name: string; readonly window: number }
  /** None, and where one was looked for. */
  | { readonly state: "none"; readonly lookedFor: ModelsLookedFor };

export interface ModelRow {
  readonly name: string;
  readonly window?: number;
  readonly state: "ready" | "no-key";
  readonly isCurrent: boolean;
}

export interface ProviderRow {
  readonly provider: string;
  readonly keyVariable: string;
  readonly state: "key" | "no-key";
}

export interface OllamaFound {
  readonly models: readonly string[];
}

/** Every model that is known of a provider, those that can be used first. Only servers on this machine are asked. */
export async function modelRows(context: AppContext, current: ModelState): Promise<readonly ModelRow[]> {
  const sources = await modelSources(context);
  const catalogue = catalogueOf(sources.settings);
  const now = current.state === "ready" ? current.name : undefined;
  const named = (name: string, state: ModelRow["state"]): ModelRow => {
    const window = name === FINDER_MODEL ? FINDER_WINDOW : catalogue[name]?.window;
    return { name, ...(window === undefined ? {} : { window }), state, isCurrent: name === now };
  };
  const rows = new Map<string, ModelRow>();
  for (const provider of await listModels(sources)) {
    const state = provider.usable === "yes" ? "ready" : "no-key";
    for (const name of namesOf(provider)) rows.set(name, named(name, state));
  }
  rows.set(FINDER_MODEL, named(FINDER_MODEL, "ready"));
  if (now !== undefined && !rows.has(now)) rows.set(now, named(now, "ready"));
  const all = [...rows.values()];
  return [...all.filter(({ state }) => state === "ready"), ...all.filter(({ state }) => state === "no-key")];
}

/** A server on this machine that is not there wants no key, and has nothing to choose from. */
function namesOf({ model, models, kind, usable, baseUrl }: ListedProvider): readonly string[] {
  const isAway = usable === "no" && (kind === "ollama" || isOnThisMachine(baseUrl));
  if (isAway) return [];
  return [...new Set([...(model === undefined ? [] : [model]), ...models])];
}

/** None for a provider that takes no key. A file of keys that cannot be used has none in it. */
export function providerRow(provider: Provider, keys: Keys): readonly ProviderRow[] {
  const { name, keyVariable } = provider;
  if (keyVariable === undefined) return [];
  return [{ provider: name, keyVariable, state: hasKey(provider, keys) ? "key" : "no-key" }];
}

function hasKey(provider: Provider, keys: Keys): boolean {
  try {
    return keyOf(provider, keys) !== undefined;
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return false;
  }
}

const tools = { disk: realDisk, clock: systemClock };

/**
 * Tries the key with one small call, and keeps it where only the person can read it; what stands against it is thrown, and
 * then nothing is kept. Resolves with the model that answered.
 */
export async function connectProvider(context: AppContext, name: string, key: string): Promise<string> {
  const sources = await modelSources(context);
  const provider = providersOf(sources.settings, sources.environment).find((each) => each.name === name);
  const variable = provider?.keyVariable;
  if (provider === undefined || variable === undefined) {
    throw new WorldlineError("provider-takes-no-key", { provider: name });
  }
  const trimmed = key.trim();
  if (trimmed === "") throw new WorldlineError("key-to-paste-missing", {});
  requireRoomForKeys(tools, context.home);
  const wanted = modelOf(provider, Object.keys(catalogueOf(sources.settings)));
  const keys = {
    find: (each: string) => (each === variable ? ({ key: trimmed, from: "file" } as const) : undefined),
  };
  await tryModel(context, (await chooseModel(wanted, { ...sources, keys })).model);
  keepKey(tools, { home: context.home, variable, key: trimmed });
  return wanted;
}

/** Tries one that needs no key. */
export async function connectLocal(context: AppContext, name: string): Promise<void> {
  await tryModel(context, (await chooseModel(name, await modelSources(context))).model);
}

async function tryModel(context: AppContext, model: Model): Promise<void> {
  const checked = await checkModel(model, context.surroundings.cancelled);
  if (checked.outcome === "ok") return;
  const { code, message: why, reason, params } = checked.failure;
  // Not the cause: it may hold the request, and the key with it.
  throw new WorldlineError("key-to-connect-refused", {
    code,
    why,
    problem: reason === undefined ? why : { reason, params },
  });
}

/** What a start without a chosen model would take now; undefined where nothing. */
export async function defaultModelNow(context: AppContext): Promise<string | undefined> {
  try {
    return (await chooseModel(undefined, await modelSources(context))).model.name;
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return undefined;
  }
}

function modelOf({ name, model }: Provider, known: readonly string[]): string {
  if (model !== undefined) return `${name}/${model}`;
  const first = known.find((each) => each.startsWith(`${name}/`));
  if (first !== undefined) return first;
  throw new WorldlineError("model-to-connect-unknown", { provider: name });
}

/** It is on this machine: it answers at once, or is not there. */
const PATIENCE_MS = 800;

/** Looks where OLLAMA_HOST says, if that is this machine; no other address is asked. Names as `choose` takes them. */
export async function findOllama(context: AppContext): Promise<OllamaFound | undefined> {
  const { values } = await context.settings();
  const { environment } = context.surroundings;
  const providers = providersOf({ providers: values.providers }, environment);
  const ollama = providers.find(({ kind }) => kind === "ollama");
  if (ollama === undefined || !isOnThisMachine(ollama.baseUrl)) return undefined;
  const limits = { connectMs: PATIENCE_MS, silenceMs: PATIENCE_MS };
  const server = modelServer(ollama.baseUrl, { environment, limits });
  const found = await modelsOfServer(server, "ollama");
  return found === undefined ? undefined : { models: found.map((name) => `${ollama.name}/${name}`) };
}

/** Takes a key out of the file; the others in it stay. */
export function removeKey(home: string, variable: string): "removed" | "not-kept" {
  const dropped = dropKey({ disk: realDisk, clock: systemClock }, { home, variable });
  return dropped === "dropped" ? "removed" : "not-kept";
}
