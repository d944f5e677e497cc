import type { Denial } from "../../../app/agent/headless-user.ts";
import type { AgentEvent, CompactionFailed, TurnEnd } from "../../../ports/agent-events.ts";
import { errorOnScreen, type ToldError, wordingIn } from "../../../strings/wording.ts";
import { shellWording } from "../../command-again.ts";
import type { Frame } from "../../frame.ts";

/** A warning. The code is left out because a warning's code need not be an error code. */
type ToldWarning = Omit<ToldError, "code">;

type Scene = Pick<Frame, "strings" | "common">;

/** Prints a turn in one of the output formats. */
export interface TurnPrinter {
  apply(event: AgentEvent): void;
  /** Called once the agent is closed and no more events will follow. */
  end(turn: EndedTurn): void;
}

export interface EndedTurn {
  readonly session: string;
  readonly model: string;
  readonly end: TurnEnd;
  readonly denied: readonly Denial[];
  /** The agent's plan, if the agent was only asked to plan. */
  readonly plan?: string;
  /** The command that continues the session; absent if the session was removed. */
  readonly resume?: string;
}

/**
 * Returns a function that checks whether a warning is new, because on a full disk every write fails with the same
 * warning.
 */
export function saidOnce(): (text: string) => boolean {
  const said = new Set<string>();
  return (text) => said.size < said.add(text).size;
}

/**
 * Returns an agent's error or warning in the output language. The commands that the text suggests find the same
 * sessions as this command line.
 */
export function translated({ strings, common }: Scene, { message, hint, reason, params }: ToldWarning) {
  const wording = wordingIn(strings.reasons, shellWording(common));
  return errorOnScreen(strings, { message, hint, reason, params }, wording);
}

export function reportText(scene: Scene, told: ToldWarning): string {
  const { message, hint } = translated(scene, told);
  return hint === undefined ? message : `${message} ${hint}`;
}

export function notCompactedText(scene: Scene, { why, error }: CompactionFailed): string {
  return scene.strings.agent.notCompacted(reportText(scene, { message: why, ...error }));
}
