import type { ToolCallPart } from "../../../record/parts.ts";
import type { TurnContext } from "../turn-context.ts";
import { runCall } from "./one-call.ts";

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
