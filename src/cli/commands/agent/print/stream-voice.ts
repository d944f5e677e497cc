import type { AgentEvent } from "../../../../ports/agent-events.ts";
import type { Frame } from "../../../command/frame.ts";
import type { Voice } from "./voice.ts";

/**
 * `--output-format stream-json`: every event as one line, `session` first, `turn-end` last. What comes before the session
 * is held back; a reader that is slow gets everything, later.
 */
export function streamVoice({ output }: Frame): Voice {
  const early: AgentEvent[] = [];
  let state: "before" | "told" | "ended" = "before";
  const write = (event: AgentEvent) => output.line({ ...event });
  const begin = () => {
    state = "told";
    for (const event of early.splice(0)) write(event);
  };
  const hear = (event: AgentEvent) => {
    if (event.type === "turn-end" || event.type === "busy") return;
    if (event.type === "session" && state === "before") {
      write(event);
      begin();
    } else if (state === "before") early.push(event);
    else write(event);
  };
  output.linesOnly((message) => {
    // Lines behind `turn-end` would surprise its reader.
    if (state === "ended") output.notice(message);
    else hear({ type: "warning", code: "WARNING", message });
  });
  return {
    hear,
    end({ end }) {
      begin();
      write(end);
      state = "ended";
    },
  };
}
