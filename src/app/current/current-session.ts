import type { Agent } from "../../ports/agent.ts";
import type { PermissionMode } from "../../ports/person.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import type { AgentRequest } from "../agent/agent-request.ts";
import type { ModelState } from "../agent/models.ts";
import { type StartedAgent, type StartOptions, startAgent } from "../agent/start-agent.ts";
import type { AutoMode } from "../app.ts";
import type { AppContext } from "../context.ts";
import type { Notice } from "../notices.ts";
import type { AgentSession } from "../sessions/agent-session.ts";

/** The session that the user is in, with its agent. Replacing the session creates a new object. */
export interface CurrentSession {
  /**
   * The context of the session's workspace. The context's reports become warnings, and nothing is printed to the
   * terminal.
   */
  readonly context: AppContext;
  readonly agent: Agent;
  /** The session that the agent holds, its dependencies, and its workspace's files. */
  readonly opened: AgentSession;
}

/** Access to the current session for queries and journeys. */
export interface SessionAccess {
  /**
   * Returns the current session. Must be called again for each operation, because the session may have been replaced.
   */
  here(): CurrentSession;
  /**
   * Runs `work` with exclusive use of the session: rejects with TURN_RUNNING during a turn, and refuses turns while
   * `work` runs.
   */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Makes this session the current one. Does nothing if the session already is the current one. Must not be called
   * within `alone`.
   */
  open(session: SessionId): Promise<void>;
  /** Warns the user about a problem that did not stop the work. */
  warn(notice: Notice): void;
}

/** The current session with everything that is needed to use and close it. */
export interface CurrentAgent extends Omit<StartedAgent, "close">, Pick<CurrentSession, "context"> {
  /** The model that was in use when the session was opened. */
  readonly model: ModelState;
  /** Closes the session. A session without any conversation or work is removed ("gone"). */
  close(): Promise<"kept" | "gone">;
}

/** Opens the requested session in the context of its workspace. */
export async function openCurrent(context: AppContext, options: StartOptions): Promise<CurrentAgent> {
  const started = await startAgent(context, options);
  const { agent, opened, lookedFor } = started;
  return {
    ...started,
    context,
    model: lookedFor === undefined ? stateOf(agent) : { state: "none", lookedFor },
    close: async () => {
      const wasEmpty = isEmpty(opened);
      await started.close();
      if (opened.kept === "no") return "gone";
      return wasEmpty ? removeEmpty(opened) : "kept";
    },
  };
}

/** Returns the model and its window, which an agent emits to every new listener. */
function stateOf(agent: Agent): ModelState {
  let window = 0;
  const stop = agent.on((event) => {
    if (event.type === "session") window = event.window;
  });
  stop();
  return { state: "ready", name: agent.model, window };
}

/**
 * Auto mode in the current session. Requesting auto mode on the command line counts as confirmation. Requesting it in a
 * settings file does not.
 */
export class SessionAutoMode implements AutoMode {
  #state: "unconfirmed" | "wanted" | "confirmed" = "unconfirmed";

  get isConfirmed(): boolean {
    return this.#state === "confirmed";
  }

  confirm(): void {
    this.#state = "confirmed";
  }

  /** Throws for auto mode unless the user has confirmed it in this session. */
  check(mode: PermissionMode): void {
    if (mode !== "auto" || this.isConfirmed) return;
    throw new WorldlineError("auto-mode-not-confirmed", {});
  }

  takeRequest(): boolean {
    if (this.#state !== "wanted") return false;
    this.#state = "unconfirmed";
    return true;
  }

  /** Returns the mode for the next session: "auto" even if the user has not been asked about it yet. */
  modeAfter(mode: PermissionMode): PermissionMode {
    return this.#state === "wanted" ? "auto" : mode;
  }

  /** Discards the confirmation. Called when another session becomes the current one. */
  forget(): void {
    this.#state = "unconfirmed";
  }

  /**
   * Returns the mode that a session opens in. If auto mode is requested but not confirmed, returns "manual", and the
   * user will be asked.
   */
  async openingMode(context: AppContext, { mode }: Pick<AgentRequest, "mode">): Promise<PermissionMode> {
    const { explained, values } = await context.settings();
    const wanted = mode ?? values["permissions.mode"];
    if (wanted !== "auto" || this.isConfirmed) return wanted;
    const source = explained.find(({ key }) => key === "permissions.mode")?.source.layer;
    this.#state = mode === undefined && source === "flag" ? "confirmed" : "wanted";
    return this.isConfirmed ? "auto" : "manual";
  }
}

/** Checks whether the session has never been used, in which case its log contains only the first line. */
export function isEmpty({ session }: Pick<AgentSession, "session">): boolean {
  return session.outline.length === 1;
}

/** A time before any deletion by the user, so that emptying the trash up to this time removes nothing else. */
const BEFORE_ALL = 0;

/** Permanently removes the closed session, unless another program has opened it in the meantime. */
async function removeEmpty({ deps, session }: AgentSession): Promise<"kept" | "gone"> {
  const { store } = deps;
  try {
    const lease = await store.lease(session.id, { name: "worldline", waitMs: 0 });
    try {
      await store.trash(session.id, BEFORE_ALL);
    } finally {
      await lease.release();
    }
    await store.emptyTrash(BEFORE_ALL + 1);
    return "gone";
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return "kept";
  }
}
