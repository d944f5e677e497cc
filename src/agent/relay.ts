import type { Listener } from "../machine/events.ts";
import type { AgentEvent } from "../ports/agent-events.ts";

/** Tells what happens to a session's log as events of its agent. */
export function relay(tell: (event: AgentEvent) => void): Listener {
  return (event) => {
    if (event.type === "entry") tell(event);
    if (event.type === "storage-trouble") {
      const { code, message, hint } = event.error;
      tell({ type: "warning", code, message, ...(hint === undefined ? {} : { hint }) });
    }
    if (event.type === "publish-failed") {
      const { message, hint } = event.error;
      tell({
        type: "warning",
        code: "CHECKPOINT_LIST_UNWRITTEN",
        message: `checkpoints/metadata.json could not be written: ${message} The checkpoints themselves are in the log.`,
        ...(hint === undefined ? {} : { hint }),
      });
    }
  };
}
