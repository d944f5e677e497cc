import { catalogueOf, isOnThisMachine } from "../../../agent/models/catalogue.ts";
import { type ListedProvider, listModels } from "../../../agent/models/choose-model.ts";
import { FINDER_MODEL, FINDER_WINDOW } from "../../../finder/worker/offline-worker.ts";
import type { AppContext } from "../../context.ts";
import { modelSources } from "../open-model.ts";
import type { ModelRow, ModelState } from "./model-types.ts";

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
