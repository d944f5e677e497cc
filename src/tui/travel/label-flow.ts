import type { PlaceOfRow } from "../../app/journeys/journey-types.ts";
import { visibleName } from "../../record/visible-text.ts";
import type { Desk } from "../commands/desk.ts";
import { textQuestion } from "../dialogs/pieces/text-question.ts";
import { checkpointChoice } from "./checkpoint-choice.ts";
import { sayingErrors } from "./saying-errors.ts";

/** `/label 12 text`, `/label text` for the newest checkpoint, `/label` to choose one and type. */
export async function labelFlow(desk: Desk, words: string): Promise<void> {
  await sayingErrors(desk, async () => {
    const { session } = desk.station.agent;
    const [, number, text = ""] = /^(?:#?(\d+)(?:\s+|$))?(.*)$/su.exec(words.trim()) ?? [];
    if (number !== undefined) return labelNumber(desk, Number(number), text);
    if (text === "") return labelChosen(desk);
    const { checkpoint } = await desk.station.queries.state();
    if (checkpoint === 0) return desk.say({ tone: "quiet", line: desk.strings.checkpoints.none });
    await label(desk, { session, number: checkpoint }, { text });
  });
}

/** Who only names the checkpoint finds the label that it has, to change it. */
async function labelNumber(desk: Desk, number: number, text: string): Promise<void> {
  const { agent, journeys } = desk.station;
  const place = { session: agent.session, number };
  if (text !== "") return label(desk, place, { text });
  const row = (await journeys.rowsHere()).find((each) => each.number === number);
  await label(desk, place, { known: row?.label });
}

async function labelChosen(desk: Desk): Promise<void> {
  const choose = await checkpointChoice(desk, desk.strings.terminal.dialogs.label.pick, "left-out");
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
  if (wanted === undefined || wanted === (known ?? "")) return;
  await desk.station.journeys.label({ session, number }, wanted);
  await warnOfLookalike(desk, wanted, { session, number });
  // The conversation of this session says so itself.
  if (session === desk.station.agent.session) return;
  const { checkpoints } = desk.strings;
  const line =
    wanted === ""
      ? checkpoints.unlabelled(`#${number}`, known ?? "")
      : checkpoints.labelled(`#${number}`, wanted);
  desk.say({ tone: "good", line });
}

/** Says so where a new label is easily taken for another one. */
export async function warnOfLookalike(desk: Desk, label: string, place?: PlaceOfRow): Promise<void> {
  if (label.trim() === "") return;
  const other = await desk.station.journeys.lookalike(label, place);
  if (other === undefined) return;
  const line = desk.strings.checkpoints.lookalike(label.trim(), visibleName(other));
  desk.say({ tone: "warning", line });
}
