import { sep } from "node:path";
import type { OutsideWatch } from "../../machine/files/outside-files.ts";
import { type CallReason, callReasonInEnglish } from "../../record/call-reason.ts";
import type { EntryOf } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import { BACKTRACK_TOOL, type ToolCallPart, textPart } from "../../record/parts.ts";
import { type DecideRequest, decide, whyNotInPlan } from "../permissions/decide.ts";
import type { Subject } from "../permissions/rules.ts";
import { programsIn } from "../permissions/shell/every-command.ts";
import { type CommandPlan, onlyLooks } from "../permissions/unasked/plan.ts";
import {
  type Later,
  MALFORMED_INPUT,
  type Preview,
  parseInput,
  type Tool,
  type ToolCall,
  type ToolResult,
} from "../tools/tool.ts";
import type { StartingCall } from "./files/running-calls.ts";
import type { TurnContext } from "./turn-context.ts";

/**
 * Runs the calls of a reply in their order. Neighbours that only look, and sub-agents, run side by side; what changes
 * something runs alone, because a model that writes a file and then tests it means that order.
 */
export async function runCalls(
  context: TurnContext,
  calls: readonly ToolCallPart[],
  signal: AbortSignal,
): Promise<void> {
  for (const group of groupsOf(context, calls)) {
    await settleAll(group.map(async (call) => runCall(context, call, signal)));
  }
}

function groupsOf(context: TurnContext, calls: readonly ToolCallPart[]): ToolCallPart[][] {
  const groups: { readonly calls: ToolCallPart[]; readonly beside: "others" | "nobody" }[] = [];
  for (const call of calls) {
    const beside = runsBeside(context, call);
    const last = groups.at(-1);
    if (beside === "others" && last?.beside === "others") last.calls.push(call);
    else groups.push({ calls: [call], beside });
  }
  return groups.map((group) => group.calls);
}

function runsBeside({ tools }: TurnContext, { name }: ToolCallPart): "others" | "nobody" {
  const tool = tools.get(name);
  return tool?.reach === "reads" ? "others" : (tool?.beside ?? "nobody");
}

