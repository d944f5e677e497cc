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
 * Runs the tool calls of one reply in order, and logs a result for each call. Adjacent calls that only read or start
 * sub-agents run in parallel. A call that changes something runs alone, because a model that writes a file and then
 * tests it relies on that order.
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
  const groups: { readonly calls: ToolCallPart[]; readonly order: "parallel" | "alone" }[] = [];
  for (const call of calls) {
    const order = orderOf(context, call);
    const last = groups.at(-1);
    if (order === "parallel" && last?.order === "parallel") last.calls.push(call);
    else groups.push({ calls: [call], order });
  }
  return groups.map((group) => group.calls);
}

function orderOf({ tools }: TurnContext, { name }: ToolCallPart): "parallel" | "alone" {
  const tool = tools.get(name);
  return tool?.reach === "reads" || tool?.beside === "others" ? "parallel" : "alone";
}

/** Waits for all calls even if one of them fails, because a tool must not outlive the turn that started it. */
async function settleAll(running: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(running);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

/** Runs one call: parses its arguments, asks for permission, logs its start, runs the tool and logs the result. */
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
  // The call is registered with the captures only now, because files that changed while the user was deciding were not
  // changed by the tool.
  await captures.starting(startingCall(parsed, subjects), signal);
  if (signal.aborted) return notStarted(context, part);
  // The user may have changed to plan mode while the question was open or a capture was running.
  const late = whyNotInPlan({ mode: context.mode(), reach: tool.reach });
  if (late !== undefined) {
    captures.withdrawn(part.call);
    await session.toolEnd(part.call, "denied", denial({ why: callReasonInEnglish(late), reason: late }));
    return;
  }
  // A call that cannot change anything does not need a logged start, because a crash during the call leaves nothing to
  // restore.
  if (tool.reach !== "nothing") await logStart(context, parsed, permit);
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

/** A call whose tool is known and whose arguments are valid. */
interface ParsedCall {
  readonly part: ToolCallPart;
  readonly tool: Tool;
  readonly input: unknown;
}

function parseCall(context: TurnContext, part: ToolCallPart): ParsedCall | { readonly error: string } {
  if (part.malformed !== undefined) {
    return { error: MALFORMED_INPUT };
  }
  const tool = context.tools.get(part.name);
  if (tool === undefined) {
    if (part.name === BACKTRACK_TOOL) return { error: "Backtrack is not available in this context." };
    return {
      error: `There is no tool named ${part.name}. Available tools: ${[...context.tools.keys()].join(", ")}`,
    };
  }
  const parsed = parseInput(tool, part.input);
  return "error" in parsed ? parsed : { part, tool, input: parsed.input };
}

export type Permit =
  /**
   * `plan` is present if only the individual commands in a line were allowed. The plan must then run instead of the
   * line.
   */
  | { readonly permit: "yes"; readonly granted?: string; readonly plan?: CommandPlan | undefined }
  /** `why` is the text for the model. `reason` is the same reason as a code, unless the user wrote the text. */
  | { readonly permit: "no"; readonly why: string; readonly reason?: CallReason | undefined }
  /** The call would fail anyway, so the user was not asked. */
  | { readonly permit: "fails"; readonly why: string };

/** Decides whether the call may run. A rule or the mode can allow it, or the user is asked. */
async function permitCall(
  context: TurnContext,
  call: ParsedCall,
  subjects: readonly Subject[],
  signal: AbortSignal,
): Promise<Permit> {
  const { tool, input, part } = call;
  if (subjects.length > 0 && subjects.every((subject) => isKeptOutput(context, subject)))
    return { permit: "yes" };
  const permission = {
    mode: context.mode(),
    rules: context.rules,
    workspace: context.workspace,
    granted: await context.grants(),
  };
  const decision = decide({ ...permission, tool: tool.name, reach: tool.reach, subjects });
  if (decision.decision === "allow") {
    return { permit: "yes", plan: decision.plan };
  }
  if (decision.decision === "deny") return { permit: "no", why: decision.why, reason: decision.reason };
  const preview = await previewOf(tool, input);
  const { refused } = { refused: undefined, ...preview };
  if (refused !== undefined && subjects.every((subject) => mayBeSeen(permission, subject)))
    return { permit: "fails", why: refused.why };
  context.emit({ type: "doing", doing: { what: "asking", call: part.call } });
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

/**
 * Checks whether the subject is a saved output. A long output is in a file outside the workspace. The model was given
 * the file's path, so it may read the file.
 */
function isKeptOutput({ outputs }: TurnContext, subject: Subject): boolean {
  return subject.kind === "path" && subject.access === "read" && subject.path.startsWith(outputs + sep);
}

/**
 * Checks whether the model may read the subject's path without permission. If not, the model must not be told why the
 * call would fail, because the reason reveals which files exist there.
 */
function mayBeSeen(
  permission: Omit<DecideRequest, "tool" | "reach" | "subjects">,
  subject: Subject,
): boolean {
  if (subject.kind !== "path") return true;
  const read = { ...subject, access: "read" as const };
  return decide({ ...permission, tool: "Read", reach: "reads", subjects: [read] }).decision === "allow";
}

/**
 * Creates the preview of a call. If that fails, the user is asked without a preview, and the question says that it is
 * missing.
 */
async function previewOf(tool: Tool, input: unknown): Promise<Preview | { without: "unknown" } | undefined> {
  try {
    return await tool.preview?.(input);
  } catch {
    return { without: "unknown" };
  }
}

async function notStarted({ session }: TurnContext, { call }: ToolCallPart): Promise<void> {
  const parts = [textPart(callReasonInEnglish(NOT_STARTED))];
  await session.toolEnd(call, "interrupted", { parts, denial: NOT_STARTED });
}

const NOT_STARTED: CallReason = { code: "not-started-interrupted" };

function denial({
  why,
  reason,
}: Omit<Extract<Permit, { permit: "no" }>, "permit">): Pick<EntryOf<"tool-end">, "parts" | "denial"> {
  return { parts: [textPart(`Denied: ${why}`)], ...(reason === undefined ? {} : { denial: reason }) };
}

/** Returns the facts that the captures need before the call runs. */
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

/** Returns the paths that a call will write to, according to its subjects. */
function writtenBy(subjects: readonly Subject[]): readonly string[] {
  return subjects.flatMap((subject) =>
    subject.kind === "path" && subject.access === "write" ? [subject.path] : [],
  );
}

/**
 * Logs the start of a call. A call whose start cannot be logged does not run. In that case, its start and its result
 * are both written once the store has space again, so that the call does not look interrupted.
 */
async function logStart(
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

const NOT_WRITTEN: CallReason = { code: "not-started-unwritten" };

/**
 * Watches files outside the snapshots that the call will write. Commands cannot be watched, because they do not name
 * the files that they change.
 */
async function watchFiles(
  { watchOutside }: TurnContext,
  { tool }: ParsedCall,
  subjects: readonly Subject[],
): Promise<OutsideWatch | undefined> {
  if (tool.reach !== "files") return undefined;
  return watchOutside(writtenBy(subjects));
}

async function perform(
  context: TurnContext,
  { part, tool, input }: ParsedCall,
  given: Pick<ToolCall, "signal" | "places" | "plan">,
): Promise<ToolResult | Later> {
  context.emit({
    type: "doing",
    doing: { what: "tool", call: part.call, name: tool.name, about: tool.about(input) },
  });
  try {
    return await tool.run(input, {
      id: part.call,
      ...given,
      onOutput: (text) => context.emit({ type: "output", call: part.call, text }),
    });
  } catch (error) {
    // A bug in a tool makes the call fail, not the turn.
    return { outcome: "error", parts: [textPart(`The tool failed: ${messageOf(error)}`)] };
  }
}

function messageOf(error: unknown): string {
  if (isWorldlineError(error)) return [error.message, error.hint ?? ""].join(" ").trim();
  return error instanceof Error ? error.message : String(error);
}
