import { keepKey, requireRoomForKeys } from "../../../agent/models/access.ts";
import { catalogueOf, type Provider, providersOf } from "../../../agent/models/catalogue.ts";
import { checkModel, chooseModel } from "../../../agent/models/choose-model.ts";
import { realDisk } from "../../../disk/disk.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import type { Model } from "../../../ports/model.ts";
import { isWorldlineError, WorldlineError } from "../../../record/error.ts";
import type { AppContext } from "../../context.ts";
import { modelSources } from "../open-model.ts";

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
  const { code, message: why, hint } = checked.failure;
  const advice = hint === undefined ? {} : { advice: hint };
  // Not the cause: it may hold the request, and the key with it.
  throw new WorldlineError("key-to-connect-refused", { code, why, ...advice });
}

/** What a start without a wish would take now; undefined where nothing. */
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
