import type { Desk } from "../../commands/desk.ts";
import { modelPicker } from "../../dialogs/choices/model-picker.ts";
import { sayingErrors } from "../saying-errors.ts";
import { connectFlow } from "./connect-flow.ts";

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
