import type { Desk } from "../commands/desk.ts";
import { warnOfLookalike } from "./label-flow.ts";
import { sayingErrors } from "./saying-errors.ts";

/** `/checkpoint save [label]`: a checkpoint here and now. */
export async function saveFlow(desk: Desk, words: string): Promise<void> {
  await sayingErrors(desk, async () => {
    const text = words.trim();
    const { travel } = desk.strings.terminal.dialogs;
    const number = await desk.wait(travel.saving, ({ onProgress }) =>
      desk.station.journeys.save(text === "" ? undefined : text, onProgress),
    );
    desk.say({ tone: "good", line: text === "" ? travel.saved(number) : travel.savedAs(number, text) });
    await warnOfLookalike(desk, text);
  });
}
