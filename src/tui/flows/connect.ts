import type { ProviderRow } from "../../app/agent/keys.ts";
import type { ModelRow, OllamaFound } from "../../app/agent/models.ts";
import type { Strings } from "../../strings/strings.ts";
import { type Choice, choiceList } from "../dialogs/choice-list.ts";
import { type Dialog, type MenuState, menu } from "../dialogs/dialog.ts";
import { type ListState, textQuestion } from "../dialogs/list.ts";
import { between, cut, shortCount } from "../look/text.ts";
import { type CommandContext, withErrorsShown } from "./command-context.ts";

/** Runs `/model [name]`, which chooses the model that answers. If its provider needs a key, the user can enter one. */
export async function modelFlow(context: CommandContext, words: string): Promise<void> {
  await withErrorsShown(context, async () => {
    const { models } = context.app;
    const typed = words.trim();
    if (typed !== "") return choose(context, typed, "no");
    const chosen = await context.ask(modelPicker(context.strings, await models.list()));
    if (chosen === undefined) return;
    if (chosen.item.state === "no-key") return connectFlow(context);
    await choose(context, chosen.item.name, chosen.by === "s" ? "yes" : "no");
  });
}

async function choose(context: CommandContext, name: string, remember: "yes" | "no"): Promise<void> {
  const { models } = context.strings.terminal.dialogs;
  await context.app.models.choose(name, remember);
  context.say({ tone: "good", line: remember === "yes" ? models.remembered(name) : models.chosen(name) });
}

const OLLAMA = "ollama/";

/** Connects a model. Offers an Ollama server if one was found, or asks for a provider and its key. */
export async function connectFlow(context: CommandContext): Promise<void> {
  await withErrorsShown(context, async () => {
    const { models } = context.app;
    const { connect } = context.strings.terminal.dialogs;
    const ollama = await context.wait(connect.lookingForOllama, () => models.findOllama());
    const answer =
      ollama === undefined ? "other" : await context.ask(ollamaQuestion(context.strings, ollama));
    if (answer === "use" && ollama !== undefined) return useOllama(context, ollama.models);
    if (answer === "other") await useProvider(context);
  });
}

async function useProvider(context: CommandContext): Promise<void> {
  const providers = await context.app.models.providers();
  let provider: ProviderRow | undefined;
  do {
    provider = await context.ask(providerMenu(context.strings, providers));
  } while (provider !== undefined && (await giveKey(context, provider)) === "back");
}

async function useOllama(context: CommandContext, names: readonly string[]): Promise<void> {
  const { connect, keys } = context.strings.terminal.dialogs;
  const [only] = names;
  const name =
    names.length === 1
      ? only
      : await context.ask(
          menu({
            title: connect.whichOllama,
            rows: names.map((text) => ({ text, answer: text })),
            keys: keys.menu,
          }),
        );
  if (name === undefined) return;
  const whole = name.startsWith(OLLAMA) ? name : `${OLLAMA}${name}`;
  await context.wait(connect.connecting(whole), () => context.app.models.connectLocal(whole));
  context.say({ tone: "good", line: connect.connectedLocal(whole) });
}

async function giveKey(
  context: CommandContext,
  { provider, keyVariable }: ProviderRow,
): Promise<"connected" | "back"> {
  const { connect, keys } = context.strings.terminal.dialogs;
  const key = await context.ask(
    textQuestion({
      title: connect.keyTitle(provider),
      about: [connect.keyAbout(keyVariable)],
      shown: "bullets",
      keys: keys.text,
    }),
  );
  if (key === undefined || key === "") return "back";
  await context.wait(connect.connecting(provider), () => context.app.models.connect(provider, key));
  context.say({ tone: "good", line: connect.connected(provider) });
  return "connected";
}

/**
 * Creates a list where the user chooses the model that answers from the next prompt on. `s` also makes it the default
 * for later sessions.
 */
export function modelPicker(
  strings: Strings,
  rows: readonly ModelRow[],
): Dialog<ListState, Choice<ModelRow>> {
  const { models, keys } = strings.terminal.dialogs;
  return choiceList({
    title: models.title,
    items: rows,
    chosen: Math.max(
      0,
      rows.findIndex(({ isCurrent }) => isCurrent),
    ),
    words: ({ name }) => name,
    row: ({ name, window, state, isCurrent }, { width, look }) => {
      const mark = isCurrent ? ` ${models.current}` : "";
      const size = window === undefined ? "" : models.window(shortCount(window));
      return between(cut(`${name}${mark}`, width, look), state === "no-key" ? models.noKey : size, width);
    },
    empty: models.none,
    keys: keys.models,
    letters: ["s"],
  });
}

const MAX_NAMED = 4;

function ollamaQuestion(strings: Strings, { models }: OllamaFound): Dialog<MenuState, "use" | "other"> {
  const { connect, keys } = strings.terminal.dialogs;
  const named = models.slice(0, MAX_NAMED).join(", ");
  return menu({
    title: connect.ollamaFound,
    about: [connect.ollamaModels(named, models.length - MAX_NAMED)],
    rows: [
      { text: connect.useOllama, answer: "use" },
      { text: connect.useOther, answer: "other" },
    ],
    keys: keys.menu,
  });
}

function providerMenu(strings: Strings, providers: readonly ProviderRow[]): Dialog<MenuState, ProviderRow> {
  const { connect, keys } = strings.terminal.dialogs;
  return menu({
    title: connect.title,
    rows: providers.map((row) => ({
      text: row.provider,
      description: row.state === "key" ? connect.hasKey(row.keyVariable) : connect.wantsKey(row.keyVariable),
      answer: row,
    })),
    keys: keys.menu,
  });
}
