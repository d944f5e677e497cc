import type { AgentEvent } from "../../../ports/agent-events.ts";
import type { PermissionRequest, Person } from "../../../ports/person.ts";
import { callReasonInEnglish } from "../../../record/call-reason.ts";
import type { Entry, EntryOf } from "../../../record/entry.ts";
import { isJsonObject, textOf } from "../../../record/parts.ts";
import { replaceUnseen, unseenIn } from "../../../record/visible-text.ts";
import { aboutCall, wholeAbout } from "../../../timeline/turn-state.ts";

/** A call that was denied. */
export interface Denial {
  readonly tool: string;
  /** The subject of the call as the model wrote it, in full. */
  readonly about: string;
  readonly why: string;
  /** The rule that would allow the call; absent if no `--allow` does. */
  readonly rule?: string;
}

/** A call that was denied because the user cannot be asked. */
export interface AskedDenial extends Denial {
  readonly call: string;
}

/**
 * Answers in print mode, in which the user cannot be asked: it denies every request. The reason says how to allow the
 * call, because the model repeats it, and users find it in the log.
 */
export function printPerson(
  onDenied: (denial: AskedDenial) => void,
  onPlan: (plan: string) => void = () => undefined,
): Person {
  return {
    async allow(request: PermissionRequest) {
      const { call, tool, input, why, rule, help } = request;
      const field = wholeAbout(input, request.about);
      const about = field === undefined || !isJsonObject(input) ? request.about : String(input[field]);
      onDenied({ call, tool, about, why, ...(help === "none" ? {} : { rule }) });
      return { answer: "no", reason: denialReason(request), because: { code: "nobody-to-ask" } };
    },
    answer: async () => undefined,
    approve: async (plan) => {
      onPlan(plan);
      return {
        answer: "no",
        reason:
          "A plan cannot be approved in print mode, so nothing was changed. The user gets the plan with your " +
          "answer; do not repeat it. To carry it out, the user continues with --permission-mode accept-edits or auto.",
        because: { code: "nobody-to-approve" },
      };
    },
  };
}

function denialReason({ why, rule, help }: PermissionRequest): string {
  const nobody = "Print mode cannot ask for permission";
  if (help === "none") {
    return (
      `${nobody}, which this call needs (${why}). The user can change that rule; ` +
      "`worldline config --explain` shows where it is set."
    );
  }
  const allow = `The user can allow it with --allow ${quoted(rule)}`;
  return help === "rule"
    ? `${nobody}, which this call needs in every mode (${why}). ${allow}.`
    : `${nobody}. ${allow}, or everything inside the workspace with --permission-mode auto.`;
}

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t" };

/**
 * Quotes a text as one word of a shell command, on one line. Line breaks and invisible characters are escaped as in
 * bash, zsh and ksh.
 */
export function quoted(text: string): string {
  if (unseenIn(text) === undefined) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = replaceUnseen(text.replace(/[\\']/gu, "\\$&"), (each) => SHORT[each] ?? codeOf(each));
  return `$'${escaped}'`;
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, "0")}`
    : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** Collects the denied calls of a turn and of its sub-agents. */
interface DeniedCalls {
  apply(event: AgentEvent): void;
  all(): readonly Denial[];
}

/**
 * `asked`: the denials of requests that the user could not be asked about; it grows while the turn runs. Calls denied
 * by a rule or the mode are not among them.
 */
export function deniedCalls(asked: readonly AskedDenial[]): DeniedCalls {
  const denials: Denial[] = [];
  const used = new Set<AskedDenial>();
  // A sub-agent's call may have the same id as a call of its parent.
  const callsOf = new Map<string, Map<string, Pick<Denial, "tool" | "about">>>();
  const apply = (event: AgentEvent, agent: string): void => {
    if (event.type === "sub-agent") apply(event.event, event.session);
    if (event.type !== "entry") return;
    const calls = callsOf.get(agent) ?? new Map<string, Pick<Denial, "tool" | "about">>();
    callsOf.set(agent, calls);
    noteCalls(event.entry, calls);
    if (event.entry.kind !== "tool-end" || event.entry.outcome !== "denied") return;
    const { call } = event.entry;
    const known = asked.find((each) => each.call === call && !used.has(each));
    if (known !== undefined) used.add(known);
    denials.push(known ?? { ...(calls.get(call) ?? { tool: call, about: "" }), why: whyOf(event.entry) });
  };
  return {
    apply: (event) => apply(event, ""),
    all: () => [...denials, ...asked.filter((each) => !used.has(each))],
  };
}

function noteCalls(entry: Entry, calls: Map<string, Pick<Denial, "tool" | "about">>): void {
  if (entry.kind !== "reply") return;
  for (const part of entry.parts) {
    if (part.type === "tool-call") calls.set(part.call, { tool: part.name, about: aboutCall(part.input) });
  }
}

function whyOf({ parts, denial }: EntryOf<"tool-end">): string {
  return denial === undefined ? textOf(parts) : callReasonInEnglish(denial) || textOf(parts);
}
