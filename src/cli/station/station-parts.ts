import type { Agent } from "../../ports/agent.ts";
import type { SessionId } from "../../record/ids.ts";
import type { AgentSession } from "../agent/agent-session.ts";
import type { Frame } from "../command/frame.ts";

/** The session that the person is at now, and what it stands on. After a replacement it is another one. */
export interface StationHere {
  /** Of the session's workspace. What it says is told as warnings, and nothing reaches the terminal. */
  readonly frame: Frame;
  readonly agent: Agent;
  /** The session that the agent holds, its ground, and the files of its workspace. */
  readonly opened: AgentSession;
}

/** What looking and journeys stand on. */
export interface StationParts {
  /** Asked anew for every piece of work: what is here may have been replaced. */
  here(): StationHere;
  /** Does `work` with the session for itself: rejects with TURN_RUNNING while a turn runs, and refuses turns meanwhile. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Makes that session the one here; nothing happens where it is already. Not from within `alone`. */
  open(session: SessionId): Promise<void>;
  /** Tells the person of something that went wrong without stopping the work. */
  warn(message: string, hint?: string): void;
}
