import type { AgentEvent, TurnEnd } from "../../../ports/agent-events.ts";
import type { Denial } from "./denied-calls.ts";

/** Prints a turn in one of the output formats. */
export interface TurnPrinter {
  apply(event: AgentEvent): void;
  /** Called once the agent is closed: no event follows. */
  end(turn: EndedTurn): void;
}

export interface EndedTurn {
  readonly session: string;
  readonly model: string;
  readonly end: TurnEnd;
  readonly denied: readonly Denial[];
  /** What the agent would do, where it was to plan only. */
  readonly plan?: string;
  /** The command that goes on with the session; absent where the session is gone. */
  readonly resume?: string;
}

/** Whether a warning is new: a disk that is full fails each write in the same words. */
export function saidOnce(): (text: string) => boolean {
  const said = new Set<string>();
  return (text) => said.size < said.add(text).size;
}

export function warningText({ message, hint }: Extract<AgentEvent, { type: "warning" }>): string {
  return hint === undefined ? message : `${message} ${hint}`;
}
