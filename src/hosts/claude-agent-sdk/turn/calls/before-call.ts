import { BACKTRACK_TOOL } from "../../../../machine/journeys/backtracking.ts";
import { isWorldlineError } from "../../../../record/error.ts";
import { decideCall } from "../../permissions/permit-call.ts";
import { toolFacts } from "../../permissions/tool-facts.ts";
import type { SdkHookInput, SdkHookOutput } from "../../sdk/sdk-types.ts";
import type { ClaudeBench } from "../claude-bench.ts";
import type { Call } from "./call-book.ts";

/** How long a hook waits for the reply that its call stands in: the SDK sends both through one pipe. */
const PATIENCE_MS = 10_000;
/** How long for the end of that reply, which may still be arriving. */
const WHOLE_MS = 2_000;

const UNHEARD = "Not started: the reply that asks for it did not reach the session's log.";
const NOT_WRITTEN = "Not started: its start could not be written to the session's log.";

/** Before a call: its reply is in the log, it is allowed, and its start is durable. Else it does not run. */
export async function beforeCall(bench: ClaudeBench, input: SdkHookInput): Promise<SdkHookOutput> {
  const call = await heardCall(bench, input.tool_use_id ?? "");
  if (call === undefined) return denial(UNHEARD);
  if (bench.now.refused !== undefined) return denial(NOT_WRITTEN);
  // It changes nothing by itself, and its result is written by whoever carries it out.
  if (call.name === BACKTRACK_TOOL) return allowed();
  const permit = {
    id: call.id,
    name: call.name,
    input: call.input,
    ...(call.task === undefined ? {} : { by: "sub-agent" as const }),
  };
  call.facts = await toolFacts(bench.workspace, permit);
  const decision = await decideCall(bench.permits, permit);
  if (decision.decision === "deny") {
    call.denied = decision.why;
    return denial(`Denied: ${decision.why}`);
  }
  if (decision.decision === "ask") return asked(decision.why);
  return (await beginCall(bench, call)) === "begun" ? allowed() : denial(NOT_WRITTEN);
}

/** The call, when the reply that asks for it is in the log. */
async function heardCall(bench: ClaudeBench, id: string): Promise<Call | undefined> {
  const call = await bench.calls.announced(id, PATIENCE_MS);
  if (call === undefined) return undefined;
  if (call.task !== undefined) await bench.subAgents.flush(call.task);
  else if ((await bench.calls.written(id, WHOLE_MS)) === "late") await bench.recorder.flush();
  return call;
}

/** Makes its start durable. Where our store refuses that, it does not run, and the turn ends. */
export async function beginCall(
  bench: ClaudeBench,
  call: Call,
  granted?: string,
): Promise<"begun" | "refused"> {
  const { captures, now } = bench;
  if (call.state !== "asked") return "begun";
  const { reach = "anything", writes, about = "" } = call.facts ?? {};
  try {
    await captures.ready(reach, now.signal);
    if (now.signal.aborted) return "refused";
    if (reach !== "nothing") {
      await call.session.toolStart(call.id, call.name, granted === undefined ? {} : { granted });
    }
    call.state = "started";
    if (reach === "files") call.watch = await bench.session.watchOutside(writes ?? []);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    now.refused = error;
    call.denied = NOT_WRITTEN;
    return "refused";
  }
  if (call.task === undefined) {
    bench.tell({ type: "doing", doing: { what: "tool", call: call.id, name: call.name, about } });
  }
  return "begun";
}

function allowed(): SdkHookOutput {
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };
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

function denial(why: string): SdkHookOutput {
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: why,
    },
  };
}
