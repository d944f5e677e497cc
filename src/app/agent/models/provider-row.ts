import type { Keys } from "../../../agent/models/access.ts";
import type { Provider } from "../../../agent/models/catalogue.ts";
import { keyOf } from "../../../agent/models/choose-model.ts";
import { isWorldlineError } from "../../../record/error.ts";
import type { ProviderRow } from "./model-types.ts";

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
