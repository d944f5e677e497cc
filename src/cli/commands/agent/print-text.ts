import type {
  AgentEvent,
  BacktrackCard,
  ChangedFile,
  CompactionTold,
  RetryEvent,
} from "../../../ports/agent-events.ts";
import type { EntryOf } from "../../../record/entry.ts";
import { BACKTRACK_TOOL, textOf } from "../../../record/parts.ts";
import { condensedBlanks, oneLine, printable, visibleName } from "../../../record/visible-text.ts";
import { callReasonText } from "../../../strings/call-reasons.ts";
import type { Strings } from "../../../strings/strings.ts";
import type { ToldError } from "../../../strings/wording.ts";
import { resultText } from "../../../timeline/calls.ts";
import type { Frame } from "../../frame.ts";
import { quoted } from "./print-person.ts";
import {
  type EndedTurn,
  notCompactedText,
  reportText,
  saidOnce,
  type TurnPrinter,
  translated,
} from "./turn-printer.ts";

/**
 * Prints a turn for `--output-format text`: short progress lines on stderr, and the complete answer on stdout at the
 * end.
 */
export function textPrinter(frame: Frame, display: BacktrackDisplay): TurnPrinter {
  const { output, strings } = frame;
  const words = strings.agent;
  // A sub-agent's call may have the same id as one of its parent's calls.
  const linesOf = new Map<string, ReturnType<typeof progressLines>>();
  const isNew = saidOnce();
  let changed: Changed = { files: [], more: 0 };
  const say = (said: readonly string[], indent = "") => {
    for (const line of said) output.notice(`${indent}${line}`);
  };
  const apply = (event: AgentEvent, agent = "", indent = ""): void => {
    const lines = linesOf.get(agent) ?? progressLines(frame, display);
    linesOf.set(agent, lines);
    say(lines(event), indent);
    if (event.type === "sub-agent") apply(event.event, event.session, `${indent}  `);
    if (event.type === "files") changed = event;
    if (event.type === "compaction") tellCompaction(frame, event);
    const isUnsaid = event.type === "warning" && event.code === "BACKTRACK_DROPPED" && display === "off";
    if (event.type !== "warning" || isUnsaid) return;
    const text = reportText(frame, event);
    if (isNew(text)) output.warn(text);
  };
  return {
    apply: (event) => apply(event),
    end(turn) {
      say(fileLines(frame, changed));
      say(deniedLines(frame, turn));
      tellOutcome(frame, turn);
      if (turn.resume !== undefined) output.notice(words.resumeWith(turn.resume));
    },
  };
}

interface Changed {
  readonly files: readonly ChangedFile[];
  readonly more: number;
}

function tellCompaction(frame: Frame, told: CompactionTold): void {
  const { output, strings } = frame;
  if (told.outcome === "done") output.notice(strings.agent.compacted(told));
  else output.warn(notCompactedText(frame, told));
}

function fileLines({ strings: { agent } }: Frame, { files, more }: Changed): string[] {
  if (files.length + more === 0) return [];
  const lines = files.map(({ path, change, added, removed }) => {
    const counts = added === undefined || removed === undefined ? "" : ` ${agent.lines(added, removed)}`;
    return `  ${agent.changes[change]} ${oneLine(path)}${counts}`;
  });
  return [agent.files(files.length + more), ...lines, ...(more === 0 ? [] : [`  ${agent.moreFiles(more)}`])];
}

/** Lists each denied call in full, and each rule once, so that the user can copy the rules into the next command. */
function deniedLines({ strings }: Frame, { denied }: EndedTurn): string[] {
  const { agent, terminal } = strings;
  const allowable = denied.filter(({ rule }) => rule !== undefined);
  if (allowable.length === 0) return [];
  const line = (text: string): string => oneLine(condensedBlanks(text, terminal.dialogs.blanks));
  const calls = new Set(allowable.map(({ tool, about }) => `  ${visibleName(line(`${tool} ${about}`))}`));
  const rules = new Set(allowable.map(({ rule = "" }) => `  --allow ${quoted(rule)}`));
  return [agent.denied(allowable.length), ...calls, ...rules];
}

/** Adds the plan to the answer. The user requested the plan, so it precedes the model's comment on it. */
function withPlan(answer: string, plan: string | undefined): string {
  if (plan === undefined || answer.includes(plan.trim())) return answer;
  return answer.trim() === "" ? plan : `${plan.trimEnd()}\n\n${answer}`;
}

function tellOutcome(frame: Frame, { end, plan }: EndedTurn): void {
  const { output, strings } = frame;
  // The text is made printable, because a page that the model read may have caused the model to write terminal control
  // sequences.
  output.answer({}, () => printable(withPlan(end.answer, plan)));
  // A user who has interrupted the turn does not need an error message about it.
  if (end.outcome === "interrupted") output.notice(strings.agent.interrupted);
  else if (end.error !== undefined) output.fail({ ...end.error, ...translated(frame, end.error) });
}

