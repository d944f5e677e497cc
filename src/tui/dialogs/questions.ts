import type { Question } from "../../ports/person.ts";
import { condensedBlanks } from "../../record/visible-text.ts";
import type { Strings } from "../../strings/strings.ts";
import { wrapped } from "../look/lines.ts";
import type { KeyPress } from "../terminal/keys.ts";
import { digitOf, nameOf } from "../terminal/keys.ts";
import type { AskContext, Dialog, Pressed } from "./dialog.ts";
import { framed } from "./dialog.ts";
import { drawReasoned, pressReasoned, type ReasonedRow, type ReasonedState } from "./menu.ts";

export interface QuestionState extends ReasonedState {
  /** The options that were ticked, where several may be. */
  readonly ticked: ReadonlySet<number>;
}

/** What is said of a question that was left. The model reads it, so it is the same in all languages. */
const CLOSED = "The person closed the question without an answer.";

/** Asks them one after the other. Esc goes back to the one before, and from the first one leaves them all. */
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
          // Whatever the model calls it: it is no question for permission.
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

/** Which option a key ticks, where several may be: Space the chosen one, a digit its own. */
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
