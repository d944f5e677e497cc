import type { ModelRow, OllamaFound, ProviderRow } from "../../app/agent/models.ts";
import type { Strings } from "../../strings/strings.ts";
import { type Choice, choiceList } from "../dialogs/choice-list.ts";
import { type Dialog, type MenuState, menu } from "../dialogs/dialog.ts";
import { type ListState, textQuestion } from "../dialogs/list.ts";
import { between, cut, shortCount } from "../look/text.ts";
import { type Desk, sayingErrors } from "./command-context.ts";

/** `/model [name]`: which model answers. One that wants a key leads to where a key can be given. */
export async function modelFlow(desk: Desk, words: string): Promise<void> {
  await sayingErrors(desk, async () => {
    const { models } = desk.station;
    const typed = words.trim();
    if (typed !== "") return choose(desk, typed, "no");
    const chosen = await desk.ask(modelPicker(desk.strings, await models.list()));
    if (chosen === undefined) return;
    if (chosen.item.state === "no-key") return connectFlow(desk);
    await choose(desk, chosen.item.name, chosen.by === "s" ? "yes" : "no");
  });
}

async function choose(desk: Desk, name: string, remember: "yes" | "no"): Promise<void> {
  const { models } = desk.strings.terminal.dialogs;
  await desk.station.models.choose(name, remember);
  desk.say({ tone: "good", line: remember === "yes" ? models.remembered(name) : models.chosen(name) });
}

const OLLAMA = "ollama/";

/** Has a model answer from now on: an Ollama that was found, if the person wants it, or a provider with a key. */
export async function connectFlow(desk: Desk): Promise<void> {
  await sayingErrors(desk, async () => {
    const { models } = desk.station;
    const { connect } = desk.strings.terminal.dialogs;
    const ollama = await desk.wait(connect.lookingForOllama, () => models.findOllama());
    const answer = ollama === undefined ? "other" : await desk.ask(ollamaQuestion(desk.strings, ollama));
    if (answer === "use" && ollama !== undefined) return useOllama(desk, ollama.models);
    if (answer === "other") await useProvider(desk);
  });
}

async function useProvider(desk: Desk): Promise<void> {
  const providers = await desk.station.models.providers();
  let provider: ProviderRow | undefined;
  do {
    provider = await desk.ask(providerMenu(desk.strings, providers));
  } while (provider !== undefined && (await giveKey(desk, provider)) === "back");
}

async function useOllama(desk: Desk, names: readonly string[]): Promise<void> {
  const { connect, keys } = desk.strings.terminal.dialogs;
  const [only] = names;
  const name =
    names.length === 1
      ? only
      : await desk.ask(
          menu({
            title: connect.whichOllama,
            rows: names.map((text) => ({ text, answer: text })),
            keys: keys.menu,
          }),
        );
  if (name === undefined) return;
  const whole = name.startsWith(OLLAMA) ? name : `${OLLAMA}${name}`;
  await desk.wait(connect.connecting(whole), () => desk.station.models.connectLocal(whole));
  desk.say({ tone: "good", line: connect.connectedLocal(whole) });
}

async function giveKey(desk: Desk, { provider, keyVariable }: ProviderRow): Promise<"connected" | "back"> {
  const { connect, keys } = desk.strings.terminal.dialogs;
  const key = await desk.ask(
    textQuestion({
      title: connect.keyTitle(provider),
      about: [connect.keyAbout(keyVariable)],
      shown: "bullets",
      keys: keys.text,
    }),
  );
  if (key === undefined || key === "") return "back";
  await desk.wait(connect.connecting(provider), () => desk.station.models.connect(provider, key));
  desk.say({ tone: "good", line: connect.connected(provider) });
  return "connected";
}

/** Which model answers from the next prompt on. `s` has later sessions begin with it too. */
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

const MOST_NAMED = 4;

function ollamaQuestion(strings: Strings, { models }: OllamaFound): Dialog<MenuState, "use" | "other"> {
  const { connect, keys } = strings.terminal.dialogs;
  const named = models.slice(0, MOST_NAMED).join(", ");
  return menu({
    title: connect.ollamaFound,
    about: [connect.ollamaModels(named, models.length - MOST_NAMED)],
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
