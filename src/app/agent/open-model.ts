import { readKeys } from "../../agent/models/access.ts";
import { type Catalogue, catalogueOf } from "../../agent/models/catalogue.ts";
import { chooseModel, type ModelSources } from "../../agent/models/choose-model.ts";
import { FINDER_MODEL } from "../../finder/worker/offline-worker.ts";
import type { Model } from "../../ports/model.ts";
import { isWorldlineError, problemOf, WorldlineError } from "../../record/error.ts";
import type { SettingPlace } from "../../strings/errors/en/models.ts";
import type { AppContext } from "../context.ts";

/** Where models are looked for: settings, the environment, and the kept keys. */
export async function modelSources(context: AppContext): Promise<ModelSources> {
  const { values } = await context.settings();
  const { environment } = context.surroundings;
  return {
    settings: { model: values.model, models: values.models, providers: values.providers },
    environment,
    keys: readKeys(context.home, environment),
    patience: { silenceMs: values["agent.silenceMs"] },
  };
}

export interface OpenedModels {
  readonly model: Model;
  /** The one that `compaction.model` names; absent where the main one summarises. */
  readonly summariser?: Model;
}

export interface ModelWish {
  /** "provider/name"; absent: what settings and keys allow. */
  readonly wanted?: string | undefined;
  /** Opens the finder as a model; absent where it would be of no use. */
  readonly finder?: () => Model;
}

/** The model that is wanted by name, else what settings and keys allow; and who summarises for it. */
export async function openModel(
  context: AppContext,
  { wanted, finder }: ModelWish = {},
): Promise<OpenedModels> {
  const { values } = await context.settings();
  const sources = await modelSources(context);
  const cheaper = values["compaction.model"];
  const isFinder = (wanted || values.model) === FINDER_MODEL;
  if (isFinder && finder !== undefined) return { model: finder() };
  const asked = isFinder && cheaper !== "" ? cheaper : wanted;
  const wide = wideSources(sources, values["context.window"]);
  const open = async () => providersModel(asked, wide);
  const setting = settingBehind({ asked, wanted, model: values.model });
  const model = setting === undefined ? await open() : await fromSetting(context, setting, open);
  return { model, ...(cheaper === "" ? {} : await summariserOf(context, cheaper, sources)) };
}

/** The model of that name and no other, whatever the settings say of models that summarize. */
export async function openNamedModel(context: AppContext, name: string): Promise<OpenedModels> {
  if (name === FINDER_MODEL)
    throw new WorldlineError("finder-writes-no-summaries", { model: FINDER_MODEL, by: "option" });
  const { values } = await context.settings();
  const sources = wideSources(await modelSources(context), values["context.window"]);
  return { model: await providersModel(name, sources) };
}

/** The person may know better how much it holds. */
function wideSources(sources: ModelSources, window: number): ModelSources {
  return window === 0 ? sources : { ...sources, window };
}

type ModelSetting = "model" | "compaction.model";

/** Which setting has named the model, where no option did. */
function settingBehind(names: {
  readonly asked: string | undefined;
  readonly wanted: string | undefined;
  readonly model: string;
}): ModelSetting | undefined {
  if (names.asked !== names.wanted) return "compaction.model";
  return names.asked === undefined && names.model !== "" ? "model" : undefined;
}

/** Whoever did not type the name must be told where it stands. */
export async function fromSetting<Result>(
  context: AppContext,
  setting: ModelSetting,
  open: () => Promise<Result>,
): Promise<Result> {
  try {
    return await open();
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    const place = await placeOf(context, setting);
    const { code } = error;
    throw new WorldlineError(
      "model-of-setting-unusable",
      { code, setting, place, problem: problemOf(error) },
      { cause: error },
    );
  }
}

/** A cheaper model is a wish; without it the main one summarises, and nothing else is worse. */
async function summariserOf(
  context: AppContext,
  cheaper: string,
  sources: ModelSources,
): Promise<Pick<OpenedModels, "summariser">> {
  try {
    return {
      summariser: await fromSetting(context, "compaction.model", () => providersModel(cheaper, sources)),
    };
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    context.listener.report({ code: "no-summarizer", problem: error });
    return {};
  }
}

async function placeOf(context: AppContext, setting: ModelSetting): Promise<SettingPlace> {
  const { explained } = await context.settings();
  const source = explained.find(({ key }) => key === setting)?.source;
  if (source === undefined) return { is: "default" };
  if ("file" in source) return { is: "file", file: source.file, line: source.line };
  if (source.layer === "environment") return { is: "variable", variable: source.variable };
  return { is: source.layer };
}

async function providersModel(wanted: string | undefined, sources: ModelSources): Promise<Model> {
  if ((wanted || sources.settings.model) === FINDER_MODEL)
    throw new WorldlineError("finder-writes-no-summaries", { model: FINDER_MODEL, by: "setting" });
  return (await chooseModel(wanted, sources)).model;
}

export async function pricesOf(context: AppContext): Promise<Catalogue> {
  const { values } = await context.settings();
  return catalogueOf({ models: values.models });
}
