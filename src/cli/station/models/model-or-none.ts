import { DEFAULT_WINDOW } from "../../../agent/models/catalogue.ts";
import { providersOf } from "../../../agent/models/provider-table.ts";
import type { Model } from "../../../ports/model.ts";
import { isWorldlineError, type WorldlineError } from "../../../record/error.ts";
import { errorOnScreen } from "../../../strings/errors/on-screen.ts";
import { type OpenedModels, openModel } from "../../agent/open-model.ts";
import type { Frame } from "../../command/frame.ts";

export interface ModelOrNone {
  readonly models: OpenedModels;
  /** Where there is none: everything that was looked for. */
  readonly lookedFor?: readonly string[];
}

/**
 * The model that is wanted by name, else what settings and keys allow. Who asked for one by name is told that it cannot be
 * had; else there is one that answers nothing, because all but the conversation works without.
 */
export async function modelOrNone(
  frame: Frame,
  wanted: string | undefined,
  finder: () => Model,
): Promise<ModelOrNone> {
  try {
    return { models: await openModel(frame, { wanted, finder }) };
  } catch (error) {
    if (wanted !== undefined || !isWorldlineError(error)) throw error;
    const { values } = await frame.settings();
    // Without a setting it is only that there is no key yet, which the screen says at length.
    if (values.model !== "" || error.code !== "NO_MODEL") frame.output.warn(saidOf(frame, error));
    return { models: { model: noModel }, lookedFor: await lookedFor(frame) };
  }
}

function saidOf({ strings }: Frame, error: WorldlineError): string {
  const { message, hint } = errorOnScreen(strings, error);
  return hint === undefined ? message : `${message} ${hint}`;
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

async function lookedFor(frame: Frame): Promise<readonly string[]> {
  const { values } = await frame.settings();
  const { environment } = frame.surroundings;
  const words = frame.strings.terminal.station.lookedFor;
  const providers = providersOf({ providers: values.providers }, environment);
  const variables = providers.flatMap(({ keyVariable, bearerVariable }) => [
    keyVariable ?? [],
    bearerVariable ?? [],
  ]);
  return [
    ...new Set(variables.flat().map((variable) => words.variable(variable))),
    values.model === "" ? words.setting : words.settingNamed(values.model),
    words.kept,
  ];
}
