import type { Model } from "../../ports/model.ts";
import { WorldlineError } from "../../record/error.ts";
import { DEFAULT_LIMITS, type HttpLimits } from "../http/http-fetch.ts";
import { type Environment, shownAddress } from "../http/route.ts";
import { type CatalogueRow, catalogueOf, DEFAULT_LOCAL_WINDOW, DEFAULT_WINDOW, rowOf } from "./catalogue.ts";
import type { Keys } from "./keys.ts";
import { ollamaWindow } from "./local-models.ts";
import { modelServer } from "./model-fetch.ts";
import type { ModelSettings } from "./model-settings.ts";
import { needsKey, type Provider, providersOf } from "./provider-table.ts";
import type { Access } from "./providers/access.ts";
import { openModel } from "./providers/open-model.ts";

/** A server on this machine may first have to load the model. */
const LOADING_MS = 600_000;

export interface ModelSources {
  readonly settings: ModelSettings;
  readonly environment: Environment;
  readonly keys: Keys;
  readonly patience?: Partial<HttpLimits>;
  /** How many tokens the model holds, where the person knows better than any table. */
  readonly window?: number;
}

export interface ChosenModel {
  readonly model: Model;
  readonly row: CatalogueRow;
}

/**
 * Opens the model that is wanted ("provider/name", or a name that the table has), else that of the settings, else the default
 * of the first provider with a key. Throws NO_MODEL or MODEL_UNKNOWN.
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

/** The key that a provider would be shown. */
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

/** Ollama is asked what the model holds, so that nothing is cut off unseen. */
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
