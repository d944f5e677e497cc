import type { OutsideChange } from "../../../../record/outside.ts";
import type { Call } from "../calls/call-book.ts";
import type { ClaudeBench } from "../claude-bench.ts";

/**
 * What the call changed: in the workspace it is looked for by the next capture, outside it the log keeps it. What a sub-agent
 * changed there goes up to the call that the session itself has made, because only its log is gone back in.
 */
export async function onResult(bench: ClaudeBench, call: Call): Promise<readonly OutsideChange[]> {
  const { subAgents } = bench;
  const changes = [...(await changesOf(bench, call)), ...(await subAgents.end(call.id))];
  if (call.task === undefined) return changes;
  await subAgents.note(call.task, changes);
  return [];
}

async function changesOf({ captures, outside }: ClaudeBench, call: Call): Promise<readonly OutsideChange[]> {
  // One that was denied, or that the SDK found invalid, has done nothing.
  if (call.state !== "started") return [];
  const { reach = "anything", writes } = call.facts ?? {};
  if (reach === "anything") captures.touched(undefined);
  if (reach === "files") captures.touched(writes);
  const changes = (await call.watch?.changes()) ?? [];
  outside.add(changes);
  return changes;
}
