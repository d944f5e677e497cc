import type { AgentEvent } from "../../../../ports/agent-events.ts";
import type { EntryOf } from "../../../../record/entry.ts";
import { textOf } from "../../../../record/parts.ts";
import { oneLine } from "../../../../record/printable.ts";
import type { Strings } from "../../../../strings/strings.ts";
import { resultText } from "../../../../timeline/result-text.ts";

/** Long enough for a path or a command, short enough for a line. */
const MOST_CHARACTERS = 160;
const MOST_END = 50;

/** One short line for each call when it begins, and one more if it fails. */
export interface ToolLines {
  linesOf(event: AgentEvent): readonly string[];
}

/** `unsaid`: tools that nothing is said of. */
export function toolLines(words: Strings["agent"], unsaid: ReadonlySet<string> = new Set()): ToolLines {
  const names = new Map<string, string>();
  const told = new Set<string>();
  return {
    linesOf(event) {
      noteNames(event, names);
      if (event.type === "doing" && event.doing.what === "tool") {
        const { call, name, about } = event.doing;
        if (told.has(call) || unsaid.has(name)) return [];
        told.add(call);
        return [short(words.tool(name, about))];
      }
      if (event.type !== "entry" || event.entry.kind !== "tool-end") return [];
      const name = names.get(event.entry.call) ?? words.earlierCall;
      return unsaid.has(name) ? [] : endLines(event.entry, name, words);
    },
  };
}

/** A call that is denied never begins, and a reply that was cut is no entry: then its arguments have told the name. */
function noteNames(event: AgentEvent, names: Map<string, string>): void {
  if (event.type === "call") names.set(event.call, event.name);
  if (event.type !== "entry" || event.entry.kind !== "reply") return;
  for (const part of event.entry.parts) if (part.type === "tool-call") names.set(part.call, part.name);
}

function endLines(
  { outcome, parts }: EntryOf<"tool-end">,
  name: string,
  words: Strings["agent"],
): readonly string[] {
  const said = resultText(outcome, textOf(parts));
  switch (outcome) {
    case "ok":
      return [];
    case "error":
      return [short(words.toolFailed(name, said))];
    case "denied":
      return [short(words.toolDenied(name, said))];
    case "interrupted":
      return [words.toolInterrupted(name)];
    default:
      return outcome satisfies never;
  }
}

function short(text: string): string {
  const line = oneLine(text).replace(/\s{2,}/gu, " ");
  if (line.length <= MOST_CHARACTERS) return line;
  // The end of a command says as much as its beginning.
  return `${firstOf(line, MOST_CHARACTERS - MOST_END - 5).trimEnd()} ... ${lastOf(line, MOST_END).trimStart()}`;
}

/** Never half of a pair. */
function firstOf(text: string, count: number): string {
  return text.slice(0, count).replace(/[\ud800-\udbff]$/, "");
}

function lastOf(text: string, count: number): string {
  return text.slice(-count).replace(/^[\udc00-\udfff]/, "");
}
