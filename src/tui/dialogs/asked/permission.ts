import type { PermissionAnswer, PermissionRequest } from "../../../ports/person.ts";
import { isJsonObject } from "../../../record/json.ts";
import type { Strings } from "../../../strings/strings.ts";
import type { Desk } from "../../commands/desk.ts";
import type { Look, Space } from "../../look/look.ts";
import { toolKind } from "../../transcript/tool-kind.ts";
import type { Dialog } from "../dialog.ts";
import { type DrawText, drawDiff } from "../pieces/drawn-text.ts";
import { keyLines } from "../pieces/frame.ts";
import { cut, wrapped } from "../pieces/lines.ts";
import { type DrawPage, onceForWidth, pager } from "../pieces/pager.ts";
import {
  drawReasoned,
  pressReasoned,
  type ReasonedRow,
  type ReasonedState,
  SAID_NO,
} from "./reasoned-menu.ts";
import { visible } from "./visible.ts";

const MOST_ABOUT = 4;
const MOST_WHY = 2;
const MOST_DIFF = 24;
const ROWS = 4;

type Asked = PermissionAnswer | "view";

/** Asks whether a call may do what it is about to. Who leaves says no. */
export async function askPermission(
  { ask, strings }: Pick<Desk, "ask" | "strings">,
  asked: PermissionRequest,
  drawChange: DrawText = drawDiff,
): Promise<PermissionAnswer> {
  const request = { ...asked, about: aboutOf(asked) };
  const diff = keptLines(drawChange);
  for (;;) {
    const answer = await ask(permissionDialog(strings, request, diff));
    if (answer === undefined) return { answer: "no", reason: SAID_NO };
    if (answer !== "view") return answer;
    await ask(
      pager({
        title: visible(`${request.tool} ${request.about}`),
        draw: (width, look) => wholeView(request, { width, diff }, look),
        keys: strings.terminal.dialogs.keys.pager,
      }),
    );
  }
}

/** The whole command, line by line: what it is about in one line may hide where a comment ends. */
function aboutOf({ tool, input, about }: PermissionRequest): string {
  const command = toolKind(tool) === "shell" && isJsonObject(input) ? input["command"] : undefined;
  return typeof command === "string" && command.trim() !== "" ? command : about;
}

/** A change of thousands of lines is laid out once, and not with every key. */
function keptLines(draw: DrawText): DrawText {
  let kept: { text: string; lines: DrawPage } | undefined;
  return (text, width, look) => {
    if (kept?.text !== text) kept = { text, lines: onceForWidth((...room) => draw(text, ...room)) };
    return kept.lines(width, look);
  };
}

export function permissionDialog(
  strings: Strings,
  request: PermissionRequest,
  diff: DrawText = drawDiff,
): Dialog<ReasonedState, Asked> {
  const { permission } = strings.terminal.dialogs;
  const rows: ReasonedRow<PermissionAnswer>[] = [
    { text: permission.once, answer: { answer: "once" } },
    { text: permission.session(visible(request.rule)), answer: { answer: "session", rule: request.rule } },
    { text: permission.no, answer: { answer: "no", reason: SAID_NO } },
    { text: permission.noBecause, answer: "words" },
  ];
  return {
    start: { chosen: 0 },
    extent: "part",
    press: (state, key) => {
      if (key.key === "ctrl+e" && state.reason === undefined) return { answer: "view" };
      const pressed = pressReasoned(state, key, rows);
      if (pressed.to === "state") return { state: pressed.state };
      if (pressed.to === "answer") return { answer: pressed.answer };
      return pressed.to === "leave"
        ? { answer: undefined }
        : { answer: { answer: "no", reason: pressed.reason } };
    },
    draw: (state, space, look) => drawPermission({ state, request, rows, diff }, space, look),
  };
}

interface Drawn {
  readonly state: ReasonedState;
  readonly request: PermissionRequest;
  readonly rows: readonly ReasonedRow<PermissionAnswer>[];
  readonly diff: DrawText;
}

/** The rows come first, then what and why, and the diff gets the room that is left. */
function drawPermission(
  { state, request, rows, diff }: Drawn,
  { width, rows: height }: Space,
  look: Look,
): string[] {
  const { paint, strings } = look;
  const { permission, keys } = strings.terminal.dialogs;
  const below = drawReasoned(state, rows, { width, height: Math.min(ROWS, height - 1), look });
  const hint = state.reason === undefined ? keys.permission : permission.reasonKeys;
  const foot =
    height > below.length + 2
      ? keyLines(hint, width, 1).map((line) => paint.dim(cut(line, width, look)))
      : [];
  const asks = permission.title(visible(request.tool));
  const title = paint.warning(
    cut(request.by === undefined ? asks : permission.bySubAgent(asks), width, look),
  );
  let left = height - below.length - foot.length - 1;
  const about = take(wrapped(visible(request.about), width - 2, MOST_ABOUT), left).map(
    (line) => `  ${paint.code(line)}`,
  );
  left -= about.length;
  const why = take(
    request.why === "" ? [] : wrapped(permission.why(visible(request.why)), width, MOST_WHY),
    left,
  );
  left -= why.length;
  const shown = diffLines(request, { width, most: Math.min(left, MOST_DIFF), diff }, look);
  return [title, ...about, ...why.map(paint.dim), ...shown, ...below, ...foot].slice(0, height);
}

function take(lines: readonly string[], most: number): readonly string[] {
  return lines.slice(0, Math.max(0, most));
}

function diffLines(
  request: PermissionRequest,
  { width, most, diff }: { width: number; most: number; diff: DrawText },
  look: Look,
): readonly string[] {
  if (request.diff === undefined || most < 2) return [];
  const lines = diff(visible(request.diff), width, look);
  if (lines.length <= most) return lines;
  const more = look.strings.terminal.dialogs.permission.moreLines(lines.length - most + 1);
  return [...lines.slice(0, most - 1), look.paint.dim(cut(more, width, look))];
}

/** All of the diff; of a call without one, all of its input. */
function wholeView(
  request: PermissionRequest,
  { width, diff }: { width: number; diff: DrawText },
  look: Look,
): readonly string[] {
  if (request.diff !== undefined) return diff(visible(request.diff), width, look);
  const input = JSON.stringify(request.input, null, 2);
  return [request.about, "", input].flatMap((text) => wrapped(visible(text), width));
}
