import type { PlaceOfRow } from "../../ports/station/journeys.ts";
import type { Desk } from "../commands/desk.ts";
import { textQuestion } from "../dialogs/pieces/text-question.ts";
import { checkpointChoice } from "./checkpoint-choice.ts";
import { sayingErrors } from "./saying-errors.ts";

/** `/label 12 text`, `/label text` for the newest checkpoint, `/label` to choose one and type. */
export async function labelFlow(desk: Desk, words: string): Promise<void> {
  await sayingErrors(desk, async () => {
    const { session } = desk.station.agent;
    const [, number, text = ""] = /^(?:#?(\d+)(?:\s+|$))?(.*)$/su.exec(words.trim()) ?? [];
    if (number !== undefined)
      return label(desk, { session, number: Number(number) }, text === "" ? {} : { text });
    if (text === "") return labelChosen(desk);
    const { checkpoint } = await desk.station.looking.state();
    if (checkpoint === 0) return desk.say({ tone: "quiet", line: desk.strings.checkpoints.none });
    await label(desk, { session, number: checkpoint }, { text });
  });
}

async function labelChosen(desk: Desk): Promise<void> {
  const choose = await checkpointChoice(desk, desk.strings.terminal.dialogs.label.pick);
  if (choose === undefined) return desk.say({ tone: "quiet", line: desk.strings.checkpoints.none });
  const row = await choose(undefined);
  if (row !== undefined) await label(desk, row, { known: row.label });
}

export interface Labelling {
  /** Absent: the person is asked. */
  readonly text?: string;
  /** The label that it has. */
  readonly known?: string | undefined;
}

/** An empty text ends the label that there is. */
export async function label(desk: Desk, place: PlaceOfRow, { text, known }: Labelling): Promise<void> {
  const { session, number } = place;
  const { label: words, keys } = desk.strings.terminal.dialogs;
  const wanted =
    text ??
    (await desk.ask(textQuestion({ title: words.title(number), text: known ?? "", keys: keys.text })));
  if (wanted === undefined || (wanted === "" && known === undefined)) return;
  await desk.station.journeys.label({ session, number }, wanted);
  const { checkpoints } = desk.strings;
  const line =
    wanted === ""
      ? checkpoints.unlabelled(`#${number}`, known ?? "")
      : checkpoints.labelled(`#${number}`, wanted);
  desk.say({ tone: "good", line });
}
