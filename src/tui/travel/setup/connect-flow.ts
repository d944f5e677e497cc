import type { ProviderRow } from "../../../app/agent/models/model-types.ts";
import type { Desk } from "../../commands/desk.ts";
import { ollamaQuestion, providerMenu } from "../../dialogs/choices/small-menus.ts";
import { menu } from "../../dialogs/pieces/menu.ts";
import { textQuestion } from "../../dialogs/pieces/text-question.ts";
import { sayingErrors } from "../saying-errors.ts";

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
