import type { PlaceOfRow } from "../../app/checkpoints/checkpoint-rows.ts";
import type { DiffRequest } from "../../app/queries/query-types.ts";
import { visibleName } from "../../record/visible-text.ts";
import { patchOf } from "../../show/files/patch.ts";
import { textQuestion } from "../dialogs/list.ts";
import { type Desk, sayingErrors } from "./command-context.ts";
import { checkpointChoice } from "./rewind.ts";

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

interface Labelling {
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
async function warnOfLookalike(desk: Desk, label: string, place?: PlaceOfRow): Promise<void> {
  if (label.trim() === "") return;
  const other = await desk.station.journeys.lookalike(label, place);
  if (other === undefined) return;
  const line = desk.strings.checkpoints.lookalike(label.trim(), visibleName(other));
  desk.say({ tone: "warning", line });
}

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

/** `/diff`, `/diff 12`, `/diff 12 15`: since before the last prompt or `!` command, since a checkpoint, between two. */
export async function diffFlow(desk: Desk, words: string): Promise<void> {
  await sayingErrors(desk, async () => {
    const { diff } = desk.strings.terminal.dialogs;
    const request = await requestOf(desk, words);
    if (request === "unreadable") return desk.say({ tone: "error", line: diff.usage });
    if (request === undefined) return desk.say({ tone: "quiet", line: desk.strings.checkpoints.none });
    const title =
      request.to === undefined ? diff.since(request.from) : diff.between(request.from, request.to);
    const text = await desk.wait(diff.looking, async () => {
      const { changes, files } = await desk.station.queries.diff(request);
      return shortenedPatch(patchOf(changes, files, desk.strings), changes.length);
    });
    if (text.trim() === "") return desk.say({ tone: "quiet", line: diff.same(title) });
    await desk.show({ title, text, form: "diff" });
  });
}

/** More than anybody scrolls through; the command line has all of it. */
const MAX_CHARACTERS = 2_000_000;

async function shortenedPatch(patch: AsyncIterable<string>, paths: number): Promise<string> {
  const pieces: string[] = [];
  let length = 0;
  for await (const piece of patch) {
    pieces.push(piece);
    length += piece.length;
    if (length < MAX_CHARACTERS) continue;
    if (paths > pieces.length) pieces.push(`... +${paths - pieces.length}\n`);
    break;
  }
  return pieces.join("");
}

async function requestOf(desk: Desk, words: string): Promise<DiffRequest | "unreadable" | undefined> {
  const numbers = words
    .split(/\s+/u)
    .filter((word) => word !== "")
    .map((word) => word.replace(/^#/u, ""));
  if (numbers.length > 2 || numbers.some((word) => !/^\d+$/u.test(word))) return "unreadable";
  const [from, to] = numbers.map(Number);
  if (from !== undefined) return { from, ...(to === undefined ? {} : { to }) };
  const rows = await desk.station.journeys.rowsHere();
  const here = rows.filter(({ branch }) => branch === "here");
  const last = here.find(({ on }) => on === "prompt" || on === "command") ?? here[0];
  return last === undefined ? undefined : { from: last.number };
}
