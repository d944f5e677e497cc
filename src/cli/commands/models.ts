import type { ListedProvider, ModelSources } from "../../agent/models/choose-model.ts";
import { isWorldlineError } from "../../record/error.ts";
import { oneLine } from "../../record/visible-text.ts";
import { table } from "../../show/table.ts";
import { defineCommand } from "../command.ts";
import type { Frame } from "../frame.ts";

/** Enough names to show what they look like. */
const MAX_MODELS = 8;

export const models = defineCommand({
  help: (help) => help.models,
  run: async ({ frame }) => {
    const { modelSources } = await import("../../app/agent/open-model.ts");
    const { listModels } = await import("../../agent/models/choose-model.ts");
    const sources = await modelSources(frame);
    await warnOfKeys(frame);
    const providers = [...(await listModels(sources)), await finderHere(frame)];
    const chosen = await chosenModel(frame, sources);
    frame.output.answer({ providers, ...chosenDocument(chosen) }, () =>
      [...providerLines(frame, providers), chosenText(frame, chosen)].join("\n"),
    );
  },
});

/** If the file of keys is unusable, this is a warning, and the list is still shown. */
async function warnOfKeys({ home, output }: Frame): Promise<void> {
  const { checkKeys } = await import("../../agent/models/access.ts");
  try {
    checkKeys(home);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    output.warn([error.message, error.hint ?? ""].join(" ").trim());
  }
}

/** The row of the finder, which does not belong to a provider. */
interface ListedFinder extends Pick<ListedProvider, "name" | "usable" | "why" | "model" | "models"> {
  readonly kind: "finder";
}

async function finderHere({ strings }: Frame): Promise<ListedFinder> {
  const { FINDER_MODEL: model } = await import("../../finder/worker/offline-worker.ts");
  const why = strings.models.finder;
  return { name: "worldline", kind: "finder", usable: "yes", why, model, models: [model] };
}

type Chosen =
  | { readonly model: string; readonly window: number; readonly windowIs: "known" | "assumed" }
  | { readonly why: string };

/** The model that answers a prompt without --model. */
async function chosenModel(frame: Frame, sources: ModelSources): Promise<Chosen> {
  const { chooseModel } = await import("../../agent/models/choose-model.ts");
  const { fromSetting } = await import("../../app/agent/open-model.ts");
  const { FINDER_MODEL, FINDER_WINDOW } = await import("../../finder/worker/offline-worker.ts");
  if (sources.settings.model === FINDER_MODEL) {
    return { model: FINDER_MODEL, window: FINDER_WINDOW, windowIs: "known" };
  }
  const own = (await frame.settings()).values["context.window"];
  try {
    const choose = () => chooseModel(undefined, sources);
    const { row } = sources.settings.model ? await fromSetting(frame, "model", choose) : await choose();
    const { model, window, windowIs } = row;
    return own === 0 ? { model, window, windowIs } : { model, window: own, windowIs: "known" };
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return { why: error.hint === undefined ? error.message : `${error.message} ${error.hint}` };
  }
}

function chosenDocument(chosen: Chosen) {
  return "why" in chosen ? { chosen: null, why: chosen.why } : { chosen };
}

function chosenText({ strings: { models: words } }: Frame, chosen: Chosen): string {
  if ("why" in chosen) return words.noneChosen(chosen.why);
  const text = words.chosen(chosen.model, chosen.window);
  return chosen.windowIs === "known" ? text : `${text} ${words.assumed}`;
}

function providerLines(
  { strings: { models: words } }: Frame,
  providers: readonly Pick<ListedProvider, "name" | "usable" | "why" | "models">[],
): string[] {
  const rows = table(providers.map(({ name, usable, why }) => [words.usable[usable], name, oneLine(why)]));
  return rows.flatMap((row, index) => [row, ...modelLines(providers[index]?.models ?? [], words)]);
}

function modelLines(names: readonly string[], words: Frame["strings"]["models"]): string[] {
  const shown = names.slice(0, MAX_MODELS).map((name) => `       ${oneLine(name)}`);
  const more = names.length - shown.length;
  return more === 0 ? shown : [...shown, `       ${words.more(more)}`];
}
