import type { AgentEvent } from "../../../../ports/agent-events.ts";
import { BACKTRACK_TOOL } from "../../../../record/parts.ts";
import { oneLine } from "../../../../record/printable.ts";
import type { Strings } from "../../../../strings/strings.ts";
import { type BacktrackDisplay, cardLines } from "./card-lines.ts";
import { toolLines } from "./tool-lines.ts";

/** What a person reads while a turn runs: a few lines for some events, none for most. */
export function progressLines(
  words: Strings["agent"],
  display: BacktrackDisplay,
): (event: AgentEvent) => readonly string[] {
  const tools = toolLines(words, new Set(display === "off" ? [BACKTRACK_TOOL] : []));
  let waiting: "no" | "yes" = "no";
  return (event) => {
    switch (event.type) {
      case "session":
        return event.resumed === "new" ? [] : [words[event.resumed](event.session)];
      case "retry":
        return [oneLine(words.retry(event))];
      case "journey":
        return [words.journeys[event.journey](event.scope, event.to)];
      case "backtrack":
        return cardLines(event, display, words);
      case "doing": {
        const before = waiting;
        waiting = event.doing.what === "waiting-for-capture" ? "yes" : "no";
        return waiting === "yes" && before === "no" ? [words.waitingForCapture] : tools.linesOf(event);
      }
      default:
        return tools.linesOf(event);
    }
  };
}
