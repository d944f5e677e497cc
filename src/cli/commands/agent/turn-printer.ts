import type { Denial } from "../../../app/agent/headless-user.ts";
import type { AgentEvent, CompactionFailed, TurnEnd } from "../../../ports/agent-events.ts";
import { errorOnScreen, type ToldError, wordingIn } from "../../../strings/wording.ts";
import { shellWording } from "../../command-again.ts";
import type { Frame } from "../../frame.ts";

/** A warning may have a code that is not an error's. */
type ToldWarning = Omit<ToldError, "code">;

type Scene = Pick<Frame, "strings" | "common">;

/** Prints a turn in one of the output formats. */
export interface TurnPrinter {
  apply(event: AgentEvent): void;
  /** Called when the agent is closed, so no event will follow. */
  end(turn: EndedTurn): void;
}

export interface EndedTurn {
  readonly session: string;
  readonly model: string;
  readonly end: TurnEnd;
  readonly denied: readonly Denial[];
  /** The agent's plan, if it was only asked to plan. */
  readonly plan?: string;
  /** The command that continues the session; absent if the session was removed. */
  readonly resume?: string;
}

/**
 * Returns a function that tells whether a warning is new, because on a full disk every write fails with the same
 * warning.
 */
export function saidOnce(): (text: string) => boolean {
  const said = new Set<string>();
  return (text) => said.size < said.add(text).size;
}

/** An agent's error or warning in the language of the output. The commands that it suggests find the same sessions. */
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
