import { planText } from "../../../agent/permissions/unasked/plan.ts";
import type { Person, PlanAnswer, Question } from "../../../ports/person.ts";
import type { CallReason } from "../../../record/call-reason.ts";
import { BACKTRACK_TOOL, isJsonObject, type Json } from "../../../record/parts.ts";
import { askPerson } from "../permissions/permit-call.ts";
import { toolFacts } from "../permissions/tool-facts.ts";
import type { SdkCanUseTool, SdkPermission } from "../sdk/sdk-types.ts";
import { beginCall, NOT_RECORDED } from "./before-call.ts";
import { type Call, givenInput, permitsFor } from "./call-book.ts";
import type { ClaudeContext } from "./claude-context.ts";

const NOT_PLANNING = "Not in plan mode, so there is no plan to approve. Just do the work.";

type Given = Record<string, unknown>;

/**
 * Returns the function that answers the SDK's permission requests. It is needed if our hook did not decide, or if the
 * user must approve a plan or answer a question.
 */
export function canUseTool(context: ClaudeContext): SdkCanUseTool {
  return async (name, input, { toolUseID, agentID, signal, decisionReason }) => {
    const call = context.calls.get(toolUseID);
    // This is checked first, so that the user is not asked needlessly.
    if (call === undefined || call.state === "ended") return { behavior: "deny", message: NOT_RECORDED };
    const both = AbortSignal.any([signal, context.now.signal]);
    const given = { ...input };
    if (name === "ExitPlanMode") return planned(context, { call, given, signal: both });
    if (name === "AskUserQuestion") return answerQuestion(context, { call, given, signal: both });
    const asked = withoutPlan(call, input);
    const wanted = {
      id: toolUseID,
      name: call.name,
      input: asked,
      folder: call.folder,
      ...by(agentID),
      ...guarded(call, decisionReason),
    };
    // Our hook may have started the call already, but the call does not run while the user is being asked.
    context.captures.withdrawn(call.id);
    const permit = await askPerson(permitsFor(context, call), wanted, both);
    if (permit.permit === "no") return refuse(context, call, permit);
    // One of the user's hooks may have changed the input since our hook ran.
    call.facts = await toolFacts(context.workspace, wanted);
    call.differs = givenInput(context.workspace, call, asked).differs;
    const command = permit.plan === undefined ? {} : { command: planText(permit.plan) };
    return start(context, { call, given: { ...given, ...command }, granted: permit.granted });
  };
}

/**
 * Returns the model's own input. The user is asked about this input, not about the line that our hook put in its place.
 */
function withoutPlan({ planned: answerPlan }: Call, input: unknown): unknown {
  const isOurs = answerPlan !== undefined && isJsonObject(input) && input["command"] === answerPlan.text;
  return isOurs ? answerPlan.given : input;
}

function by(agent: string | undefined): { readonly by?: "sub-agent" } {
  return agent === undefined ? {} : { by: "sub-agent" };
}

/** Returns the SDK's reason for asking if the SDK asks even though our hook allowed the call. */
function guarded(call: Call, why: string | undefined): { readonly guard?: string } {
  return call.state === "started" ? { guard: why ?? "its own rules or settings require permission" } : {};
}

interface AskedCall {
  readonly call: Call;
  readonly given: Given;
  readonly signal: AbortSignal;
}

async function planned(context: ClaudeContext, { call, given, signal }: AskedCall): Promise<SdkPermission> {
  if (context.mode() !== "plan") return { behavior: "deny", message: NOT_PLANNING };
  context.permits.onAsk(call.id);
  const { permission, mode, reason } = await approvePlan(context.person, given, signal);
  if (mode !== undefined) context.setMode(mode);
  const answer = await permitted(context, call, permission);
  if (call.denied !== undefined) call.deniedFor = reason;
  return answer;
}

async function answerQuestion(
  context: ClaudeContext,
  { call, given, signal }: AskedCall,
): Promise<SdkPermission> {
  context.permits.onAsk(call.id);
  return permitted(context, call, await answerQuestions(context.person, given, signal));
}

