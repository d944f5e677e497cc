import type { TurnGate } from "../../agent/agent-context.ts";
import type { Rules } from "../../agent/permissions/rules.ts";
import type { Agent, HostName } from "../../ports/agent.ts";
import type { PermissionMode, Person } from "../../ports/person.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { type AgentRequest, readableRules, settleHost } from "../agent/agent-request.ts";
import { reportEngineDoubts } from "../agent/checkpointing.ts";
import { type Answering, assembleAgent, type MadeAgent } from "../agent/make-agent.ts";
import type { ModelState } from "../agent/models.ts";
import { openClaude } from "../agent/open-claude.ts";
import { finderModel, type ModelsLookedFor, modelOrNone } from "../agent/open-model.ts";
import type { AutoMode } from "../app.ts";
import { type AppContext, interruptible } from "../context.ts";
import type { Notice } from "../notices.ts";
import type { AgentSession } from "../sessions/agent-session.ts";

/** The session that the user is in, with its agent. Replacing the session creates a new object. */
export interface CurrentSession {
  /** The context of the session's workspace. Its reports become warnings, and nothing is printed to the terminal. */
  readonly context: AppContext;
  readonly agent: Agent;
  /** The session that the agent holds, its dependencies, and the files of its workspace. */
  readonly opened: AgentSession;
}

/** The access to the current session that queries and journeys need. */
export interface SessionAccess {
  /** Called again for every piece of work, because the session may have been replaced. */
  here(): CurrentSession;
  /**
   * Runs `work` with exclusive use of the session: rejects with TURN_RUNNING during a turn, and refuses turns while
   * `work` runs.
   */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Makes this session the current one; does nothing if it already is. Must not be called within `alone`. */
  open(session: SessionId): Promise<void>;
  /** Warns the user about a problem that did not stop the work. */
  warn(notice: Notice): void;
}

/** The current session with everything that is needed to use and close it. */
export interface CurrentAgent extends CurrentSession, Pick<MadeAgent, "models"> {
  readonly request: AgentRequest;
  readonly rules: Rules;
  /** The host that the agent belongs to. */
  readonly host: HostName;
  /** The model when the session was opened. */
  readonly model: ModelState;
  /** Closes the session. A session in which nothing was said or done is removed ("gone"). */
  close(): Promise<"kept" | "gone">;
}

interface OpenCurrentOptions {
  readonly request: AgentRequest;
  readonly person: Person;
  /** All agents of the app share one gate. */
  readonly gate: TurnGate;
  readonly auto: Pick<SessionAutoMode, "check">;
  /**
   * The host of the previous session: a requested model is only used with the same host. Undefined for the first
   * session.
   */
  readonly before: HostName | undefined;
}

/**
 * Opens the requested session in the context of its workspace. Without a model, it opens with a placeholder that cannot
 * answer.
 */
export async function openCurrent(context: AppContext, wanted: OpenCurrentOptions): Promise<CurrentAgent> {
  const { person, gate, auto, before } = wanted;
  const { values } = await context.settings();
  const rules = readableRules(values, wanted.request);
  const { host, request } = await settleHost(context, wanted.request, before);
  const asked = before === undefined || before === host ? request.model : undefined;
  const { answering, lookedFor } = await answeringOf(context, host, { ...request, model: asked });
  return interruptible(context, async (signal) => {
    const checkMode = (mode: PermissionMode): void => auto.check(mode);
    const wantedAgent = { request, person, rules, answering, gate, checkMode };
    const assembled = await assembleAgent(context, wantedAgent, signal);
    const { agent, opened, models } = assembled;
    return {
      context,
      request,
      rules,
      host,
      opened,
      agent,
      model: lookedFor === undefined ? stateOf(agent) : { state: "none", lookedFor },
      ...(models === undefined ? {} : { models }),
      close: async () => {
        const wasEmpty = isEmpty(opened);
        await assembled.close();
        if (opened.kept === "no") return "gone";
        return wasEmpty ? removeEmpty(opened) : "kept";
      },
    };
  });
}

interface AnsweringHere {
  readonly answering: Answering;
  /** The places that were searched for a model; present if none was found. */
  readonly lookedFor?: ModelsLookedFor;
}

async function answeringOf(
  context: AppContext,
  host: HostName,
  request: Pick<AgentRequest, "keepSession" | "model" | "withoutModel">,
): Promise<AnsweringHere> {
  const { model, keepSession } = request;
  if (host === "claude") {
    const named = model === undefined ? {} : { model };
    return { answering: await openClaude(context, { ...named, keepSession }) };
  }
  const finder = finderModel(context);
  const { models, ...without } = await modelOrNone(context, request, () => finder.model);
  await reportEngineDoubts(context);
  return { answering: { host, models, finder }, ...without };
}

/** The model and its window, which an agent emits to every new listener. */
function stateOf(agent: Agent): ModelState {
  let window = 0;
  const stop = agent.on((event) => {
    if (event.type === "session") window = event.window;
  });
  stop();
  return { state: "ready", name: agent.model, window };
}

/**
 * Auto mode in the current session. Requesting it on the command line counts as confirmation; requesting it in a
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

  /** The mode for the next session: "auto" even if the user has not been asked about it yet. */
  modeAfter(mode: PermissionMode): PermissionMode {
    return this.#state === "wanted" ? "auto" : mode;
  }

  /** Called when another session becomes the current one. */
  forget(): void {
    this.#state = "unconfirmed";
  }

  /**
   * The mode that a session opens in. If auto mode is requested but not confirmed, this is "manual", and the user will
   * be asked.
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

/** Whether nothing was ever said or done in the session: its log then only has the first line. */
export function isEmpty({ session }: Pick<AgentSession, "session">): boolean {
  return session.outline.length === 1;
}

/** Earlier than anything that the user has deleted, so that emptying the trash up to this time removes nothing else. */
const BEFORE_ALL = 0;

/** Removes the closed session for good. If another program has opened the session in the meantime, it is kept. */
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