/** All to their end, even if one fails: a tool must not outlive the turn that waits for it. */
async function settleAll(running: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(running);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

/** A call whose tool is known and whose arguments fit. */
interface ParsedCall {
  readonly part: ToolCallPart;
  readonly tool: Tool;
  readonly input: unknown;
}

const NOT_STARTED: CallReason = { code: "not-started-interrupted" };
const NOT_WRITTEN: CallReason = { code: "not-started-unwritten" };

/** One call of a reply, from its arguments to its result, which is durable afterwards whatever happened. */
async function runCall(context: TurnContext, part: ToolCallPart, signal: AbortSignal): Promise<void> {
  const { session, captures } = context;
  const parsed = parseCall(context, part);
  if ("error" in parsed) {
    await session.toolEnd(part.call, "error", parsed.error);
    return;
  }
  if (signal.aborted) return notStarted(context, part);
  const subjects = await parsed.tool.subjects(parsed.input);
  const permit = await permitCall(context, parsed, subjects, signal);
  if (signal.aborted) return notStarted(context, part);
  if (permit.permit === "fails") {
    await session.toolEnd(part.call, "error", permit.why);
    return;
  }
  if (permit.permit === "no") {
    await session.toolEnd(part.call, "denied", denial(permit));
    return;
  }
  const { tool } = parsed;
  // After permission was given: what was changed while the question was open is not the tool's.
  await captures.starting(startingCall(parsed, subjects), signal);
  if (signal.aborted) return notStarted(context, part);
  // While the user was asked or a capture ran, they may have changed to plan mode.
  const late = whyNotInPlan({ mode: context.mode(), reach: tool.reach });
  if (late !== undefined) {
    captures.withdrawn(part.call);
    await session.toolEnd(part.call, "denied", denial({ why: callReasonInEnglish(late), reason: late }));
    return;
  }
  // What cannot change anything need not be known as started.
  if (tool.reach !== "nothing") await begin(context, parsed, permit);
  const watch = await watchFiles(context, parsed, subjects);
  const result = await perform(context, parsed, {
    signal,
    places: subjects.flatMap((subject) => (subject.kind === "path" ? [subject.path] : [])),
    plan: permit.plan,
  });
  captures.ended(part.call, result === "later" ? {} : { wrote: result.touched, processes: result.processes });
  if (result === "later") return;
  const { outcome, parts, seen, reason } = result;
  const outside = [...((await watch?.changes()) ?? []), ...(result.outside ?? [])];
  context.outside.add(outside);
  await session.toolEnd(part.call, outcome, {
    parts,
    ...(reason === undefined ? {} : { denial: reason }),
    ...(seen === undefined ? {} : { seen }),
    ...(outside.length === 0 ? {} : { outside }),
  });
}

function denial({
  why,
  reason,
}: Omit<Extract<Permit, { permit: "no" }>, "permit">): Pick<EntryOf<"tool-end">, "parts" | "denial"> {
  return { parts: [textPart(`Denied: ${why}`)], ...(reason === undefined ? {} : { denial: reason }) };
}

/** Where its start cannot be written it does not run; both lines wait for room, so that it is not taken for an open call. */
async function begin(
  { session, captures }: TurnContext,
  { part, tool }: ParsedCall,
  { granted }: Extract<Permit, { permit: "yes" }>,
): Promise<void> {
  try {
    await session.toolStart(part.call, tool.name, granted === undefined ? {} : { granted });
  } catch (error) {
    captures.withdrawn(part.call);
    const parts = [textPart(callReasonInEnglish(NOT_WRITTEN))];
    await session.toolEnd(part.call, "error", { parts, denial: NOT_WRITTEN }).catch(() => undefined);
    throw error;
  }
}

/** What is known of the call before it runs. */
function startingCall({ part, tool, input }: ParsedCall, subjects: readonly Subject[]): StartingCall {
  const { reach, works } = tool;
  const commands = subjects.flatMap((subject) => (subject.kind === "command" ? [subject] : []));
  const isReading = commands.length > 0 && commands.every(({ plan }) => onlyLooks(plan));
  const about = tool.about(input);
  return {
    call: part.call,
    reach,
    works,
    about: commands.length > 0 ? about : `${tool.name} ${about}`.trim(),
    ...(reach === "files" ? { writes: writtenBy(subjects) } : {}),
    ...(isReading ? { reads: "only" } : {}),
  };
}

function parseCall(context: TurnContext, part: ToolCallPart): ParsedCall | { readonly error: string } {
  if (part.malformed !== undefined) {
    return { error: MALFORMED_INPUT };
  }
  const tool = context.tools.get(part.name);
  if (tool === undefined) {
    if (part.name === BACKTRACK_TOOL) return { error: "Backtrack is not available in this context." };
    return { error: `There is no tool ${part.name} here. Tools: ${[...context.tools.keys()].join(", ")}` };
  }
  const parsed = parseInput(tool, part.input);
  return "error" in parsed ? parsed : { part, tool, input: parsed.input };
}

async function perform(
  context: TurnContext,
  { part, tool, input }: ParsedCall,
  given: Pick<ToolCall, "signal" | "places" | "plan">,
): Promise<ToolResult | Later> {
  context.tell({
    type: "doing",
    doing: { what: "tool", call: part.call, name: tool.name, about: tool.about(input) },
  });
  try {
    return await tool.run(input, {
      id: part.call,
      ...given,
      onOutput: (text) => context.tell({ type: "output", call: part.call, text }),
    });
  } catch (error) {
    // One tool's fault costs its call, not the turn.
    return { outcome: "error", parts: [textPart(`The tool failed: ${messageOf(error)}`)] };
  }
}

function messageOf(error: unknown): string {
  if (isWorldlineError(error)) return [error.message, error.hint ?? ""].join(" ").trim();
  return error instanceof Error ? error.message : String(error);
}

async function notStarted({ session }: TurnContext, { call }: ToolCallPart): Promise<void> {
  const parts = [textPart(callReasonInEnglish(NOT_STARTED))];
  await session.toolEnd(call, "interrupted", { parts, denial: NOT_STARTED });
}

/** Keeps the files that a call names and no snapshot has. What a command changes there nobody can say. */
async function watchFiles(
  { watchOutside }: TurnContext,
  { tool }: ParsedCall,
  subjects: readonly Subject[],
): Promise<OutsideWatch | undefined> {
  if (tool.reach !== "files") return undefined;
  return watchOutside(writtenBy(subjects));
}

/** The paths that a call says it will write. */
function writtenBy(subjects: readonly Subject[]): readonly string[] {
  return subjects.flatMap((subject) =>
    subject.kind === "path" && subject.access === "write" ? [subject.path] : [],
  );
}

export type Permit =
  /** `plan`: present where the words of a command were allowed. It must run so. */
  | { readonly permit: "yes"; readonly granted?: string; readonly plan?: CommandPlan | undefined }
  /** `why`: for the model. `reason`: the same as a code, where the user did not write it. */
  | { readonly permit: "no"; readonly why: string; readonly reason?: CallReason | undefined }
  /** It would fail now, so the user was not asked. */
  | { readonly permit: "fails"; readonly why: string };

/** Whether the call may run: by rule, by mode, or because the person says so. */
async function permitCall(
  context: TurnContext,
  call: ParsedCall,
  subjects: readonly Subject[],
  signal: AbortSignal,
): Promise<Permit> {
  const { tool, input, part } = call;
  if (subjects.length > 0 && subjects.every((subject) => isKeptOutput(context, subject)))
    return { permit: "yes" };
  const scene = {
    mode: context.mode(),
    rules: context.rules,
    workspace: context.workspace,
    granted: await context.grants(),
  };
  const decision = decide({ ...scene, tool: tool.name, reach: tool.reach, subjects });
  if (decision.decision === "allow") {
    return { permit: "yes", plan: decision.plan };
  }
  if (decision.decision === "deny") return { permit: "no", why: decision.why, reason: decision.reason };
  const preview = await previewOf(tool, input);
  const { refused } = { refused: undefined, ...preview };
  if (refused !== undefined && subjects.every((subject) => mayBeSeen(scene, subject)))
    return { permit: "fails", why: refused };
  context.tell({ type: "doing", doing: { what: "asking", call: part.call } });
  const runs = subjects.flatMap((subject) => (subject.kind === "command" ? programsIn(subject.command) : []));
  const answer = await context.person.allow(
    {
      call: part.call,
      tool: tool.name,
      input: part.input,
      about: tool.about(input),
      reason: decision.reason,
      why: decision.why,
      help: decision.help,
      rule: decision.rule,
      ...(refused === undefined ? preview : { cannot: refused }),
      ...(runs.length === 0 ? {} : { runs }),
    },
    signal,
  );
  if (answer.answer === "once") return { permit: "yes" };
  if (answer.answer === "session") return { permit: "yes", granted: answer.rule };
  const { reason: words, because = { code: "said", words } } = answer;
  return { permit: "no", why: words, reason: because };
}

/** The model was told itself where the rest of an output is; that place lies outside the workspace. */
function isKeptOutput({ outputs }: TurnContext, subject: Subject): boolean {
  return subject.kind === "path" && subject.access === "read" && subject.path.startsWith(outputs + sep);
}

/** Whether the model may look there unasked: why a call would fail tells what is there. */
function mayBeSeen(scene: Omit<DecideRequest, "tool" | "reach" | "subjects">, subject: Subject): boolean {
  if (subject.kind !== "path") return true;
  const read = { ...subject, access: "read" as const };
  return decide({ ...scene, tool: "Read", reach: "reads", subjects: [read] }).decision === "allow";
}

/** The question can be asked without it, and says so. */
async function previewOf(tool: Tool, input: unknown): Promise<Preview | { without: "unknown" } | undefined> {
  try {
    return await tool.preview?.(input);
  } catch {
    return { without: "unknown" };
  }
}