async function permitted(
  context: ClaudeContext,
  call: Call,
  permission: SdkPermission,
): Promise<SdkPermission> {
  if (permission.behavior === "allow") return start(context, { call, given: permission.updatedInput });
  noteDenial(context, call, permission.message);
  return permission;
}

async function start(
  context: ClaudeContext,
  { call, given, granted }: Pick<AskedCall, "call" | "given"> & { readonly granted?: string | undefined },
): Promise<SdkPermission> {
  // A call to Backtrack does not change anything by itself. Its result is written when the backtrack is carried out.
  if (call.name === BACKTRACK_TOOL) return { behavior: "allow", updatedInput: given };
  const why = await beginCall(context, call, granted);
  return why === undefined ? { behavior: "allow", updatedInput: given } : { behavior: "deny", message: why };
}

function refuse(
  context: ClaudeContext,
  call: Call,
  { why, reason }: { readonly why: string; readonly reason?: CallReason | undefined },
): SdkPermission {
  noteDenial(context, call, why);
  if (call.denied !== undefined) call.deniedFor = reason;
  return { behavior: "deny", message: `Denied: ${why}` };
}

/** Records why the user denied a call. An interrupt is not an answer. */
function noteDenial({ now }: ClaudeContext, call: Call, why: string): void {
  if (!now.signal.aborted) call.denied = why;
}

const NO_ANSWER =
  "No user is available to answer. Make a cautious decision yourself, and state your assumptions in your answer.";

/**
 * Asks the user the questions from AskUserQuestion. The SDK expects the answers in the input, each under the text of
 * its question.
 */
export async function answerQuestions(
  person: Person,
  input: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<SdkPermission> {
  const listed = input["questions"] as Json | undefined;
  const questions = Array.isArray(listed) ? listed.flatMap(questionIn) : [];
  if (questions.length === 0) return { behavior: "deny", message: "The call contains no questions." };
  const answers = await person.answer(questions, signal);
  if (answers === undefined) return { behavior: "deny", message: NO_ANSWER };
  const byQuestion = questions.flatMap(({ question }, index) => {
    const answer = answers[index];
    return answer === undefined ? [] : [[question, answer] as const];
  });
  return { behavior: "allow", updatedInput: { ...input, answers: Object.fromEntries(byQuestion) } };
}

function questionIn(asked: Json): readonly Question[] {
  if (!isJsonObject(asked)) return [];
  const { question, header, options, multiSelect } = asked;
  if (typeof question !== "string" || !Array.isArray(options)) return [];
  return [
    {
      question,
      header: typeof header === "string" ? header : "",
      options: options.flatMap(optionIn),
      several: multiSelect === true ? "any" : "one",
    },
  ];
}

function optionIn(option: Json): Question["options"] {
  if (!isJsonObject(option) || typeof option["label"] !== "string") return [];
  const { label, description } = option;
  return [{ label, description: typeof description === "string" ? description : "" }];
}

interface PlanVerdict {
  readonly permission: SdkPermission;
  /** The mode for carrying out the plan. Absent if the plan was not approved. */
  readonly mode?: Extract<PlanAnswer, { answer: "approved" }>["mode"];
  /** Why the user did not approve the plan. Absent if the user was not asked. */
  readonly reason?: CallReason;
}

/**
 * Shows the user the plan of an ExitPlanMode call, whose input contains the text of the plan file. If the call is
 * allowed, the SDK itself leaves plan mode.
 */
export async function approvePlan(
  person: Person,
  input: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<PlanVerdict> {
  const { plan } = input;
  if (typeof plan !== "string" || plan.trim() === "")
    return no("There is no plan yet. Write it to the plan file first, and then show it with ExitPlanMode.");
  const answer = await person.approve(plan, signal);
  if (answer.answer === "no") {
    const { reason: words, because = { code: "said", words } } = answer;
    return { ...no(`The plan was not approved: ${words}`), reason: because };
  }
  return { permission: { behavior: "allow", updatedInput: { ...input } }, mode: answer.mode };
}

function no(message: string): PlanVerdict {
  return { permission: { behavior: "deny", message } };
}
