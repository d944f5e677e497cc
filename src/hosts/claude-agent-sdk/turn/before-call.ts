import type { Decision } from "../../../agent/permissions/decide.ts";
import { onlyLooks, planText } from "../../../agent/permissions/unasked/plan.ts";
import { MALFORMED_INPUT } from "../../../agent/tools/tool.ts";
import type { StartingCall } from "../../../agent/turn/files/running-calls.ts";
import { type CallReason, callReasonInEnglish } from "../../../record/call-reason.ts";
import type { EntryOf } from "../../../record/entry.ts";
import { isWorldlineError } from "../../../record/error.ts";
import { BACKTRACK_TOOL, isDeeperThan, isJsonObject, MAX_INPUT_DEPTH } from "../../../record/parts.ts";
import { CLAUDE_HOST } from "../conversation/position.ts";
import { decideCall } from "../permissions/permit-call.ts";
import { toolFacts } from "../permissions/tool-facts.ts";
import type { SdkHookInput, SdkHookOutput } from "../sdk/sdk-types.ts";
import { type Call, givenInput, permitsFor } from "./call-book.ts";
import type { ClaudeContext } from "./claude-context.ts";

/**
 * How long a hook waits for the reply that contains its call. The SDK sends the hook's call and the reply through the
 * same pipe.
 */
const PATIENCE_MS = 10_000;
/** How long a hook waits for the end of a reply that is still arriving. */
const WHOLE_MS = 2_000;

/** Tools that change files only through a sub-agent's calls. A hook runs before each of these calls. */
const WORKS_BY_CALLS: ReadonlySet<string> = new Set(["Task", "Agent"]);

export const NOT_RECORDED = callReasonInEnglish({ code: "not-started-unrecorded" });
const NOT_WRITTEN: CallReason = { code: "not-started-unwritten" };
const INTERRUPTED: CallReason = { code: "not-started-interrupted" };

/**
 * The hook that runs before a call. A call runs only if the reply that requests it is in the log, the call is allowed,
 * and its start is durable.
 */
export async function beforeCall(context: ClaudeContext, input: SdkHookInput): Promise<SdkHookOutput> {
  const call = await announcedCall(context, input.tool_use_id ?? "");
  if (call === undefined) return denial(NOT_RECORDED);
  if (context.now.refused !== undefined) return denial(callReasonInEnglish(NOT_WRITTEN), call);
  if (isDeeperThan(input.tool_input, MAX_INPUT_DEPTH)) {
    call.denied = MALFORMED_INPUT;
    call.deniedFor = { code: "malformed-input" };
    return denial(MALFORMED_INPUT, call);
  }
  const { given, differs } = givenInput(context.workspace, call, input.tool_input);
  call.differs = differs;
  const by = call.task === undefined ? {} : { by: "sub-agent" as const };
  call.folder = input.cwd;
  const permit = { id: call.id, name: call.name, input: given, folder: call.folder, ...by };
  call.facts = await toolFacts(context.workspace, permit);
  const decision = await decideCall(permitsFor(context, call), permit);
  if (decision.decision === "deny") {
    call.denied = decision.why;
    call.deniedFor = decision.reason;
    return denial(`Denied: ${decision.why}`, call);
  }
  if (decision.decision === "ask") return asked(decision.why);
  // A call to Backtrack does not change anything by itself. Its result is written when the backtrack is carried out.
  if (call.name === BACKTRACK_TOOL) return allowed();
  const why = await beginCall(context, call);
  if (why !== undefined) return denial(why, call);
  if (decision.plan === undefined || !isJsonObject(given)) return allowed();
  // The SDK runs commands with its own shell, so it gets a line that contains nothing for a shell to expand.
  call.planned = { given, text: planText(decision.plan) };
  return allowed({ ...given, command: call.planned.text });
}

/** Waits until the reply that requests the call is in the log. Returns the call. */
async function announcedCall(context: ClaudeContext, id: string): Promise<Call | undefined> {
  const call = await context.calls.announced(id, PATIENCE_MS);
  if (call === undefined) return undefined;
  if (call.task !== undefined) await context.subAgents.settle(call.task);
  else if ((await context.calls.written(id, WHOLE_MS)) === "late") await context.recorder.flush();
  return call;
}

