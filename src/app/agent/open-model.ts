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

/** Collects the sources that determine the model: the settings, the environment and the saved keys. */
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
  /** The model that `compaction.model` names; absent if the main model summarizes. */
  readonly summariser?: Model;
}

export interface ModelRequest {
  /** The model, as "provider/name"; if absent, the settings and keys determine which model is used. */
  readonly wanted?: string | undefined;
  /** Opens the finder as a model; absent for tasks that the finder cannot do, such as summaries. */
  readonly finder?: () => Model;
}

/** Opens the requested model, or the one that the settings and keys allow, and the model that summarizes for it. */
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

/** Opens exactly this model, even if the settings name another one for summaries. */
export async function openNamedModel(context: AppContext, name: string): Promise<OpenedModels> {
  if (name === FINDER_MODEL)
    throw new WorldlineError("finder-writes-no-summaries", { model: FINDER_MODEL, by: "option" });
  const { values } = await context.settings();
  const sources = wideSources(await modelSources(context), values["context.window"]);
  return { model: await providersModel(name, sources) };
}

/** Applies the window size from the settings, because the user may know it better than our table does. */
function wideSources(sources: ModelSources, window: number): ModelSources {
  return window === 0 ? sources : { ...sources, window };
}

type ModelSetting = "model" | "compaction.model";

/** Returns the setting that named the model, or undefined if an option named it or nothing did. */
function settingBehind(names: {
  readonly asked: string | undefined;
  readonly wanted: string | undefined;
  readonly model: string;
}): ModelSetting | undefined {
  if (names.asked !== names.wanted) return "compaction.model";
  return names.asked === undefined && names.model !== "" ? "model" : undefined;
}

/**
 * Opens a model that a setting names. The user did not type its name, so an error must specify which setting contains
 * it.
 */
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

/** Opens the cheaper model for summaries. This model is optional: without it, the main model writes the summaries. */
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

export interface RequestedModel {
  readonly models: OpenedModels;
  /** The places that were searched for a model; present if none was found. */
  readonly lookedFor?: ModelsLookedFor;
}

/** The places that were searched for a model. */
export interface ModelsLookedFor {
  /** Names of the environment variables that were checked. */
  readonly variables: readonly string[];
  /** The value of the setting "model"; "" if it is not set. */
  readonly setting: string;
}

/**
 * Opens the requested model, or the one that the settings and keys allow. Throws if the requested model cannot be
 * opened. If no model was requested and none is available, returns a placeholder if `withoutModel` is "open".
 * Otherwise, throws.
 */
export async function openRequestedModel(
  context: AppContext,
  { model: wanted, withoutModel }: Pick<AgentRequest, "model" | "withoutModel">,
  finder: () => Model,
): Promise<RequestedModel> {
  try {
    return { models: await openModel(context, { wanted, finder }) };
  } catch (error) {
    if (wanted !== undefined || withoutModel !== "open" || !isWorldlineError(error)) throw error;
    const { values } = await context.settings();
    // If only a key is missing, the screen already explains that in detail, so no notice is needed.
    if (values.model !== "" || error.code !== "NO_MODEL") {
      context.listener.report({ code: "model-unusable", problem: error });
    }
    return { models: { model: noModel }, lookedFor: await lookedFor(context) };
  }
}

/** A placeholder for a missing model. The user is told once what is missing, not after every prompt. */
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

type Opened = Pick<AgentSession, "session" | "deps" | "workspaceFiles">;

/**
 * The finder, opened as a model. The model is opened first, because opening the session requires the size of the
 * model's window. `workOn` then passes the session to the model.
 */
export interface FinderModel {
  readonly model: Model;
  workOn(opened: Opened): void;
}

export function finderModel(context: AppContext): FinderModel {
  let opened: Opened | undefined;
  const model = offlineWorker({
    candidates: async () => {
      if (opened === undefined) throw new Error("No session is open yet.");
      const { workspaceFiles } = opened;
      if (workspaceFiles.state !== "on")
        throw new WorldlineError("finder-without-files", { problem: problemOf(workspaceFiles.error) });
      const { files } = workspaceFiles;
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

/**
 * Returns all sessions in the workspace: the open session as this process holds it, and the other sessions as they
 * currently are on disk.
 */
async function viewsOf(context: AppContext, { session, deps }: Opened): Promise<readonly SessionView[]> {
  const views = await sessionsHere(context, deps.store);
  return [session, ...views.filter(({ id }) => id !== session.id)];
}
