import type { PlanAnswer, Question } from "../../ports/person.ts";
import { callReasonInEnglish } from "../../record/call-reason.ts";
import { condensedBlanks } from "../../record/visible-text.ts";
import type { Strings } from "../../strings/strings.ts";
import type { Look, Space } from "../look/look.ts";
import { between, cut, wrapped } from "../look/text.ts";
import { digitOf, type KeyPress, nameOf } from "../terminal/keys.ts";
import {
  type AskContext,
  type Dialog,
  framed,
  keyLines,
  type MenuRow,
  menuRows,
  type Pressed,
  pressMenu,
  type Room,
} from "./dialog.ts";
import { fieldLine, type TextField, textField, textIn, typeInto } from "./list.ts";
import type { DrawText } from "./pager.ts";

interface QuestionState extends ReasonedState {
  /** The selected options, if more than one can be selected. */
  readonly ticked: ReadonlySet<number>;
}

/**
 * The answer to a question that the user dismissed. The model reads this answer, so the answer is the same in all
 * languages.
 */
const CLOSED = "The user closed the question without answering it.";

/**
 * Asks the questions one after another. Esc returns to the previous question. On the first question, Esc closes the
 * dialog.
 */
export async function askQuestions(
  { ask, strings }: AskContext,
  questions: readonly Question[],
): Promise<readonly string[]> {
  const answers: string[] = [];
  while (answers.length < questions.length) {
    const question = questions[answers.length];
    if (question === undefined) break;
    const answer = await ask(
      questionDialog(strings, question, { index: answers.length, of: questions.length }),
    );
    if (answer !== undefined) answers.push(answer);
    else if (answers.pop() === undefined) return questions.map(() => CLOSED);
  }
  return answers;
}

export function questionDialog(
  strings: Strings,
  question: Question,
  { index, of }: { index: number; of: number },
): Dialog<QuestionState, string> {
  const words = strings.terminal.dialogs.questions;
  const { keys } = strings.terminal.dialogs;
  const shown = (text: string): string => condensedBlanks(text, strings.terminal.dialogs.blanks);
  const rowsOf = ({ ticked }: QuestionState): ReasonedRow<number>[] => [
    ...question.options.map(({ label, description }, option) => ({
      text: `${question.several === "any" ? (ticked.has(option) ? "[x] " : "[ ] ") : ""}${shown(label)}`,
      description: shown(description),
      answer: option,
    })),
    { text: words.own, answer: "words" },
  ];
  return {
    start: { chosen: 0, ticked: new Set() },
    extent: "part",
    press: (state, key) => pressQuestion(state, key, { question, rows: rowsOf(state) }),
    draw: (state, space, look) =>
      framed(
        {
          // The header that the model chose is surrounded by our own words, because the dialog must not look like a
          // permission question.
          title: `${words.title(shown(question.header))}${of > 1 ? ` (${index + 1}/${of})` : ""}`,
          head: wrapped(shown(question.question), space.width, Math.max(1, Math.floor(space.rows / 3))),
          body: (height) => drawReasoned(state, rowsOf(state), { width: space.width, height, look }),
          keys:
            state.reason !== undefined
              ? words.ownKeys
              : question.several === "any"
                ? keys.several
                : keys.menu,
        },
        space,
        look,
      ),
  };
}

interface Of {
  readonly question: Question;
  readonly rows: readonly ReasonedRow<number>[];
}

function pressQuestion(
  state: QuestionState,
  key: KeyPress,
  { question, rows }: Of,
): Pressed<QuestionState, string> {
  const isSeveral = question.several === "any";
  if (isSeveral && state.reason === undefined) {
    const option = tickedBy(state, key);
    if (option !== undefined && option < question.options.length) {
      return { state: { ...state, chosen: option, ticked: toggled(state.ticked, option) } };
    }
  }
  const pressed = pressReasoned(state, key, rows);
  switch (pressed.to) {
    case "state":
      return { state: { ...pressed.state, ticked: state.ticked } };
    case "leave":
      return { answer: undefined };
    case "reason":
      return { answer: answerOf(question, isSeveral ? state.ticked : new Set(), pressed.reason) };
    case "answer":
      return {
        answer: answerOf(
          question,
          isSeveral && state.ticked.size > 0 ? state.ticked : new Set([pressed.answer]),
        ),
      };
    default:
      return pressed satisfies never;
  }
}

/**
 * Returns the option that a key toggles if more than one can be selected. Space toggles the chosen option, and a digit
 * toggles the option with that number.
 */
function tickedBy({ chosen }: QuestionState, key: KeyPress): number | undefined {
  if (nameOf(key) === "space") return chosen;
  const digit = digitOf(key);
  return digit === undefined || digit === 0 ? undefined : digit - 1;
}

function toggled(ticked: ReadonlySet<number>, option: number): ReadonlySet<number> {
  const next = new Set(ticked);
  if (!next.delete(option)) next.add(option);
  return next;
}

function answerOf({ options }: Question, ticked: ReadonlySet<number>, own?: string): string {
  const labels = options.flatMap(({ label }, index) => (ticked.has(index) ? [label] : []));
  return [...labels, ...(own === undefined ? [] : [own])].join(", ");
}

interface PlanState extends ReasonedState {
  /** The first visible line of the plan. */
  readonly top: number;
}

/** Number of rows for the title and the keys. */
const AROUND = 2;
const MIN_PLAN = 2;

