import { setTimeout } from "node:timers/promises";
import type { Agent } from "../../../../src/ports/agent.ts";
import type { AgentEvent } from "../../../../src/ports/agent-events.ts";

const PATIENCE_MS = 20_000;

/** Resolves with the first matching event from now on. */
export async function heard(agent: Agent, isMeant: (event: AgentEvent) => boolean): Promise<AgentEvent> {
  return new Promise((resolve) => {
    const stop = agent.on((event) => {
      if (!isMeant(event)) return;
      // The first event can arrive before `on` has returned `stop`.
      queueMicrotask(() => stop());
      resolve(event);
    });
  });
}

/** Polls until `look` finds something. */
export async function until<Found>(look: () => Found | undefined): Promise<Found> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error("What was waited for did not come.");
    await setTimeout(20);
  }
}
