import type { AgentEvent } from "../../ports/agent-events.ts";

/** What a run that was killed had left running, and what became of it; nothing where it left nothing. */
export function leftRunning(ended: readonly string[]): readonly AgentEvent[] {
  if (ended.length === 0) return [];
  const message = `The run that was killed had left commands running, which were ended: ${ended.join("; ")}`;
  return [{ type: "warning", code: "LEFT_RUNNING", message }];
}
