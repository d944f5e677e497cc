import type { Session } from "../../../../src/machine/session.ts";
import type { SessionView } from "../../../../src/machine/view.ts";
import type { AgentEvent } from "../../../../src/ports/agent-events.ts";
import type { Entry } from "../../../../src/record/entry.ts";
import type { Part, ReplyPart } from "../../../../src/record/parts.ts";

/** A session's branch as readable lines, without what varies between runs; `from` skips lines. */
export async function linesOf(session: Session | SessionView, from = 0): Promise<readonly string[]> {
  const { workspace } = session.header;
  const hosts: string[] = [];
  const lines = (await session.history()).flatMap((entry) => {
    // Snapshots are written whenever they are done, so their position varies.
    if (entry.kind === "session" || entry.kind === "snapshot" || entry.kind === "interval") return [];
    if (entry.kind !== "host") return [lineOf(entry).replaceAll(workspace, "~")];
    if (!hosts.includes(entry.hostSession)) hosts.push(entry.hostSession);
    return [`host ${hosts.indexOf(entry.hostSession) + 1}`];
  });
  return lines.slice(from);
}

function lineOf(entry: Entry): string {
  switch (entry.kind) {
    case "checkpoint":
      return `checkpoint ${entry.number} (${entry.on})`;
    case "step":
      return `step ${entry.number}`;
    case "prompt":
      return `prompt: ${partsText(entry.parts)}`;
    case "reply":
      return `reply${entry.end === undefined ? "" : ` (${entry.end})`}: ${partsText(entry.parts)}`;
    case "tool-start":
      return `tool-start ${entry.call}${entry.granted === undefined ? "" : `, granted ${entry.granted}`}`;
    case "tool-end":
      return `tool-end ${entry.call} ${entry.outcome}: ${partsText(entry.parts)}`;
    case "interrupt":
      return `interrupt by ${entry.by}`;
    case "error":
      return `error ${entry.code}`;
    case "rewind":
      return `rewind to ${entry.to}`;
    default:
      return entry.kind;
  }
}

function partsText(parts: readonly (Part | ReplyPart)[]): string {
  return parts.map(partText).join(" + ");
}

function partText(part: Part | ReplyPart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "thinking":
      return `(${part.text})`;
    case "tool-call":
      return `${part.name} ${part.call}`;
    default:
      return `[${part.mediaType}]`;
  }
}

/** All emitted events of one type. */
export function toldOf<Type extends AgentEvent["type"]>(
  events: readonly AgentEvent[],
  type: Type,
): readonly Extract<AgentEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);
}
