import { DEFAULT_WINDOW, providersOf } from "../../../agent/models/catalogue.ts";
import type { Model } from "../../../ports/model.ts";
import { isWorldlineError } from "../../../record/error.ts";
import type { AppContext } from "../../context.ts";
import { type OpenedModels, openModel } from "../open-model.ts";

export interface ModelOrNone {
  readonly models: OpenedModels;
  /** Where there is none: everything that was looked for. */
  readonly lookedFor?: ModelsLookedFor;
}

/** Where a model was looked for. */
export interface ModelsLookedFor {
  /** Of the environment. */
  readonly variables: readonly string[];
  /** What the setting "model" says; "" where it says nothing. */
  readonly setting: string;
}

/**
 * The model that is wanted by name, else what settings and keys allow. Who asked for one by name is told that it cannot be
 * had; else there is one that answers nothing, because all but the conversation works without.
 */
export async function modelOrNone(
  context: AppContext,
  wanted: string | undefined,
  finder: () => Model,
): Promise<ModelOrNone> {
  try {
    return { models: await openModel(context, { wanted, finder }) };
  } catch (error) {
    if (wanted !== undefined || !isWorldlineError(error)) throw error;
    const { values } = await context.settings();
    // Without a setting it is only that there is no key yet, which the screen says at length.
    if (values.model !== "" || error.code !== "NO_MODEL") {
      context.listener.report({ code: "model-unusable", problem: error });
    }
    return { models: { model: noModel }, lookedFor: await lookedFor(context) };
  }
}

/** Stands where a model would: what was missing is told once, and not at every prompt. */
const noModel: Model = {
  name: "none",
  window: DEFAULT_WINDOW,
  async *stream() {
    yield {
      type: "failed",
      failure: {
        code: "MODEL_KEY",
        message: "There is no model that could answer.",
        hint: "Connect one with /setup, or choose one with /model. Everything else works without.",
        retry: "never",
      },
    };
  },
};

async function lookedFor(context: AppContext): Promise<ModelsLookedFor> {
  const { values } = await context.settings();
  const { environment } = context.surroundings;
  const providers = providersOf({ providers: values.providers }, environment);
  const variables = providers.flatMap(({ keyVariable, bearerVariable }) => [
    keyVariable ?? [],
    bearerVariable ?? [],
  ]);
  return { variables: [...new Set(variables.flat())], setting: values.model };
}
