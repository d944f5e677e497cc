import type { Agent } from "../../ports/agent.ts";
import type { SessionId } from "../../record/ids.ts";
import type { AgentSession } from "../agent/agent-session.ts";
import type { AppContext } from "../context.ts";
import type { Notice } from "../notices.ts";
import type { AppWords } from "../words.ts";

/** The session that the person is at now, and what it stands on. After a replacement it is another one. */
export interface CurrentSession {
  /** Of the session's workspace. What it says is told as warnings, and nothing reaches the terminal. */
  readonly context: AppContext;
  readonly words: AppWords;
  readonly agent: Agent;
  /** The session that the agent holds, its ground, and the files of its workspace. */
  readonly opened: AgentSession;
}

/** What looking and journeys stand on. */
export interface SessionAccess {
  /** Asked anew for every piece of work: what is here may have been replaced. */
  here(): CurrentSession;
  /** Does `work` with the session for itself: rejects with TURN_RUNNING while a turn runs, and refuses turns meanwhile. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Makes that session the one here; nothing happens where it is already. Not from within `alone`. */
  open(session: SessionId): Promise<void>;
  /** Tells the person of something that went wrong without stopping the work. */
  warn(notice: Notice): void;
}
