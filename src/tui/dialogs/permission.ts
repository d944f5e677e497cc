import type { PermissionAnswer, PermissionRequest } from "../../ports/person.ts";
import { isJsonObject, type Json } from "../../record/parts.ts";
import { condensedBlanks, visibleName, visibleText } from "../../record/visible-text.ts";
import { callReasonText } from "../../strings/call-reasons.ts";
import type { Strings } from "../../strings/strings.ts";
import { remarkText } from "../../strings/wording.ts";
import { wholeAbout } from "../../timeline/turn-state.ts";
import type { Look, Space } from "../look/look.ts";
import { cut, wrapped } from "../look/text.ts";
import { toolKind } from "../transcript/block.ts";
import {
  DECLINED,
  drawReasoned,
  pressReasoned,
  type ReasonedRow,
  type ReasonedState,
} from "./agent-questions.ts";
import { type AskContext, type Dialog, keyLines, menuRows } from "./dialog.ts";
import { type DrawPage, type DrawText, drawDiff, onceForWidth, pager } from "./pager.ts";

const MAX_TITLE = 5;
const MAX_SUBJECT = 24;
const MAX_RUNS = 2;
const MAX_WHY = 2;
const MAX_DIFF = 24;
/** Minimum number of lines for the subject: a beginning, a note about what is left out, and an end. */
const MIN_SUBJECT = 3;

type Asked = PermissionAnswer | "view";

/** Asks whether a call may run. If the user leaves the dialog, the call is declined. */
export async function askPermission(
  { ask, strings }: AskContext,
  request: PermissionRequest,
  drawChange: DrawText = drawDiff,
): Promise<PermissionAnswer> {
  const parts = permissionView(strings, request, drawChange);
  let read: "yes" | "no" = "no";
  for (;;) {
    const answer = await ask(dialogOf(parts, read));
    if (answer === undefined) return DECLINED;
    if (answer !== "view") return answer;
    const title = shownLine(`${request.tool} ${request.about}`, strings);
    const page = pager({
      title,
      draw: (width, look) => wholeView(parts, width, look),
      keys: strings.terminal.dialogs.keys.pager,
    });
    if ((await ask(page)) === "read") read = "yes";
  }
}

export function permissionDialog(
  strings: Strings,
  request: PermissionRequest,
  { diff = drawDiff, read = "no" }: { readonly diff?: DrawText; readonly read?: "yes" | "no" } = {},
): Dialog<ReasonedState, Asked> {
  return dialogOf(permissionView(strings, request, diff), read);
}

/**
 * The drawn parts of a request. Text with thousands of lines is laid out only once for each width, not for each key.
 */
interface PermissionView {
  readonly strings: Strings;
  readonly request: PermissionRequest;
  readonly subject: DrawPage;
  readonly diff: DrawPage;
}

function permissionView(strings: Strings, request: PermissionRequest, drawChange: DrawText): PermissionView {
  const subject = subjectText(request, strings);
  const diff = request.diff === undefined ? undefined : shownDiff(request.diff, strings);
  return {
    strings,
    request,
    subject: onceForWidth((width) => wrapped(subject, width)),
    diff: onceForWidth((width, look) => (diff === undefined ? [] : drawChange(diff, width, look))),
  };
}

/**
 * Creates the dialog. `read` says whether the user has seen the whole view to its end. Until then, the user can answer
 * yes only if everything that the answer allows is on the screen.
 */
function dialogOf(parts: PermissionView, read: "yes" | "no"): Dialog<ReasonedState, Asked> {
  return {
    start: { chosen: 0 },
    extent: "part",
    press: (state, key, room) => {
      if (key.key === "ctrl+e" && state.reason === undefined) return { answer: "view" };
      const { rows } = layOut({ parts, read, state }, room, room.look);
      const pressed = pressReasoned(state, key, rows);
      if (pressed.to === "state") return { state: pressed.state };
      if (pressed.to === "answer") return { answer: pressed.answer };
      return pressed.to === "leave"
        ? { answer: undefined }
        : { answer: { answer: "no", reason: pressed.reason } };
    },
    draw: (state, space, look) => {
      const { title, subject, notes, diff, below, foot } = layOut({ parts, read, state }, space, look);
      return [...title, ...subject, ...notes, ...diff, ...below, ...foot].slice(0, space.rows);
    },
  };
}

interface Layout {
  readonly title: readonly string[];
  readonly subject: readonly string[];
  readonly notes: readonly string[];
  readonly diff: readonly string[];
  readonly rows: readonly ReasonedRow<Asked>[];
  readonly below: readonly string[];
  readonly foot: readonly string[];
}

/**
 * Lays out the dialog. The answers, including the complete rule, get space first. Next come the subject, including its
 * end, and then the reasons and the diff.
 */
