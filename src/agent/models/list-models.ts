import { isWorldlineError, type WorldlineError } from "../../record/error.ts";
import { DEFAULT_LIMITS } from "../http/http-fetch.ts";
import { shownAddress } from "../http/route.ts";
import { catalogueOf } from "./catalogue.ts";
import { keyOf, type ModelSources } from "./choose-model.ts";
import type { Keys } from "./keys.ts";
import { modelsOfServer } from "./local-models.ts";
import { modelServer } from "./model-fetch.ts";
import type { ProviderKind } from "./model-settings.ts";
import { isOnThisMachine, needsKey, type Provider, providersOf } from "./provider-table.ts";

/** A provider, and whether it can be used. */
export interface ListedProvider {
  readonly name: string;
  readonly kind: ProviderKind;
  /** For showing: without a name and a password in it. */
  readonly baseUrl: string;
  readonly usable: "yes" | "no";
  /** Why, in one sentence; never with a key in it. */
  readonly why: string;
  /** "provider/name" of its default model. */
  readonly model?: string;
  /** "provider/name" of those that a server on this machine has, or that the table knows. */
  readonly models: readonly string[];
}

/** Every provider, for `worldline models`. Asks only servers on this machine. */
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
    return { ...base, usable: "no", why: `No server answers at ${shown}.`, models: known };
  }
  const models = found.map((each) => `${prefix}${each}`);
  const why = found.length === 0 ? "The server has no model yet." : `The server has ${found.length}.`;
  return { ...base, usable: found.length === 0 ? "no" : "yes", why, models };
}

/** A file of keys that is not used costs the keys in it, and not the list. */
function keyOrWhyNot(provider: Provider, keys: Keys): ReturnType<typeof keyOf> | WorldlineError {
  try {
    return keyOf(provider, keys);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return needsKey(provider) ? error : undefined;
  }
}

function usability(provider: Provider, { keys }: ModelSources): Pick<ListedProvider, "usable" | "why"> {
  if (!URL.canParse(provider.baseUrl))
    return { usable: "no", why: `${shownAddress(provider.baseUrl)} is no address.` };
  const shown = keyOrWhyNot(provider, keys);
  if (isWorldlineError(shown)) return { usable: "no", why: shown.message };
  if (shown !== undefined) {
    return { usable: "yes", why: shown.from === "file" ? "A key is kept." : `${shown.variable} is set.` };
  }
  if (!needsKey(provider)) return { usable: "yes", why: "It needs no key." };
  return { usable: "no", why: `No key: ${provider.keyVariable} is not set, and none is kept.` };
}