/**
 * Makes the call's start durable. If the call must not run, returns the reason. If our store refuses the start, the
 * turn ends as well.
 */
export async function beginCall(
  context: ClaudeContext,
  call: Call,
  granted?: string,
): Promise<string | undefined> {
  const { now } = context;
  try {
    // The call is registered with the captures only after permission has been granted. Files that changed while the
    // question was open were not changed by the tool.
    await context.captures.starting(startingCall(call), now.signal);
    // If the call has ended, an interrupt has already given it a result.
    if (now.signal.aborted || call.state === "ended") {
      context.captures.withdrawn(call.id);
      return callReasonInEnglish(INTERRUPTED);
    }
    const late = await deniedSince(context, call);
    if (late !== undefined) {
      context.captures.withdrawn(call.id);
      call.denied = late.why;
      call.deniedFor = late.reason;
      return `Denied: ${late.why}`;
    }
    if (call.state === "asked") await start(context, call, granted);
    else if (granted !== undefined) await grantLate(context, call, granted);
    return undefined;
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    context.captures.withdrawn(call.id);
    now.refused = error;
    call.denied = callReasonInEnglish(NOT_WRITTEN);
    call.deniedFor = NOT_WRITTEN;
    return call.denied;
  }
}

/**
 * Checks the mode again, because the user may have changed to plan mode while the question was open or a capture was
 * running.
 */
async function deniedSince(
  context: ClaudeContext,
  call: Call,
): Promise<Extract<Decision, { decision: "deny" }> | undefined> {
  if (context.mode() !== "plan") return undefined;
  const { id, name, input, differs = input, folder, task } = call;
  const by = task === undefined ? {} : { by: "sub-agent" as const };
  const decision = await decideCall(permitsFor(context, call), { id, name, input: differs, folder, ...by });
  return decision.decision === "deny" ? decision : undefined;
}

/** Returns the facts that the captures need before a call runs. */
function startingCall({ id, name, facts }: Call): StartingCall {
  const { reach = "anything", writes, about = "", subjects = [] } = facts ?? {};
  const commands = subjects.flatMap((subject) => (subject.kind === "command" ? [subject] : []));
  const isReading = commands.length > 0 && commands.every(({ plan }) => onlyLooks(plan));
  return {
    call: id,
    reach,
    about: commands.length > 0 ? about : `${name} ${about}`.trim(),
    writes,
    ...(isReading ? { reads: "only" } : {}),
    ...(WORKS_BY_CALLS.has(name) ? { works: "by-calls" } : {}),
  };
}

async function start(context: ClaudeContext, call: Call, granted: string | undefined): Promise<void> {
  const { reach = "anything", writes, about = "" } = call.facts ?? {};
  if (reach !== "nothing") await call.session.toolStart(call.id, call.name, startOf(call, granted));
  call.state = "started";
  if (reach === "files") call.watch = await context.session.watchOutside(writes ?? []);
  if (call.task === undefined) {
    context.emit({ type: "doing", doing: { what: "tool", call: call.id, name: call.name, about } });
  }
}

function startOf(
  { differs }: Call,
  granted: string | undefined,
): Pick<EntryOf<"tool-start">, "input" | "granted"> {
  return {
    ...(differs === undefined ? {} : { input: differs }),
    ...(granted === undefined ? {} : { granted }),
  };
}

/**
 * Logs a rule that the user granted when the SDK itself asked, after our hook had already allowed the call. The rule
 * goes into a separate entry, because a second `tool-start` for the same call would look like another call.
 */
async function grantLate({ conversation }: ClaudeContext, { session }: Call, granted: string): Promise<void> {
  const hostSession = conversation.live?.hostSession;
  if (hostSession === undefined) return;
  await session.append({ kind: "host", host: CLAUDE_HOST, hostSession, granted });
}

function allowed(updatedInput?: Record<string, unknown>): SdkHookOutput {
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "allow",
      ...(updatedInput === undefined ? {} : { updatedInput }),
    },
  };
}

function asked(why: string): SdkHookOutput {
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "ask",
      permissionDecisionReason: why,
    },
  };
}

function denial(why: string, call?: Call): SdkHookOutput {
  if (call !== undefined) call.refusal = why;
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: why,
    },
  };
}
