import { readKeys } from "../../agent/models/access.ts";
import { type Catalogue, catalogueOf, DEFAULT_WINDOW, providersOf } from "../../agent/models/catalogue.ts";
import { chooseModel, type ModelSources } from "../../agent/models/choose-model.ts";
import { systemClock } from "../../disk/system-clock.ts";
import { candidatesOf } from "../../finder/worker/candidates.ts";
import { FINDER_MODEL, offlineWorker } from "../../finder/worker/offline-worker.ts";
import type { SessionView } from "../../machine/view.ts";
import type { Model } from "../../ports/model.ts";
import { inEnglish, isWorldlineError, problemOf, WorldlineError } from "../../record/error.ts";
import type { SettingPlace } from "../../strings/en/errors/models.ts";
import type { AppContext } from "../context.ts";
import type { AgentSession } from "../sessions/agent-session.ts";
import { sessionsHere } from "../sessions/find-session.ts";
import type { AgentRequest } from "./agent-request.ts";

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

export interface ModelRequest {
  /** "provider/name"; absent: what settings and keys allow. */
  readonly wanted?: string | undefined;
  /** Opens the finder as a model; absent where it would be of no use. */
  readonly finder?: () => Model;
}

/** The model that is wanted by name, else what settings and keys allow; and who summarises for it. */
export async function openModel(
  context: AppContext,
  { wanted, finder }: ModelRequest = {},
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

/** A cheaper model is optional: without it the main model summarizes. */
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
 * had; else there is one that answers nothing, because all but the conversation works without, unless the request refuses that.
 */
export async function modelOrNone(
  context: AppContext,
  { model: wanted, withoutModel }: Pick<AgentRequest, "model" | "withoutModel">,
  finder: () => Model,
): Promise<ModelOrNone> {
  try {
    return { models: await openModel(context, { wanted, finder }) };
  } catch (error) {
    if (wanted !== undefined || withoutModel === "refuse" || !isWorldlineError(error)) throw error;
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
      failure: { ...inEnglish("model-not-connected", {}), code: "MODEL_KEY", retry: "never" },
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

type Opened = Pick<AgentSession, "session" | "deps" | "here">;

/** The finder as a model, and who tells it of the session: the model is opened first, because the session asks for its window. */
export interface FinderModel {
  readonly model: Model;
  workOn(opened: Opened): void;
}

export function finderModel(context: AppContext): FinderModel {
  let opened: Opened | undefined;
  const model = offlineWorker({
    candidates: async () => {
      if (opened === undefined) throw new Error("No session is open yet.");
      const { here } = opened;
      if (here.state !== "on")
        throw new WorldlineError("finder-without-files", { problem: problemOf(here.error) });
      const { files } = here;
      return candidatesOf({ files, views: await viewsOf(context, opened), now: systemClock.now() });
    },
  });
  return {
    model,
    workOn: (session) => {
      opened = session;
    },
  };
}

/** All sessions of the workspace as they are on disk now, and the one that is held as it is. */
async function viewsOf(context: AppContext, { session, deps }: Opened): Promise<readonly SessionView[]> {
  const views = await sessionsHere(context, deps.store);
  return [session, ...views.filter(({ id }) => id !== session.id)];
}
