import type { EntryOf } from "../../record/entry.ts";
import type { ToolCallPart } from "../../record/parts.ts";
import { aboutCall } from "../../timeline/turn-state.ts";
import type { WalkedStep } from "./turn-walk.ts";

/** A tool call of a step. "open": begun, and nobody knows whether it took effect. "unstarted": asked for, and never begun. */
export interface TurnCall {
  readonly call: string;
  readonly name: string;
  /** A path, a command; empty where the call says neither. */
  readonly about: string;
  readonly outcome: EntryOf<"tool-end">["outcome"] | "open" | "unstarted";
}

/** The calls of a step in the order that they were asked for. */
export function callsOf({ reply, starts, ends }: WalkedStep): readonly TurnCall[] {
  const asked = (reply?.parts ?? []).filter((part): part is ToolCallPart => part.type === "tool-call");
  return asked.map(({ call, name, input }) => {
    const start = starts.find((each) => each.call === call);
    const end = ends.findLast((each) => each.call === call);
    const begun = start === undefined ? "unstarted" : "open";
    return {
      call,
      name,
      about: aboutCall(start?.input ?? input),
      outcome: end?.outcome ?? begun,
    };
  });
}
