import type { AgentEvent } from "../../../../ports/agent-events.ts";
import type { Entry, EntryOf } from "../../../../record/entry.ts";
import { textOf } from "../../../../record/parts.ts";
import { resultText } from "../../../../timeline/result-text.ts";
import { aboutCall } from "../../../../timeline/turn-state.ts";
import type { AskedDenial, Denial } from "./print-person.ts";

/** Every call of a turn that was denied, and those of its sub-agents. */
export interface DeniedCalls {
  hear(event: AgentEvent): void;
  all(): readonly Denial[];
}

/** `asked`: those that nobody was there to allow; grows while the turn runs. A rule or the mode denies others by itself. */
export function deniedCalls(asked: readonly AskedDenial[]): DeniedCalls {
  const denials: Denial[] = [];
  const used = new Set<AskedDenial>();
  // Calls of a sub-agent may have the ids of its parent's.
  const callsOf = new Map<string, Map<string, Pick<Denial, "tool" | "about">>>();
  const hear = (event: AgentEvent, agent: string): void => {
    if (event.type === "sub-agent") hear(event.event, event.session);
    if (event.type !== "entry") return;
    const calls = callsOf.get(agent) ?? new Map<string, Pick<Denial, "tool" | "about">>();
    callsOf.set(agent, calls);
    noteCalls(event.entry, calls);
    if (event.entry.kind !== "tool-end" || event.entry.outcome !== "denied") return;
    const { call } = event.entry;
    const known = asked.find((each) => each.call === call && !used.has(each));
    if (known !== undefined) used.add(known);
    denials.push(known ?? { ...(calls.get(call) ?? { tool: call, about: "" }), why: whyOf(event.entry) });
  };
  return {
    hear: (event) => hear(event, ""),
    all: () => [...denials, ...asked.filter((each) => !used.has(each))],
  };
}

function noteCalls(entry: Entry, calls: Map<string, Pick<Denial, "tool" | "about">>): void {
  if (entry.kind !== "reply") return;
  for (const part of entry.parts) {
    if (part.type === "tool-call") calls.set(part.call, { tool: part.name, about: aboutCall(part.input) });
  }
}

function whyOf({ parts }: EntryOf<"tool-end">): string {
  return resultText("denied", textOf(parts));
}
