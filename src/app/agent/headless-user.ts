import type { AgentEvent } from "../../ports/agent-events.ts";
import type {
  PermissionAnswer,
  PermissionRequest,
  Person,
  PlanAnswer,
  Question,
} from "../../ports/person.ts";
import { callReasonInEnglish } from "../../record/call-reason.ts";
import type { Entry, EntryOf } from "../../record/entry.ts";
import { isJsonObject, textOf } from "../../record/parts.ts";
import { aboutCall, wholeAbout } from "../../timeline/turn-state.ts";

type Answer<Value> = Value | Promise<Value>;

/** Callbacks that a program uses to answer in place of the user. */
export interface ProgramAnswers {
  /** Answers the agent's permission requests. If absent, all requests are declined. */
  readonly permission?: (request: PermissionRequest, signal: AbortSignal) => Answer<PermissionAnswer>;
  /** Answers the agent's own questions, in the order that they are asked. If absent, the questions stay unanswered. */
  readonly question?: (
    questions: readonly Question[],
    signal: AbortSignal,
  ) => Answer<readonly string[] | undefined>;
  /** Approves or declines a plan that was made in plan mode. If absent, plans are declined. */
  readonly plan?: (plan: string, signal: AbortSignal) => Answer<PlanAnswer>;
}

/** The reason for a refusal, in English for the model and as a code if one exists. */
type Refusal = Omit<Extract<PlanAnswer, { answer: "no" }>, "answer">;

/**
 * Answers in place of the user when no user can be asked. Unless the program's `answers` decide otherwise, calls and
 * plans are declined and questions stay unanswered.
 */
export function headlessUser({
  answers = {},
  refuseCall,
  refusePlan,
  onDenied,
}: {
  readonly answers?: ProgramAnswers;
  readonly refuseCall: (request: PermissionRequest) => Refusal;
  readonly refusePlan: (plan: string) => Refusal;
  readonly onDenied?: (denial: AskedDenial) => void;
}): Person {
  const declined = (request: PermissionRequest): PermissionAnswer => {
    onDenied?.(denialOf(request));
    return { answer: "no", ...refuseCall(request) };
  };
  return {
    allow: async (request, signal) => (await answers.permission?.(request, signal)) ?? declined(request),
    answer: async (questions, signal) => answers.question?.(questions, signal),
    approve: async (plan, signal) =>
      (await answers.plan?.(plan, signal)) ?? { answer: "no", ...refusePlan(plan) },
  };
}

export interface Denial {
  readonly tool: string;
  /** The full subject of the call, as the model wrote it. */
  readonly about: string;
  readonly why: string;
  /** The permission rule that would allow the call, if one is known. */
  readonly rule?: string;
}

/** A call that was denied because the user could not be asked. */
export interface AskedDenial extends Denial {
  readonly call: string;
}

function denialOf({ call, tool, input, about, why, rule, help }: PermissionRequest): AskedDenial {
  const field = wholeAbout(input, about);
  const whole = field === undefined || !isJsonObject(input) ? about : String(input[field]);
  return { call, tool, about: whole, why, ...(help === "none" ? {} : { rule }) };
}

/** Collects the denied calls of the agent and its sub-agents from a turn's events. */
interface DeniedCalls {
  apply(event: AgentEvent): void;
  all(): readonly Denial[];
}

/**
 * Collects a turn's denied calls. `asked` contains the calls that were denied because the user could not be asked, and
 * grows while the turn is running. Calls that were denied by a rule or by the permission mode are found in the events.
 */
export function deniedCalls(asked: readonly AskedDenial[]): DeniedCalls {
  const denials: Denial[] = [];
  const used = new Set<AskedDenial>();
  // A sub-agent's call may have the same id as one of its parent's calls.
  const callsOf = new Map<string | undefined, Map<string, Pick<Denial, "tool" | "about">>>();
  const apply = (event: AgentEvent, agent?: string): void => {
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
    apply: (event) => apply(event),
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
