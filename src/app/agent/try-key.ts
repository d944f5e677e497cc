import type { Keys } from "../../agent/models/access.ts";
import type { Provider } from "../../agent/models/catalogue.ts";
import { checkModel, chooseModel } from "../../agent/models/choose-model.ts";
import { WorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";
import { modelSources } from "./open-model.ts";

export interface KeyToTry {
  readonly provider: Provider;
  readonly variable: string;
  readonly key: string;
  readonly model: string | undefined;
  /** Called before the call is made. */
  readonly onTrying: (model: string) => void;
}

/** One small call with the key. Returns the model that answered; throws what the provider says against it. */
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
  const { code, message: why, reason, params } = checked.failure;
  // Not the cause: it may hold the request, and the key with it.
  throw new WorldlineError("key-try-failed", {
    code,
    why,
    problem: reason === undefined ? why : { reason, params },
  });
}

function noModel(provider: string): WorldlineError {
  return new WorldlineError("model-to-try-unknown", { provider });
}
