import { checkKeys, modelServer } from "../../agent/models/access.ts";
import { catalogueOf, isOnThisMachine, type Provider } from "../../agent/models/catalogue.ts";
import {
  checkModel,
  chooseModel,
  type ListedProvider,
  listModels,
  type ModelSources,
  modelsOfServer,
} from "../../agent/models/choose-model.ts";
import { FINDER_MODEL, FINDER_WINDOW } from "../../finder/worker/offline-worker.ts";
import type { Model } from "../../ports/model.ts";
import { isWorldlineError, problemIn, WorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";
import { knownProviders, type ProviderRow, requireRoomForKey, storeKey } from "./keys.ts";
import type { ModelsLookedFor } from "./open-model.ts";
import { fromSetting, modelSources } from "./open-model.ts";

/** Lists models, connects providers, and chooses a model. */
export interface Models {
  /** Lists the models that can be used, and the models that lack only a key. */
  list(): Promise<readonly ModelRow[]>;
  /**
   * Chooses the model to use from the next prompt on. `remember`: whether the choice also applies to later sessions.
   */
  choose(name: string, remember: "yes" | "no"): Promise<void>;
  /** Lists the providers that take a key. */
  providers(): Promise<readonly ProviderRow[]>;
  /** Saves the key in a file that only its owner can read, and chooses one of that provider's models. */
  connect(provider: string, key: string): Promise<void>;
  /**
   * Chooses a model that does not need a key, for this session and later ones, once the model has answered a test call.
   * If the model does not answer, nothing changes.
   */
  connectLocal(name: string): Promise<void>;
  /** Checks once whether an Ollama server is running on this machine. The server is not used before the user agrees. */
  findOllama(): Promise<OllamaFound | undefined>;
}

export type ModelState =
  | { readonly state: "ready"; readonly name: string; readonly window: number }
  /** No model is available; `lookedFor` lists the places that were searched for one. */
  | { readonly state: "none"; readonly lookedFor: ModelsLookedFor };

export interface ModelRow {
  readonly name: string;
  readonly window?: number;
  readonly state: "ready" | "no-key";
  readonly isCurrent: boolean;
}

export interface OllamaFound {
  readonly models: readonly string[];
}

interface ModelOverview {
  readonly providers: readonly ListedProvider[];
  /** Worldline's own offline model, which does not belong to a provider. */
  readonly finder: {
    readonly name: "worldline";
    readonly kind: "finder";
    readonly usable: "yes";
    readonly model: string;
    readonly models: readonly string[];
  };
  readonly chosen: ChosenModel;
}

/** The model that is used if the user does not name one, or the reason why there is none. */
export type ChosenModel =
  | { readonly model: string; readonly window: number; readonly windowIs: "known" | "assumed" }
  | { readonly problem: WorldlineError };

/**
 * Lists all providers with their models, and the chosen model. Reports an unusable key file, and lists the models
 * without its keys.
 */
export async function modelOverview(context: AppContext): Promise<ModelOverview> {
  const sources = await modelSources(context);
  try {
    checkKeys(context.home);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    context.listener.report({ code: "keys-unusable", problem: error });
  }
  const providers = await listModels(sources);
  return {
    providers,
    finder: {
      name: "worldline",
      kind: "finder",
      usable: "yes",
      model: FINDER_MODEL,
      models: [FINDER_MODEL],
    },
    chosen: await chosenModel(context, sources),
  };
}

async function chosenModel(context: AppContext, sources: ModelSources): Promise<ChosenModel> {
  if (sources.settings.model === FINDER_MODEL) {
    return { model: FINDER_MODEL, window: FINDER_WINDOW, windowIs: "known" };
  }
  const own = (await context.settings()).values["context.window"];
  try {
    const choose = () => chooseModel(undefined, sources);
    const { row } = sources.settings.model ? await fromSetting(context, "model", choose) : await choose();
    const { model, window, windowIs } = row;
    return own === 0 ? { model, window, windowIs } : { model, window: own, windowIs: "known" };
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return { problem: error };
  }
}

/** Lists the known models of all providers, usable ones first. Contacts only servers on this machine. */
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

/**
 * Returns the names of a provider's models. A local server that is not running gets no rows, because it offers no
 * models and a key would not help.
 */
function namesOf({ model, models, kind, usable, baseUrl }: ListedProvider): readonly string[] {
  const isAway = usable === "no" && (kind === "ollama" || isOnThisMachine(baseUrl));
  if (isAway) return [];
  return [...new Set([...(model === undefined ? [] : [model]), ...models])];
}

/**
 * Tests the key with one small call, and saves it in a file that only its owner can read. If the provider rejects the
 * key, throws the reason and saves nothing. Resolves with the model that answered.
 */
export async function connectProvider(context: AppContext, name: string, key: string): Promise<string> {
  const sources = await modelSources(context);
  const provider = (await knownProviders(context)).find((each) => each.name === name);
  const variable = provider?.keyVariable;
  if (provider === undefined || variable === undefined) {
    throw new WorldlineError("provider-takes-no-key", { provider: name });
  }
  const trimmed = key.trim();
  if (trimmed === "") throw new WorldlineError("key-to-paste-missing", {});
  requireRoomForKey(context);
  const wanted = modelOf(provider, Object.keys(catalogueOf(sources.settings)));
  const keys = {
    find: (each: string) => (each === variable ? ({ key: trimmed, from: "file" } as const) : undefined),
  };
  await tryModel(context, (await chooseModel(wanted, { ...sources, keys })).model);
  storeKey(context, { variable, key: trimmed });
  return wanted;
}

/** Makes one small test call to a model that does not need a key. */
export async function connectLocal(context: AppContext, name: string): Promise<void> {
  await tryModel(context, (await chooseModel(name, await modelSources(context))).model);
}

async function tryModel(context: AppContext, model: Model): Promise<void> {
  const checked = await checkModel(model, context.surroundings.cancelled);
  if (checked.outcome === "ok") return;
  const { code, message: why } = checked.failure;
  // The error's cause is left out, because it may contain the request and therefore the key.
  throw new WorldlineError("key-to-connect-refused", {
    code,
    why,
    problem: problemIn({ ...checked.failure, why }),
  });
}

/**
 * Returns the model that Worldline would use if the user started it now without choosing one, or undefined if there is
 * none.
 */
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

/** Time limit for a server on this machine, which answers almost immediately if it is running. */
const PATIENCE_MS = 800;

/**
 * Contacts Ollama at its configured address, such as the one in OLLAMA_HOST, but only if that address is on this
 * machine. Returns names that `choose` accepts.
 */
export async function findOllama(context: AppContext): Promise<OllamaFound | undefined> {
  const { environment } = context.surroundings;
  const ollama = (await knownProviders(context)).find(({ kind }) => kind === "ollama");
  if (ollama === undefined || !isOnThisMachine(ollama.baseUrl)) return undefined;
  const limits = { connectMs: PATIENCE_MS, silenceMs: PATIENCE_MS };
  const server = modelServer(ollama.baseUrl, { environment, limits });
  const found = await modelsOfServer(server, "ollama");
  return found === undefined ? undefined : { models: found.map((name) => `${ollama.name}/${name}`) };
}
