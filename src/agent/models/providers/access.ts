import type { HttpLimits } from "../../http/http-fetch.ts";
import { type Environment, routeTo, shownAddress } from "../../http/route.ts";
import type { CatalogueRow } from "../catalogue.ts";
import type { ProviderKind } from "../model-settings.ts";
import type { Scene } from "../wire/failure.ts";

/** All that it takes to speak to one model of a provider. */
export interface Access {
  /** What stands before the slash. */
  readonly provider: string;
  readonly kind: ProviderKind;
  /** Without a slash at its end, and without a password. */
  readonly baseUrl: string;
  readonly key?: string;
  /** How the key is shown: as the provider's own header, or as a bearer token. */
  readonly keyAs: "key" | "bearer";
  readonly keyFrom: Scene["keyFrom"];
  readonly row: CatalogueRow;
  readonly environment: Environment;
  readonly patience: HttpLimits;
  readonly fetch: typeof fetch;
}

/** What stands behind the first slash: names may hold more of them. */
export function nameOf(model: string): string {
  return model.slice(model.indexOf("/") + 1);
}

export function sceneOf(access: Access): (cancelled: Scene["cancelled"]) => Scene {
  const { row, baseUrl, keyFrom, key, environment, patience } = access;
  const route = routeTo(new URL(baseUrl), environment);
  const proxy =
    route.via === "direct" ? {} : { proxy: { address: shownAddress(route.proxy), variable: route.variable } };
  const secrets = key === undefined ? [] : [key];
  const { connectMs, silenceMs, firstByteMs = silenceMs } = patience;
  return (cancelled) => ({
    model: row.model,
    baseUrl,
    ...proxy,
    keyFrom,
    secrets,
    connectMs,
    silenceMs,
    firstByteMs,
    now: Date.now(),
    cancelled,
  });
}

/**
 * The default limit of a reply: what the model allows, but no more than compaction keeps free of its window. Some providers
 * refuse a request whose context and limit together exceed the window.
 */
export function outputLimit({ maxOutput, window }: CatalogueRow): number | undefined {
  return maxOutput === undefined ? undefined : Math.min(maxOutput, 50_000, Math.floor(window / 4));
}