/** Returns a function that formats a turn's progress for users: a few lines for some events, and none for most. */
function progressLines(frame: Frame, display: BacktrackDisplay): (event: AgentEvent) => readonly string[] {
  const { strings } = frame;
  const { agent: words } = strings;
  const tools = toolLines(strings, new Set(display === "off" ? [BACKTRACK_TOOL] : []));
  let waiting: "no" | "yes" = "no";
  return (event) => {
    switch (event.type) {
      case "session":
        return event.resumed === "new" ? [] : [words[event.resumed](event.session)];
      case "retry":
        return [oneLine(words.retry({ ...event, message: reportText(frame, withoutHint(event)) }))];
      case "journey":
        return [words.journeys[event.journey](event.scope, event.to)];
      case "backtrack":
        return cardLines(event, display, words);
      case "doing": {
        const before = waiting;
        waiting = event.doing.what === "waiting-for-capture" ? "yes" : "no";
        return waiting === "yes" && before === "no" ? [words.waitingForCapture] : tools.linesOf(event);
      }
      default:
        return tools.linesOf(event);
    }
  };
}

function withoutHint({ message, reason, params }: RetryEvent): Omit<ToldError, "code" | "hint"> {
  return { message, reason, params };
}

export type BacktrackDisplay = "card" | "line" | "off";

/** Returns the lines that the user sees about a backtrack, depending on `backtrack.display`. */
function cardLines(
  card: BacktrackCard,
  display: BacktrackDisplay,
  words: Strings["agent"],
): readonly string[] {
  if (display === "off") return [];
  const first = words.backtracked(card);
  if (display === "line") return [first];
  const { prompt, rationale = "", restored } = card;
  return [
    first,
    ...(prompt === undefined || prompt === "" ? [] : [words.backtrackedTo(oneLine(prompt))]),
    ...(rationale.trim() === "" ? [] : [words.backtrackedBecause(oneLine(rationale))]),
    ...card.note.split("\n").map((line) => `  | ${line}`),
    ...(restored === undefined ? [] : [words.backtrackRestored(restored)]),
  ];
}

/** Maximum length of a line: long enough for a path or a command, and short enough for one line. */
const MAX_CHARACTERS = 160;
const MAX_END = 50;

/** Formats one short line for each call when it starts, and another one if it fails. */
interface ToolLines {
  linesOf(event: AgentEvent): readonly string[];
}

/** Creates the formatter for tool calls. `unsaid`: tools whose calls are not shown. */
function toolLines(strings: Strings, unsaid: ReadonlySet<string> = new Set()): ToolLines {
  const { agent: words } = strings;
  const names = new Map<string, string>();
  const told = new Set<string>();
  return {
    linesOf(event) {
      noteNames(event, names);
      if (event.type === "doing" && event.doing.what === "tool") {
        const { call, name, about } = event.doing;
        if (told.has(call) || unsaid.has(name)) return [];
        told.add(call);
        return [short(words.tool(name, about))];
      }
      if (event.type !== "entry" || event.entry.kind !== "tool-end") return [];
      const name = names.get(event.entry.call) ?? words.earlierCall;
      return unsaid.has(name) ? [] : endLines(event.entry, name, strings);
    },
  };
}

/**
 * Remembers which tool each call uses. For calls that were denied before they started, or that belong to an incomplete
 * reply, only the streamed arguments name the tool.
 */
function noteNames(event: AgentEvent, names: Map<string, string>): void {
  if (event.type === "call") names.set(event.call, event.name);
  if (event.type !== "entry" || event.entry.kind !== "reply") return;
  for (const part of event.entry.parts) if (part.type === "tool-call") names.set(part.call, part.name);
}

function endLines(
  { outcome, parts, denial }: EntryOf<"tool-end">,
  name: string,
  { agent: words, callReasons }: Strings,
): readonly string[] {
  const said = (denial && callReasonText(callReasons, denial)) ?? resultText(outcome, textOf(parts));
  switch (outcome) {
    case "ok":
      return [];
    case "error":
      return [short(words.toolFailed(name, said))];
    case "denied":
      return [short(words.toolDenied(name, said))];
    case "interrupted":
      return [words.toolInterrupted(name)];
    default:
      return outcome satisfies never;
  }
}

function short(text: string): string {
  const line = oneLine(text).replace(/\s{2,}/gu, " ");
  if (line.length <= MAX_CHARACTERS) return line;
  // The end of a command is kept, because it is as informative as the beginning.
  return `${firstOf(line, MAX_CHARACTERS - MAX_END - 5).trimEnd()} ... ${lastOf(line, MAX_END).trimStart()}`;
}

/** Returns the beginning of the text. The result never ends with half of a surrogate pair. */
function firstOf(text: string, count: number): string {
  return text.slice(0, count).replace(/[\ud800-\udbff]$/, "");
}

function lastOf(text: string, count: number): string {
  return text.slice(-count).replace(/^[\udc00-\udfff]/, "");
}
