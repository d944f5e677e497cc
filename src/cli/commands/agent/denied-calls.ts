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
  /** As the model wrote it, to its end. */
  readonly about: string;
  readonly why: string;
  /** What would allow it; absent where no `--allow` does. */
  readonly rule?: string;
}

/** One that was denied because the user cannot be asked. */
export interface AskedDenial extends Denial {
  readonly call: string;
}

/**
 * Stands for the user in print mode, where nobody can be asked: every answer is no. The reasons are read by the model,
 * which hands them on, and by whoever reads the log; so they say how to allow it.
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

/** As a shell reads it as one word, on one line: line breaks, and what cannot be seen, as bash, zsh and ksh write them. */
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

/** Every call of a turn that was denied, and those of its sub-agents. */
interface DeniedCalls {
  apply(event: AgentEvent): void;
  all(): readonly Denial[];
}

/** `asked`: those that the user could not be asked to allow; grows while the turn runs. A rule or the mode denies others by itself. */
export function deniedCalls(asked: readonly AskedDenial[]): DeniedCalls {
  const denials: Denial[] = [];
  const used = new Set<AskedDenial>();
  // Calls of a sub-agent may have the ids of its parent's.
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
