import type { Keys } from "../../agent/models/access.ts";
import type { Provider } from "../../agent/models/catalogue.ts";
import { checkModel, chooseModel } from "../../agent/models/choose-model.ts";
import { problemIn, WorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";
import { modelSources } from "./open-model.ts";

export interface KeyToTry {
  readonly provider: Provider;
  readonly variable: string;
  readonly key: string;
  readonly model: string | undefined;
  /** Called with the model's name before the call that tests the key. */
  readonly onTrying: (model: string) => void;
}

/**
 * Tests the key with one small call. Returns the model that answered. Throws an error with the provider's reason if the
 * key is rejected.
 */
export async function tryKey(context: AppContext, wanted: KeyToTry): Promise<string> {
  const { provider, variable, key } = wanted;
  const name = wanted.model ?? provider.model;
  if (name === undefined) throw noModel(provider.name);
  const sources = await modelSources(context);
  const keys: Keys = {
    find: (each) => (each === variable ? { key, from: "file" } : undefined),
  };
  const { model } = await chooseModel(`${provider.name}/${name}`, { ...sources, keys });
  wanted.onTrying(model.name);
  const checked = await checkModel(model, context.surroundings.cancelled);
  if (checked.outcome === "ok") return model.name;
  const { code, message: why } = checked.failure;
  // The error's cause is left out, because it may contain the request and therefore the key.
  throw new WorldlineError("key-try-failed", {
    code,
    why,
    problem: problemIn({ ...checked.failure, why }),
  });
}

function noModel(provider: string): WorldlineError {
  return new WorldlineError("model-to-try-unknown", { provider });
}
