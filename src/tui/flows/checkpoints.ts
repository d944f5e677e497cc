import type { PlaceOfRow } from "../../app/checkpoints/checkpoint-rows.ts";
import type { DiffRequest } from "../../app/queries/query-types.ts";
import { patchOf } from "../../show/patch.ts";
import { textQuestion } from "../dialogs/list.ts";
import { type CommandContext, withErrorsShown } from "./command-context.ts";
import { checkpointChoice } from "./rewind.ts";

/**
 * Runs `/label`. `/label 12 text` labels checkpoint 12, and `/label text` labels the newest checkpoint. With `/label`
 * alone, the user chooses a checkpoint and types the text.
 */
export async function labelFlow(context: CommandContext, words: string): Promise<void> {
  await withErrorsShown(context, async () => {
    const { session } = context.app.agent;
    const [, number, text = ""] = /^(?:#?(\d+)(?:\s+|$))?(.*)$/su.exec(words.trim()) ?? [];
    if (number !== undefined) return labelNumber(context, Number(number), text);
    if (text === "") return labelChosen(context);
    const { checkpoint } = await context.app.queries.state();
    if (checkpoint === 0) return context.say({ tone: "quiet", line: context.strings.checkpoints.none });
    await label(context, { session, number: checkpoint }, { text });
  });
}

/** Labels a checkpoint. If no text is given, the user can edit the checkpoint's current label. */
async function labelNumber(context: CommandContext, number: number, text: string): Promise<void> {
  const { agent, journeys } = context.app;
  const place = { session: agent.session, number };
  if (text !== "") return label(context, place, { text });
  const row = (await journeys.rowsHere()).find((each) => each.number === number);
  await label(context, place, { known: row?.label });
}

async function labelChosen(context: CommandContext): Promise<void> {
  const choose = await checkpointChoice(context, context.strings.terminal.dialogs.label.pick, "left-out");
  if (choose === undefined) return context.say({ tone: "quiet", line: context.strings.checkpoints.none });
  const row = await choose(undefined);
  if (row !== undefined) await label(context, row, { known: row.label });
}

interface LabelOptions {
  /** The new label. Absent if the user must still enter it. */
  readonly text?: string;
  /** The current label of the checkpoint. */
  readonly known?: string | undefined;
}

/** Labels a checkpoint. Empty text removes the label. */
export async function label(
  context: CommandContext,
  place: PlaceOfRow,
  { text, known }: LabelOptions,
): Promise<void> {
  const { session, number } = place;
  const { label: words, keys } = context.strings.terminal.dialogs;
  const wanted =
    text ??
    (await context.ask(textQuestion({ title: words.title(number), text: known ?? "", keys: keys.text })));
  if (wanted === undefined || wanted === (known ?? "")) return;
  await context.app.journeys.label({ session, number }, wanted);
  // If the checkpoint is in this session, the conversation shows the label entry itself.
  if (session === context.app.agent.session) return;
  const { checkpoints } = context.strings;
  const line =
    wanted === ""
      ? checkpoints.unlabelled(`#${number}`, known ?? "")
      : checkpoints.labelled(`#${number}`, wanted);
  context.say({ tone: "good", line });
}

/** Runs `/checkpoint save [label]`, which creates a checkpoint of the present. */
export async function saveFlow(context: CommandContext, words: string): Promise<void> {
  await withErrorsShown(context, async () => {
    const text = words.trim();
    const { travel } = context.strings.terminal.dialogs;
    const number = await context.wait(travel.saving, ({ onProgress }) =>
      context.app.journeys.save(text === "" ? undefined : text, onProgress),
    );
    context.say({ tone: "good", line: text === "" ? travel.saved(number) : travel.savedAs(number, text) });
  });
}

/**
 * Runs `/diff`, which shows what has changed since the point before the last prompt or `!` command. `/diff 12` shows
 * what has changed since a checkpoint, and `/diff 12 15` shows what changed between two checkpoints.
 */
export async function diffFlow(context: CommandContext, words: string): Promise<void> {
  await withErrorsShown(context, async () => {
    const { diff } = context.strings.terminal.dialogs;
    const request = await requestOf(context, words);
    if (request === "unreadable") return context.say({ tone: "error", line: diff.usage });
    if (request === undefined) return context.say({ tone: "quiet", line: context.strings.checkpoints.none });
    const title =
      request.to === undefined ? diff.since(request.from) : diff.between(request.from, request.to);
    const text = await context.wait(diff.looking, async () => {
      const { changes, files } = await context.app.queries.diff(request);
      return shortenedPatch(patchOf(changes, files, context.strings), changes.length);
    });
    if (text.trim() === "") return context.say({ tone: "quiet", line: diff.same(title) });
    await context.show({ title, text, form: "diff" });
  });
}

/** Maximum number of characters to show. No user would scroll through more. The command line prints the whole diff. */
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

async function requestOf(
  context: CommandContext,
  words: string,
): Promise<DiffRequest | "unreadable" | undefined> {
  const numbers = words
    .split(/\s+/u)
    .filter((word) => word !== "")
    .map((word) => word.replace(/^#/u, ""));
  if (numbers.length > 2 || numbers.some((word) => !/^\d+$/u.test(word))) return "unreadable";
  const [from, to] = numbers.map(Number);
  if (from !== undefined) return { from, ...(to === undefined ? {} : { to }) };
  const start = await context.app.queries.turnStart();
  return start === undefined ? undefined : { from: start };
}
