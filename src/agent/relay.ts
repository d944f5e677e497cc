import type { Listener } from "../machine/events.ts";
import type { AgentEvent } from "../ports/agent-events.ts";
import { type EnglishError, inEnglish, problemOf, type WorldlineError } from "../record/error.ts";

function inWords(error: WorldlineError): Omit<EnglishError, "code"> & { readonly code: string } {
  const { code, message, hint, reason, params } = error;
  return { code, message, ...(hint === undefined ? {} : { hint }), reason, params };
}

/** Tells what happens to a session's log as events of its agent. */
export function relay(tell: (event: AgentEvent) => void): Listener {
  return (event) => {
    if (event.type === "entry") tell(event);
    if (event.type === "storage-trouble") {
      tell({ type: "warning", ...inWords(event.error) });
    }
    if (event.type === "publish-failed") {
      const problem = problemOf(event.error);
      const words = inEnglish("checkpoint-list-unwritten", { problem });
      tell({ type: "warning", ...words, code: "CHECKPOINT_LIST_UNWRITTEN" });
    }
  };
}
