import type { PlanAnswer } from "../../ports/person.ts";
import { condensedBlanks } from "../../record/visible-text.ts";
import type { Strings } from "../../strings/strings.ts";
import { between, cut } from "../look/lines.ts";
import type { Look, Space } from "../look/look.ts";
import type { KeyPress } from "../terminal/keys.ts";
import { nameOf } from "../terminal/keys.ts";
import type { AskContext, Dialog, Pressed, Room } from "./dialog.ts";
import { keyLines } from "./dialog.ts";
import { DECLINED, drawReasoned, pressReasoned, type ReasonedRow, type ReasonedState } from "./menu.ts";
import type { DrawText } from "./pager.ts";

export interface PlanState extends ReasonedState {
  /** The first line of the plan that is shown. */
  readonly top: number;
}

/** Title and keys. */
const AROUND = 2;
const LEAST_PLAN = 2;

/** Asks whether a plan may be carried out. Who leaves says no. */
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

/** The answers, on as many lines as they need. */
function belowPlan(
  state: PlanState,
  rows: readonly ReasonedRow<PlanAnswer>[],
  { width, rows: height }: Space,
  look: Look,
): readonly string[] {
  return drawReasoned(state, rows, { width, height: Math.max(1, height - AROUND - LEAST_PLAN), look });
}

/** How many lines of the plan are shown. */
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