function layOut(
  {
    parts,
    read,
    state,
  }: { readonly parts: PermissionView; readonly read: "yes" | "no"; readonly state: ReasonedState },
  { width, rows: height }: Space,
  look: Look,
): Layout {
  const { request, strings } = parts;
  const { paint } = look;
  const { permission, keys } = strings.terminal.dialogs;
  const asks = permission.title(shownLine(request.tool, strings));
  const title = wrapped(request.by === undefined ? asks : permission.bySubAgent(asks), width, MAX_TITLE);
  const whole = parts.subject(Math.max(1, width - 2), look);
  const least = Math.min(whole.length, MIN_SUBJECT);
  const roomFor = (rows: readonly ReasonedRow<Asked>[]): number =>
    height - title.length - linesOf(rows, width, look).length;
  const all = rowsOf(parts, { once: "open", session: "open" });
  const without = rowsOf(parts, { once: "open", session: "closed" });
  const isRead = read === "yes";
  const hasRule = isRead || roomFor(all) >= least;
  const hasOnce = isRead || roomFor(hasRule ? all : without) >= least;
  const rows = rowsOf(parts, {
    once: hasOnce ? "open" : "closed",
    session: hasRule ? "open" : "closed",
  });
  const below = drawReasoned(state, rows, { width, height: Math.max(1, height - 1), look });
  const hint = state.reason === undefined ? keys.permission : permission.reasonKeys;
  let left = height - title.length - below.length;
  const foot = left > least ? keyLines(hint, width, 1).map((line) => paint.dim(cut(line, width, look))) : [];
  left -= foot.length;
  const most = Math.min(left, MAX_SUBJECT, request.diff === undefined ? left : Math.max(least, left / 3));
  const short = noteLines(parts, "whole", width);
  const isWhole = whole.length <= most && whole.length + short.length <= left;
  const noted = isWhole ? short : noteLines(parts, "part", width);
  const notes = noted.slice(0, Math.max(0, left - least));
  left -= notes.length;
  const subject = someLines(whole, { most: Math.floor(Math.min(left, most)), width: width - 2, look });
  left -= subject.length;
  return {
    title: title.map(paint.warning),
    subject: subject.map((line) => `  ${paint.code(line)}`),
    notes: notes.map(paint.dim),
    diff: diffLines(parts, { width, most: Math.min(left, MAX_DIFF) }, look),
    rows,
    below,
    foot,
  };
}

/**
 * Returns the rows of the menu. Choosing a locked row opens the whole view instead. The rows keep their numbers, so a
 * key never allows more than it did before.
 */
function rowsOf(
  { request, strings }: PermissionView,
  { once, session }: { readonly once: "open" | "closed"; readonly session: "open" | "closed" },
): readonly ReasonedRow<Asked>[] {
  const { permission } = strings.terminal.dialogs;
  return [
    once === "open"
      ? { text: permission.once, answer: { answer: "once" } }
      : { text: permission.onceUnread, answer: "view" },
    session === "open"
      ? {
          text: permission.session(shownRule(request.rule, strings)),
          answer: { answer: "session", rule: request.rule },
        }
      : { text: permission.sessionUnread, answer: "view" },
    { text: permission.no, answer: DECLINED },
    { text: permission.noBecause, answer: "words" },
  ];
}

function linesOf(rows: readonly ReasonedRow<Asked>[], width: number, look: Look): readonly string[] {
  return menuRows({ rows, chosen: 0, height: Number.POSITIVE_INFINITY, long: "wrap" }, width, look);
}

/** Returns the lines below the subject: what the call runs, why it cannot work, and why it needs permission. */
function noteLines(
  { request, strings }: PermissionView,
  shown: "whole" | "part",
  width: number,
): readonly string[] {
  const { permission } = strings.terminal.dialogs;
  const { runs = [], cannot, without, reason, why } = request;
  const said = (text: string): string => shownLine(text, strings);
  return [
    ...(shown === "whole" || runs.length === 0
      ? []
      : wrapped(permission.runs(runs.map(said).join(", ")), width, MAX_RUNS)),
    ...(cannot === undefined
      ? []
      : wrapped(permission.cannot(said(remarkText(strings, cannot))), width, MAX_WHY)),
    ...(without === undefined ? [] : wrapped(permission.without[without], width, MAX_WHY)),
    ...wrapped(permission.why(said(callReasonText(strings.callReasons, reason) ?? why)), width, MAX_WHY),
  ];
}

function diffLines(
  { diff }: PermissionView,
  { width, most }: { readonly width: number; readonly most: number },
  look: Look,
): readonly string[] {
  return most < 2 ? [] : someLines(diff(width, look), { most, width, look });
}

