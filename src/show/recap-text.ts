import { oneLine } from "../record/visible-text.ts";
import type { Strings } from "../strings/strings.ts";
import { errorOnScreen } from "../strings/wording.ts";
import type { CommandRun, Next, Recap } from "../timeline/recap.ts";
import type { CutTurn } from "../timeline/turn-state.ts";
import { table } from "./table.ts";
import { shortened } from "./text-width.ts";

type Words = Strings["recap"];

const MAX_NAMED = 6;
const LONGEST = 100;

/** Returns a few lines about what is done, what is open, and what comes next. */
export function recapText(recap: Recap, strings: Strings): string {
  const words = strings.recap;
  const asked = recap.prompt === undefined ? [] : [shortly(recap.prompt)];
  const rows = [
    ...labelled(words.fields.asked, asked),
    ...labelled(words.fields.done, doneLines(recap, words)),
    ...labelled(words.fields.open, openLines(recap, strings)),
    ...labelled(words.fields.next, [nextText(recap.next, words)]),
    ...labelled(words.fields.elsewhere, elsewhereLines(recap, words)),
  ];
  return table(rows).join("\n");
}

/**
 * Returns the facts about an interrupted turn: the step where it was interrupted, the cause, and the calls that may
 * have taken effect.
 */
function cutTurnLines(turn: CutTurn, strings: Strings): string[] {
  const words = strings.recap;
  const { error, openCalls, finishedCalls, unstartedCalls } = turn;
  const isFailed = error !== undefined && turn.interruptedBy === "unknown";
  const how = isFailed ? words.failed : words.cut[turn.while];
  const where = typeof how === "string" ? how : how(turn.step);
  const by = words.by[turn.interruptedBy];
  return [
    by === "" ? where : `${where}, ${by}`,
    ...(error === undefined ? [] : [words.because(shortly(failureText(error, strings)))]),
    ...openCalls.map(({ name, about }) => words.openCall(name, shortly(about))),
    ...(unstartedCalls.length === 0 ? [] : [words.unstarted(unstartedCalls.length)]),
    ...(turn.while === "tools" && finishedCalls.length > 0 ? [words.finished(finishedCalls.length)] : []),
  ];
}

function failureText(error: NonNullable<CutTurn["error"]>, strings: Strings): string {
  // The error's code is left out, because an error from an older log is shown with its own message.
  const { message, reason, params } = error;
  return errorOnScreen(strings, { message, reason, params }).message;
}

/** Puts the label before the first line. */
function labelled(label: string, lines: readonly string[]): string[][] {
  return lines.map((line, index) => [index === 0 ? label : "", line]);
}

function doneLines({ done }: Recap, words: Words): string[] {
  const { answer } = done;
  const lines = [
    ...(answer === undefined ? [] : [words.answered(shortly(answer))]),
    ...listed(done.todos, words.todosDone, words),
    ...listed(done.files.toReversed(), words.filesChanged, words),
    ...listed(
      done.commands.toReversed().map((run) => commandText(run, words)),
      words.commandsRun,
      words,
    ),
  ];
  return lines.length === 0 ? [words.nothingDone] : lines;
}

function listed(texts: readonly string[], line: (list: string) => string, words: Words): string[] {
  if (texts.length === 0) return [];
  const more = texts.length - MAX_NAMED;
  const named = texts.slice(0, MAX_NAMED).map(shortly);
  return [line([...named, ...(more > 0 ? [words.more(more)] : [])].join(", "))];
}

function commandText({ command, outcome }: CommandRun, words: Words): string {
  return `${shortly(command)}${words.outcomes[outcome]}`;
}

function openLines({ open: { todos, turn, command }, leftBy }: Recap, strings: Strings): string[] {
  const words = strings.recap;
  const shown = todos.slice(0, MAX_NAMED);
  const more = todos.length - shown.length;
  const lines = [
    ...(command === undefined ? [] : [words.commandCut(shortly(command))]),
    ...(turn.state === "cut" ? cutTurnLines(turn, strings) : []),
    ...(leftBy === undefined ? [] : [words.leftBy(leftBy.name, leftBy.pid, leftBy.host)]),
    ...shown.map(({ text, status }) => words.todo[status === "doing" ? "doing" : "open"](shortly(text))),
    ...(more > 0 ? [words.more(more)] : []),
  ];
  return lines.length === 0 ? [words.nothingOpen] : lines;
}

function elsewhereLines({ elsewhere = [] }: Recap, words: Words): string[] {
  return elsewhere.map(({ machine, checkpoints }) => words.elsewhere(machine, rangesText(checkpoints)));
}

/** Formats numbers as ranges, such as `#1-#4, #7`. */
function rangesText(numbers: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range !== undefined && number === range.last + 1) range.last = number;
    else ranges.push({ first: number, last: number });
  }
  const texts = ranges.map(({ first, last }) => (first === last ? `#${first}` : `#${first}-#${last}`));
  return texts.length > MAX_NAMED ? `${texts.slice(0, MAX_NAMED).join(", ")}, …` : texts.join(", ");
}

function nextText(next: Next, words: Words): string {
  switch (next.do) {
    case "todo":
      return shortly(next.text);
    case "answer":
      return words.answer(shortly(next.prompt));
    case "nothing":
      return words.nothingNext;
    default:
      return next satisfies never;
  }
}

function shortly(text: string): string {
  return shortened(oneLine(text.replace(/\s+/gu, " ").trim()), LONGEST, "...");
}
