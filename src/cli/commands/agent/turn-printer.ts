import type { Denial } from "../../../app/agent/headless-user.ts";
import type { AgentEvent, CompactionFailed, TurnEnd } from "../../../ports/agent-events.ts";
import { errorOnScreen, type ToldError, wordingIn } from "../../../strings/wording.ts";
import { shellWording } from "../../command-again.ts";
import type { Frame } from "../../frame.ts";

/** A warning may have a code that no error has. */
type ToldWarning = Omit<ToldError, "code">;

type Scene = Pick<Frame, "strings" | "common">;

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

/** An error or a warning of an agent in the language of the output, with commands that find the same sessions. */
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