/** Asks whether the plan may be carried out. If the user leaves the dialog, the plan is declined. */
export async function askPlan(
  { ask, strings }: AskContext,
  plan: string,
  markdown: DrawText,
): Promise<PlanAnswer> {
  return (await ask(planDialog(strings, plan, markdown))) ?? DECLINED;
}

export function planDialog(
  strings: Strings,
  written: string,
  markdown: DrawText,
): Dialog<PlanState, PlanAnswer> {
  const plan = condensedBlanks(written, strings.terminal.dialogs.blanks);
  const words = strings.terminal.dialogs.plan;
  const { keys } = strings.terminal.dialogs;
  const rows: ReasonedRow<PlanAnswer>[] = [
    { text: words.manual, answer: { answer: "approved", mode: "manual" } },
    { text: words.acceptEdits, answer: { answer: "approved", mode: "accept-edits" } },
    { text: words.auto, answer: { answer: "approved", mode: "auto" } },
    { text: words.no, answer: "words" },
  ];
  const hint = ({ reason }: PlanState): string => (reason === undefined ? keys.plan : words.noKeys);
  return {
    start: { chosen: 0, top: 0 },
    extent: "full",
    press: (state, key, room) =>
      pressPlan(state, key, { rows, room, lines: markdown(plan, room.width, room.look).length }),
    draw: (state, { width, rows: height }, look) => {
      const below = belowPlan(state, rows, { width, rows: height }, look);
      const lines = markdown(plan, width, look);
      const room = planRows({ rows: height }, below);
      const top = Math.max(0, Math.min(state.top, lines.length - room));
      const end = Math.min(lines.length, top + room);
      const where = lines.length > room ? `${end}/${lines.length}` : "";
      return [
        look.paint.strong(between(cut(words.title, width, look), where, width)),
        ...lines.slice(top, end),
        ...below,
        look.paint.dim(cut(keyLines(hint(state), width, 1).join(""), width, look)),
      ].slice(0, height);
    },
  };
}

/** Draws the answers below the plan, wrapped onto as many lines as they need. */
function belowPlan(
  state: PlanState,
  rows: readonly ReasonedRow<PlanAnswer>[],
  { width, rows: height }: Space,
  look: Look,
): readonly string[] {
  return drawReasoned(state, rows, { width, height: Math.max(1, height - AROUND - MIN_PLAN), look });
}

/** Returns how many lines of the plan are visible. */
function planRows({ rows }: Pick<Space, "rows">, below: readonly string[]): number {
  return Math.max(1, rows - below.length - AROUND);
}

interface At {
  readonly rows: readonly ReasonedRow<PlanAnswer>[];
  readonly room: Room;
  readonly lines: number;
}

function pressPlan(
  state: PlanState,
  key: KeyPress,
  { rows, room, lines }: At,
): Pressed<PlanState, PlanAnswer> {
  const page = planRows(room, belowPlan(state, rows, room, room.look));
  const last = Math.max(0, lines - page);
  const name = nameOf(key);
  if (name === "pageDown") return { state: { ...state, top: Math.min(last, state.top + page) } };
  if (name === "pageUp") return { state: { ...state, top: Math.max(0, state.top - page) } };
  const pressed = pressReasoned(state, key, rows);
  if (pressed.to === "state") return { state: { ...pressed.state, top: state.top } };
  if (pressed.to === "answer") return { answer: pressed.answer };
  return pressed.to === "leave"
    ? { answer: undefined }
    : { answer: { answer: "no", reason: pressed.reason } };
}

/**
 * The answer if the user declines without a reason. The model reads its text, so the text is the same in all languages.
 */
export const DECLINED = {
  answer: "no",
  reason: callReasonInEnglish({ code: "declined" }),
  because: { code: "declined" },
} as const;

/** State of a menu with a row that needs text. The user types the text in place of the menu. */
export interface ReasonedState {
  readonly chosen: number;
  readonly reason?: TextField;
}

type ReasonedPressed<Answer> =
  | { readonly to: "state"; readonly state: ReasonedState }
  | { readonly to: "answer"; readonly answer: Answer }
  | { readonly to: "reason"; readonly reason: string }
  | { readonly to: "leave" };

export type ReasonedRow<Answer> = MenuRow<Answer | "words">;

/** Applies a key. Esc returns from the text to the rows. Empty text is not accepted. */
export function pressReasoned<Answer>(
  { chosen, reason }: ReasonedState,
  key: KeyPress,
  rows: readonly ReasonedRow<Answer>[],
): ReasonedPressed<Answer> {
  if (reason !== undefined) {
    const name = nameOf(key);
    if (name === "escape") return { to: "state", state: { chosen } };
    if (name !== "enter") return { to: "state", state: { chosen, reason: typeInto(reason, key) ?? reason } };
    const text = textIn(reason).trim();
    return text === "" ? { to: "state", state: { chosen, reason } } : { to: "reason", reason: text };
  }
  const pressed = pressMenu({ chosen }, key, rows);
  if ("state" in pressed) return { to: "state", state: pressed.state };
  if (pressed.answer === undefined) return { to: "leave" };
  if (pressed.answer !== "words") return { to: "answer", answer: pressed.answer };
  return {
    to: "state",
    state: { chosen: rows.findIndex((row) => row.answer === "words"), reason: textField() },
  };
}

export function drawReasoned<Answer>(
  { chosen, reason }: ReasonedState,
  rows: readonly ReasonedRow<Answer>[],
  { width, height, look }: { width: number; height: number; look: Look },
): string[] {
  return reason === undefined
    ? menuRows({ rows, chosen, height, long: "wrap" }, width, look)
    : [fieldLine(reason, { width }, look)];
}
