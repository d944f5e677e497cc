import type { Environment } from "../../../src/agent/http-fetch.ts";
import type { Keys } from "../../../src/agent/models/access.ts";
import type { ModelSettings } from "../../../src/agent/models/catalogue.ts";

/** Empty settings except for those that the test passes. */
export function settingsOf(some: Partial<ModelSettings> = {}): ModelSettings {
  return { models: {}, providers: {}, ...some };
}

/** Keys that come only from the given environment. */
export function keysOf(environment: Environment): Keys {
  return {
    find: (variable) => {
      const key = environment[variable];
      return key === undefined ? undefined : { key, from: "environment" };
    },
  };
}