/** Returns all lines, or the first and last lines with the number of omitted lines in between. */
function someLines(
  lines: readonly string[],
  { most, width, look }: { readonly most: number; readonly width: number; readonly look: Look },
): readonly string[] {
  if (lines.length <= most) return lines;
  if (most <= 0) return [];
  const end = Math.floor((most - 1) / 3) || (most > 1 ? 1 : 0);
  const begin = most - 1 - end;
  const words = look.strings.terminal.dialogs.permission.moreLines(lines.length - begin - end);
  return [
    ...lines.slice(0, begin),
    look.paint.dim(cut(words, width, look)),
    ...lines.slice(lines.length - end),
  ];
}

/** Draws the full text of everything that the question is about. The rule comes last. */
function wholeView(parts: PermissionView, width: number, look: Look): readonly string[] {
  const { request, strings } = parts;
  const rule = strings.terminal.dialogs.permission.rule(shownRule(request.rule, strings));
  return [
    ...parts.subject(width, look),
    "",
    ...parts.diff(width, look),
    ...noteLines(parts, "part", width),
    "",
    ...wrapped(rule, width),
  ];
}

/** Marks each line of a command that is followed by another line. A wrapped line has no mark. */
const LINE_BREAK = "↵";
/** Fields that contain only a label for a command. Such fields do not determine what the command does. */
const NAMES_ONLY = new Set(["description"]);
const PATHS = ["file_path", "notebook_path"];

/** Returns everything that a question is about, as text whose end cannot be pushed out of sight. */
function subjectText(request: PermissionRequest, strings: Strings): string {
  const { tool, input, about, diff } = request;
  if (!isJsonObject(input)) return shownLines(about, strings);
  const main = mainField(request);
  const whole = main === undefined ? about : String(input[main]);
  const isListed = main === undefined && Object.keys(input).length > 0 && isJsonOf(about, input);
  const isChange = diff !== undefined && toolKind(tool) === "change";
  const isShell = toolKind(tool) === "shell";
  const fields = Object.entries(input).flatMap(([key, value]) =>
    key === main || isChange || (isShell && NAMES_ONLY.has(key)) ? [] : [`${key}: ${textOf(value)}`],
  );
  const host = hostOf(whole);
  return [
    ...(isListed ? [] : [shownLines(whole, strings)]),
    ...(host === undefined ? [] : [strings.terminal.dialogs.permission.host(host)]),
    ...fields.map((field) => shownLines(field, strings)),
  ].join("\n");
}

/** Returns the name of the input field that `about` shows. The end of the field's text may be missing in `about`. */
function mainField({ tool, input, about }: PermissionRequest): string | undefined {
  if (!isJsonObject(input)) return undefined;
  if (toolKind(tool) === "shell") return isSaid(input["command"]) ? "command" : undefined;
  return PATHS.find((field) => isSaid(input[field])) ?? wholeAbout(input, about);
}

function isJsonOf(about: string, input: Json): boolean {
  return flat(JSON.stringify(input)).startsWith(flat(about.split(/[…⋯]/u)[0] ?? ""));
}

function flat(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

function isSaid(value: Json | undefined): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * Returns the host of an address if a reader could mistake it, because it comes after a user name or contains letters
 * from another alphabet.
 */
function hostOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, host, hostname } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  const rest = text.toLowerCase().startsWith(`${protocol}//${host}`)
    ? text.slice(protocol.length + 2 + host.length)
    : undefined;
  return rest === undefined || !/^(?:[/?#]|$)/u.test(rest) ? hostname : undefined;
}

/** Keeps the text's line breaks, and makes invisible characters visible. */
function shownLines(text: string, strings: Strings): string {
  return condensedBlanks(text.trimEnd(), strings.terminal.dialogs.blanks)
    .split("\n")
    .map(visibleName)
    .join(`${LINE_BREAK}\n`);
}

/** Returns text on one line, such as a reason or the name of a tool. */
function shownLine(text: string, strings: Strings): string {
  return visibleName(condensedBlanks(text, strings.terminal.dialogs.blanks));
}

/** Does the same as `shownLine` for a rule, where line breaks are written as `\n`. */
function shownRule(rule: string, strings: Strings): string {
  const { lines } = strings.terminal.dialogs.blanks;
  return shownLine(
    rule.replace(/(?:\\n){8,}/gu, (run) => `\\n${lines(run.length / 2 - 1)}`),
    strings,
  );
}

/** Returns a diff with its indentation unchanged. The indentation of a line begins after its sign. */
function shownDiff(diff: string, strings: Strings): string {
  const { blanks } = strings.terminal.dialogs;
  return visibleText(diff)
    .split("\n")
    .map((line) => line.slice(0, 1) + condensedBlanks(line.slice(1), blanks))
    .join("\n");
}
