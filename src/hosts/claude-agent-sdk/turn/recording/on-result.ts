import type { EndedCall } from "../../../../agent/turn/files/running-calls.ts";
import { isJsonObject } from "../../../../record/json.ts";
import type { OutsideChange } from "../../../../record/outside.ts";
import type { Call } from "../calls/call-book.ts";
import type { ClaudeContext } from "../claude-context.ts";

/**
 * What the call changed: in the workspace it is looked for by the next capture, outside it the log keeps it. What a sub-agent
 * changed there goes up to the call that the session itself has made, because only its log is gone back in.
 */
export async function onResult(context: ClaudeContext, call: Call): Promise<readonly OutsideChange[]> {
  const { subAgents } = context;
  const changes = [...(await changesOf(context, call)), ...(await subAgents.end(call.id))];
  if (call.task === undefined) return changes;
  await subAgents.note(call.task, changes);
  return [];
}

/** A command's result is heard when its shell has ended; what it sends to the background may run to the end of the turn. */
function endOf({ now }: ClaudeContext, { name, input, differs, facts }: Call): EndedCall {
  if (name !== "Bash") return { wrote: facts?.writes };
  const given = differs ?? input;
  const isSent = isJsonObject(given) && given["run_in_background"] === true;
  return { processes: isSent ? { isRunning: () => now.turn === "running" } : { endedAt: Date.now() } };
}

async function changesOf(context: ClaudeContext, call: Call): Promise<readonly OutsideChange[]> {
  const { captures, outside } = context;
  // One that was denied, or that the SDK found invalid, has done nothing.
  if (call.state !== "started") return [];
  captures.ended(call.id, endOf(context, call));
  const changes = (await call.watch?.changes()) ?? [];
  outside.add(changes);
  return changes;
}
