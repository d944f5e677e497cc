import type { ListedProvider, ModelSources } from "../../agent/models/choose-model.ts";
import { isWorldlineError, type Remark, type WorldlineError } from "../../record/error.ts";
import { oneLine } from "../../record/visible-text.ts";
import { table } from "../../show/table.ts";
import { remarkText } from "../../strings/wording.ts";
import { defineCommand } from "../command.ts";
import { problemText, wordingOf } from "../command-again.ts";
import type { Frame } from "../frame.ts";

/** Enough to see which names there are. */
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
    frame.output.answer({ providers, ...chosenDocument(frame, chosen) }, () =>
      [...providerLines(frame, providers), chosenText(frame, chosen)].join("\n"),
    );
  },
});

/** An unusable file of keys does not prevent the list. */
async function warnOfKeys(frame: Frame): Promise<void> {
  const { home, output } = frame;
  const { checkKeys } = await import("../../agent/models/access.ts");
  try {
    checkKeys(home);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    output.warn(problemText(frame, error));
  }
}

/** What is listed of the finder, which no provider has. */
interface ListedFinder extends Pick<ListedProvider, "name" | "usable" | "model" | "models" | keyof Remark> {
  readonly kind: "finder";
}

async function finderHere({ strings }: Frame): Promise<ListedFinder> {
  const { FINDER_MODEL: model } = await import("../../finder/worker/offline-worker.ts");
  const why = strings.models.finder;
  return { name: "worldline", kind: "finder", usable: "yes", why, model, models: [model] };
}

type Chosen =
  | { readonly model: string; readonly window: number; readonly windowIs: "known" | "assumed" }
  | WorldlineError;

/** What a prompt without --model would go to. */
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
    return error;
  }
}

function chosenDocument(frame: Frame, chosen: Chosen) {
  if (!isWorldlineError(chosen)) return { chosen };
  const { reason, params } = chosen;
  return { chosen: null, why: problemText(frame, chosen), reason, params };
}

function chosenText(frame: Frame, chosen: Chosen): string {
  const { models: words } = frame.strings;
  if (isWorldlineError(chosen)) return words.noneChosen(problemText(frame, chosen));
  const text = words.chosen(chosen.model, chosen.window);
  return chosen.windowIs === "known" ? text : `${text} ${words.assumed}`;
}

function providerLines(
  frame: Frame,
  providers: readonly Pick<ListedProvider, "name" | "usable" | "models" | keyof Remark>[],
): string[] {
  const { models: words } = frame.strings;
  const whyText = (why: Remark) => oneLine(remarkText(frame.strings, why, wordingOf(frame)));
  const rows = table(providers.map(({ name, usable, ...why }) => [words.usable[usable], name, whyText(why)]));
  return rows.flatMap((row, index) => [row, ...modelLines(providers[index]?.models ?? [], words)]);
}

function modelLines(names: readonly string[], words: Frame["strings"]["models"]): string[] {
  const shown = names.slice(0, MAX_MODELS).map((name) => `       ${oneLine(name)}`);
  const more = names.length - shown.length;
  return more === 0 ? shown : [...shown, `       ${words.more(more)}`];
}
