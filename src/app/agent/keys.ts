import { shownAddress } from "../../agent/http-fetch.ts";
import {
  dropKey,
  type Keys,
  keepKey,
  keysPath,
  readKeys,
  requireRoomForKeys,
} from "../../agent/models/access.ts";
import { type Provider, providersOf } from "../../agent/models/catalogue.ts";
import { keyOf } from "../../agent/models/choose-model.ts";
import { realDisk } from "../../disk/disk.ts";
import { systemClock } from "../../disk/system-clock.ts";
import { FINDER_MODEL } from "../../finder/worker/offline-worker.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";
import { type KeyToTry, tryKey } from "./try-key.ts";

/** A provider that takes a key, and whether it has one. */
export interface ProviderRow {
  readonly provider: string;
  readonly keyVariable: string;
  readonly state: "key" | "no-key";
}

interface StoredKey {
  readonly file: string;
  /** "wins": the environment variable is set too, and overrides the key in the file. */
  readonly environment: "wins" | "unset";
}

const tools = { disk: realDisk, clock: systemClock };

/** Returns the built-in providers and the providers that the settings define. */
export async function knownProviders(context: AppContext): Promise<readonly Provider[]> {
  const { values } = await context.settings();
  return providersOf({ providers: values.providers }, context.surroundings.environment);
}

/**
 * Finds a provider by its name. Throws for an unknown name. The error does not repeat the name, because the user may
 * have typed the key in its place.
 */
export async function providerNamed(context: AppContext, name: string): Promise<Provider> {
  const providers = await knownProviders(context);
  const found = providers.find((each) => each.name === name);
  if (found !== undefined) return found;
  throw new WorldlineError("provider-name-unknown", { providers: providers.map((each) => each.name) });
}

interface KeyChoices {
  /** The providers that take a key, each with its address without secrets. */
  readonly providers: readonly { readonly provider: Provider; readonly address: string }[];
  /** The model that does not need a key. */
  readonly withoutKey: string;
}

export async function keyChoices(context: AppContext): Promise<KeyChoices> {
  const providers = (await knownProviders(context)).filter(({ keyVariable }) => keyVariable !== undefined);
  return {
    providers: providers.map((provider) => ({ provider, address: shownAddress(provider.baseUrl) })),
    withoutKey: FINDER_MODEL,
  };
}

/** Lists the providers that take a key, and whether each of them has one. */
export async function providerRows(context: AppContext): Promise<readonly ProviderRow[]> {
  const keys = readKeys(context.home, context.surroundings.environment);
  return (await knownProviders(context)).flatMap((provider) => {
    const { name, keyVariable } = provider;
    if (keyVariable === undefined) return [];
    return [{ provider: name, keyVariable, state: hasKey(provider, keys) ? "key" : "no-key" }];
  });
}

/** Treats an unusable key file as empty, so that the providers can still be listed. */
function hasKey(provider: Provider, keys: Keys): boolean {
  try {
    return keyOf(provider, keys) !== undefined;
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return false;
  }
}

/**
 * Throws if a key could not be stored. Called before the user types the key, and before the key is tested with a call
 * that costs money.
 */
export function requireRoomForKey({ home }: AppContext): void {
  requireRoomForKeys(tools, home);
}

interface KeyToSetUp extends KeyToTry {
  /** "tried": the key is tested with one small call first, and is stored only if that call succeeds. */
  readonly check: "tried" | "untried";
}

/** Stores a key where only the user can read it. `tested`: the model that answered. */
export async function setUpKey(
  context: AppContext,
  { check, ...wanted }: KeyToSetUp,
): Promise<StoredKey & { readonly tested?: string }> {
  const tested = check === "tried" ? { tested: await tryKey(context, wanted) } : {};
  return { ...storeKey(context, wanted), ...tested };
}

export function storeKey(
  context: AppContext,
  { variable, key }: Pick<KeyToTry, "variable" | "key">,
): StoredKey {
  keepKey(tools, { home: context.home, variable, key });
  return storedFor(context, variable);
}

/** Removes a key from the key file. All other keys are kept. */
export function removeKey(
  context: AppContext,
  variable: string,
): StoredKey & { readonly outcome: "removed" | "not-kept" } {
  const dropped = dropKey(tools, { home: context.home, variable });
  return { ...storedFor(context, variable), outcome: dropped === "dropped" ? "removed" : "not-kept" };
}

function storedFor({ home, surroundings }: AppContext, variable: string): StoredKey {
  const isSet = (surroundings.environment[variable] ?? "").trim() !== "";
  return { file: keysPath(home), environment: isSet ? "wins" : "unset" };
}
