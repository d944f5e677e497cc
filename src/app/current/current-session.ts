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

/** The session that the person is at now, and what it stands on. After a replacement it is another one. */
export interface CurrentSession {
  /** Of the session's workspace. What it says is told as warnings, and nothing reaches the terminal. */
  readonly context: AppContext;
  readonly agent: Agent;
  /** The session that the agent holds, its deps, and the files of its workspace. */
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

/** What is here, and how it is left. */
export interface Here extends CurrentSession, Pick<MadeAgent, "models"> {
  readonly request: AgentRequest;
  readonly rules: Rules;
  /** Whose agent it is. */
  readonly host: HostName;
  /** What answered when it was opened. */
  readonly model: ModelState;
  /** Lets go of everything. A session in which nothing was said or done is then gone. */
  close(): Promise<"kept" | "gone">;
}

interface OpenCurrentOptions {
  readonly request: AgentRequest;
  readonly person: Person;
  /** The same for every agent that comes here. */
  readonly gate: TurnGate;
  readonly auto: Pick<AutoModeHere, "check">;
  /** Whose agent was here before: the model that is wished for is one of that host's. Absent: nobody's. */
  readonly before: HostName | undefined;
}

/** Opens what the request means, in the context of its workspace; with nothing that answers where there is no model. */
export async function openCurrent(context: AppContext, wanted: OpenCurrentOptions): Promise<Here> {
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
  /** Where there is no model: everything that was looked for. */
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

/** What the agent says of itself to whoever begins to listen. */
function stateOf(agent: Agent): ModelState {
  let window = 0;
  const stop = agent.on((event) => {
    if (event.type === "session") window = event.window;
  });
  stop();
  return { state: "ready", name: agent.model, window };
}

/** Auto mode in the session that is here: a command line that names it has confirmed it, settings have not. */
export class AutoModeHere implements AutoMode {
  #state: "unconfirmed" | "wanted" | "confirmed" = "unconfirmed";

  get isConfirmed(): boolean {
    return this.#state === "confirmed";
  }

  confirm(): void {
    this.#state = "confirmed";
  }

  /** Throws where it is auto mode and the user was not asked about it in this session. */
  check(mode: PermissionMode): void {
    if (mode !== "auto" || this.isConfirmed) return;
    throw new WorldlineError("auto-mode-not-confirmed", {});
  }

  takeRequest(): boolean {
    if (this.#state !== "wanted") return false;
    this.#state = "unconfirmed";
    return true;
  }

  /** The mode that the next session is to have: "auto" also where the user was not asked about it yet. */
  modeAfter(mode: PermissionMode): PermissionMode {
    return this.#state === "wanted" ? "auto" : mode;
  }

  /** Another session is here now. */
  forget(): void {
    this.#state = "unconfirmed";
  }

  /** The mode that a session opens in. Auto without the user's word is "manual", and wanted. */
  async openingMode(context: AppContext, { mode }: Pick<AgentRequest, "mode">): Promise<PermissionMode> {
    const { explained, values } = await context.settings();
    const wanted = mode ?? values["permissions.mode"];
    if (wanted !== "auto" || this.isConfirmed) return wanted;
    const source = explained.find(({ key }) => key === "permissions.mode")?.source.layer;
    this.#state = mode === undefined && source === "flag" ? "confirmed" : "wanted";
    return this.isConfirmed ? "auto" : "manual";
  }
}

/** Nothing was ever said or done there: the log has its first line alone. */
export function isEmpty({ session }: Pick<AgentSession, "session">): boolean {
  return session.outline.length === 1;
}

/** Before anything that a person has deleted: emptying the trash up to there takes nothing else with it. */
const BEFORE_ALL = 0;

/** Removes it for good, after it was closed. Whoever opened it meanwhile keeps it. */
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
