import type { ListedProvider } from "../../agent/models/choose-model.ts";
import type { ChosenModel } from "../../app/agent/models.ts";
import type { Remark } from "../../record/error.ts";
import { oneLine } from "../../record/visible-text.ts";
import { table } from "../../show/table.ts";
import { remarkText } from "../../strings/wording.ts";
import { defineCommand } from "../command.ts";
import { problemText, wordingOf } from "../command-again.ts";
import type { Frame } from "../frame.ts";

/** Maximum number of models that are listed: enough to show what their names look like. */
const MAX_MODELS = 8;

export const models = defineCommand({
  help: (help) => help.models,
  run: async ({ frame }) => {
    const { modelOverview } = await import("../../app/agent/models.ts");
    const { providers: others, finder, chosen } = await modelOverview(frame);
    const { name, kind, usable, ...known } = finder;
    const providers = [...others, { name, kind, usable, why: frame.strings.models.finder, ...known }];
    frame.output.answer({ providers, ...chosenDocument(frame, chosen) }, () =>
      [...providerLines(frame, providers), chosenText(frame, chosen)].join("\n"),
    );
  },
});

function chosenDocument(frame: Frame, chosen: ChosenModel) {
  if (!("problem" in chosen)) return { chosen };
  const { reason, params } = chosen.problem;
  return { chosen: null, why: problemText(frame, chosen.problem), reason, params };
}

function chosenText(frame: Frame, chosen: ChosenModel): string {
  const { models: words } = frame.strings;
  if ("problem" in chosen) return words.noneChosen(problemText(frame, chosen.problem));
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
