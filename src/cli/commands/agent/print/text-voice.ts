import type { AgentEvent, ChangedFile, CompactionTold } from "../../../../ports/agent-events.ts";
import { oneLine, printable } from "../../../../record/printable.ts";
import { condensedBlanks, visibleName } from "../../../../record/visible-text.ts";
import type { Frame } from "../../../command/frame.ts";
import type { BacktrackDisplay } from "./card-lines.ts";
import { quoted } from "./print-person.ts";
import { progressLines } from "./progress-lines.ts";
import { type EndedTurn, saidOnce, type Voice, warningText } from "./voice.ts";

/** `--output-format text`: the answer on stdout, at the end and whole; what happens meanwhile, in short lines, on stderr. */
export function textVoice(frame: Frame, display: BacktrackDisplay): Voice {
  const { output, strings } = frame;
  const words = strings.agent;
  // Calls of a sub-agent may have the ids of its parent's.
  const linesOf = new Map<string, ReturnType<typeof progressLines>>();
  const isNew = saidOnce();
  let changed: Changed = { files: [], more: 0 };
  const say = (said: readonly string[], indent = "") => {
    for (const line of said) output.notice(`${indent}${line}`);
  };
  const hear = (event: AgentEvent, agent = "", indent = ""): void => {
    const lines = linesOf.get(agent) ?? progressLines(words, display);
    linesOf.set(agent, lines);
    say(lines(event), indent);
    if (event.type === "sub-agent") hear(event.event, event.session, `${indent}  `);
    if (event.type === "files") changed = event;
    if (event.type === "compaction") tellCompaction(frame, event);
    const isUnsaid = event.type === "warning" && event.code === "BACKTRACK_DROPPED" && display === "off";
    if (event.type === "warning" && !isUnsaid && isNew(warningText(event))) output.warn(warningText(event));
  };
  return {
    hear: (event) => hear(event),
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

function tellCompaction({ output, strings }: Frame, told: CompactionTold): void {
  if (told.outcome === "done") output.notice(strings.agent.compacted(told));
  else output.warn(strings.agent.notCompacted(told.why));
}

function fileLines({ strings: { agent } }: Frame, { files, more }: Changed): string[] {
  if (files.length + more === 0) return [];
  const lines = files.map(({ path, change, added, removed }) => {
    const counts = added === undefined || removed === undefined ? "" : ` ${agent.lines(added, removed)}`;
    return `  ${agent.changes[change]} ${oneLine(path)}${counts}`;
  });
  return [agent.files(files.length + more), ...lines, ...(more === 0 ? [] : [`  ${agent.moreFiles(more)}`])];
}

/** What was denied, to its end, and the rules once each: what a person copies into the next call. */
function deniedLines({ strings }: Frame, { denied }: EndedTurn): string[] {
  const { agent, terminal } = strings;
  const allowable = denied.filter(({ rule }) => rule !== undefined);
  if (allowable.length === 0) return [];
  const line = (text: string): string => oneLine(condensedBlanks(text, terminal.dialogs.blanks));
  const calls = new Set(allowable.map(({ tool, about }) => `  ${visibleName(line(`${tool} ${about}`))}`));
  const rules = new Set(allowable.map(({ rule = "" }) => `  --allow ${quoted(rule)}`));
  return [agent.denied(allowable.length), ...calls, ...rules];
}

/** The plan is what was asked for; what the model says of it follows. */
function withPlan(answer: string, plan: string | undefined): string {
  if (plan === undefined || answer.includes(plan.trim())) return answer;
  return answer.trim() === "" ? plan : `${plan.trimEnd()}\n\n${answer}`;
}

function tellOutcome({ output, strings }: Frame, { end, plan }: EndedTurn): void {
  // A page that the model has read may have put words into its mouth that a terminal would obey.
  output.answer({}, () => printable(withPlan(end.answer, plan)));
  // Whoever interrupted it need not be told that as an error.
  if (end.outcome === "interrupted") output.notice(strings.agent.interrupted);
  else if (end.error !== undefined) output.fail(end.error);
}
