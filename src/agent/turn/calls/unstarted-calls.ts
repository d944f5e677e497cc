import { turnStateOf } from "../../../machine/looking/turn-state.ts";
import type { Workbench } from "../workbench.ts";

const NEVER_STARTED = "Not started: the turn was cut before.";

/**
 * Answers the calls of a turn that was cut before they began. The model would else be told that nobody knows whether they
 * took effect, which is true only of those that were started, and of those whose start is not written down.
 */
export async function answerUnstarted({
  session,
  tools,
}: Pick<Workbench, "session" | "tools">): Promise<void> {
  const turn = await turnStateOf(session);
  if (turn.state === "idle") return;
  for (const { call, name } of turn.unansweredCalls) {
    if (tools.get(name)?.reach !== "nothing") await session.toolEnd(call, "interrupted", NEVER_STARTED);
  }
}
