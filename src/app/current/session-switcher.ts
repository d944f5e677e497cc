import { TurnGate } from "../../agent/agent-context.ts";
import { BackgroundCommands } from "../../agent/tools/bash/bash.ts";
import type { Agent, HostName } from "../../ports/agent.ts";
import type { Person } from "../../ports/person.ts";
import { isWorldlineError, problemOf } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import type { AgentRequest } from "../agent/agent-request.ts";
import type { ModelState } from "../agent/models.ts";
import type { AppEvent, Farewell } from "../app.ts";
import { type AppContext, type AppListener, freshContext, openContext } from "../context.ts";
import type { Notice } from "../notices.ts";
import { contextOfRequest } from "../sessions/agent-session.ts";
import type { Settings } from "../settings/table.ts";
import { AutoModeHere, type CurrentSession, type Here, isEmpty, openCurrent } from "./current-session.ts";

/** Another session to be here: how it comes, and in which folder. */
interface Move {
  readonly how: Extract<AppEvent, { type: "replaced" }>["how"];
  /** The real path of the workspace. */
  readonly folder: string;
  /** Absent: a new one. */
  readonly session?: SessionId;
  /** What the person is to know when it is there. */
  readonly notice?: Notice | undefined;
}

/** Holds what is here, puts something else in its place, and tells of it. */
export class SessionSwitcher {
  readonly auto = new AutoModeHere();
  readonly #listeners = new Set<(event: AppEvent) => void>();
  /** Of what is here: told when it has come. */
  #warnings: Notice[] = [];
  readonly #said = new Set<string>();
  #moving: "yes" | "no" = "no";
  readonly #gate = new TurnGate();
  readonly #person: Person;
  #here!: Here;
  #model!: ModelState;
  #values!: Settings;
  #closing: Promise<Farewell> | undefined;

  private constructor(person: Person) {
    this.#person = person;
  }

  static async open(
    bare: AppContext,
    { request, person }: { readonly request: AgentRequest; readonly person: Person },
  ): Promise<SessionSwitcher> {
    const switcher = new SessionSwitcher(person);
    // Opened anew, so that what the settings warn of is heard here too.
    const heard = openContext({ ...bare, listener: switcher.#listener() });
    if (request.mode === "auto") switcher.auto.confirm();
    await switcher.#sit(await contextOfRequest(heard, request), request, undefined);
    return switcher;
  }

  /** Settings are read again and again, and warn of the same each time. */
  #listener(): AppListener {
    return {
      report: (notice) => {
        const said = JSON.stringify(notice);
        if (!this.#said.has(said)) this.warn(notice);
        this.#said.add(said);
      },
      progress: () => undefined,
      atEnd: () => undefined,
    };
  }

  get here(): Here {
    return this.#here;
  }

  get model(): ModelState {
    return this.#model;
  }

  /** The settings that count here, as they were read last. */
  get values(): Settings {
    return this.#values;
  }

  get warnings(): readonly Notice[] {
    return this.#warnings;
  }

  on(listener: (event: AppEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(event: AppEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** Until a front end listens, and while another session is opened, it is something to be shown at the beginning. */
  warn(notice: Notice): void {
    if (this.#listeners.size === 0 || this.#moving === "yes") this.#warnings.push(notice);
    else this.tell({ type: "notice", notice });
  }

  setModel(model: ModelState): void {
    this.#model = model;
    this.tell({ type: "model", model });
  }

  /** Has the settings read again from now on. */
  async refresh(): Promise<void> {
    const here = this.#here;
    const fresh = freshContext(here.context, here.agent.workspace);
    const { values } = await fresh.settings();
    // Somebody may have moved meanwhile, and what was read is then of another folder.
    if (this.#here !== here) return;
    this.#values = values;
    this.#here = { ...here, context: fresh };
  }

  /** Does `work` with the session for itself: rejects with TURN_RUNNING while a turn runs, and refuses turns meanwhile. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#gate.hold(work);
  }

  async move(to: Move): Promise<"kept" | "gone"> {
    return this.alone(async () => this.moveWithin(to));
  }

  /**
   * Lets go of what is here, and opens the other; where that fails, what was here is opened again. For who has the session
   * for themselves. Says what became of the session that was here.
   */
  async moveWithin(to: Move): Promise<"kept" | "gone"> {
    this.#moving = "yes";
    this.#said.clear();
    this.#warnings = to.notice === undefined ? [] : [to.notice];
    try {
      return await this.#replace(to);
    } finally {
      this.#moving = "no";
    }
  }

  async #replace({ how, folder, session }: Move): Promise<"kept" | "gone"> {
    const { agent, request, context, host } = this.#here;
    const from = agent.session;
    // A session has the agent that it had; one that is begun, copied or held anew has the one that is here.
    const isOther = how === "opened" || how === "visited";
    const next = { ...this.#requestFor(request, session), ...(isOther ? {} : { host }) };
    const wasConfirmed = this.auto.isConfirmed;
    let kept: "kept" | "gone" = "kept";
    try {
      kept = await this.#here.close();
      if (how !== "reopened") this.auto.forget();
      await this.#sit(freshContext(context, folder), next, host);
    } catch (error) {
      if (wasConfirmed) this.auto.confirm();
      const back = { ...this.#requestFor(request, kept === "kept" ? from : undefined), host };
      await this.#sitAgain(freshContext(context, agent.workspace), back, from);
      throw error;
    }
    this.#moved(how, from);
    return kept;
  }

  /** Whoever listens must hear the agent that is here now, and not the one that was closed. */
  #moved(how: Move["how"], from: SessionId): void {
    this.tell({ type: "replaced", how, from });
    this.tell({ type: "model", model: this.#model });
  }

  /** What went wrong first is what the person is told; that there is no way back either is told beside it. */
  async #sitAgain(context: AppContext, request: AgentRequest, from: SessionId): Promise<void> {
    try {
      await this.#sit(context, request, request.host);
      this.#moved("reopened", from);
    } catch (error) {
      this.warn({ code: "session-not-reopened", session: from, problem: problemOf(error) });
    }
  }

  /** Opens the same again, for what is only read then; "later" where there is nothing to come back to, or a turn runs. */
  async reopen(): Promise<"reopened" | "later"> {
    const { opened, agent } = this.#here;
    const wasEmpty = isEmpty(opened);
    if (opened.kept === "no" && !wasEmpty) return "later";
    try {
      const same = wasEmpty ? {} : { session: agent.session };
      await this.move({ how: "reopened", folder: agent.workspace, ...same });
      return "reopened";
    } catch (error) {
      if (!isWorldlineError(error, "TURN_RUNNING")) throw error;
      return "later";
    }
  }

  /** What is done by hand comes to its end first: files that go back must not stop in the middle. */
  async close(): Promise<Farewell> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<Farewell> {
    await this.#gate.released();
    const { agent } = this.#here;
    const kept = await this.#here.close();
    this.#listeners.clear();
    return kept === "kept" ? { resume: agent.session } : {};
  }

  async #sit(context: AppContext, request: AgentRequest, before: HostName | undefined): Promise<void> {
    const mode = await this.auto.openingMode(context, request);
    const { auto } = this;
    this.#here = await openCurrent(context, {
      request: { ...request, mode },
      person: this.#person,
      gate: this.#gate,
      auto,
      before,
    });
    this.#model = this.#here.model;
    if (this.#here.host === "claude") this.#hearModel(this.#here.agent);
    this.#values = (await context.settings()).values;
    const left = leftRunning(this.#here);
    if (left !== undefined) this.warn(left);
  }

  /** The SDK says only in its answers which model gave them. */
  #hearModel(agent: Agent): void {
    agent.on((event) => {
      if (event.type !== "model" || this.#here.agent !== agent) return;
      this.setModel({ state: "ready", name: event.model, window: event.window });
    });
  }

  /** What the person has chosen meanwhile stays: the model and the mode. */
  #requestFor(request: AgentRequest, session: SessionId | undefined): AgentRequest {
    const { model: _model, host: _host, ...others } = request;
    const chosen = this.#model.state === "ready" ? { model: this.#model.name } : {};
    return {
      ...others,
      ...chosen,
      mode: this.auto.modeAfter(this.#here.agent.mode),
      resume: session === undefined ? { how: "new" } : { how: "resume", wanted: session },
      fork: "no",
      keepSession: session === undefined ? request.keepSession : "yes",
    };
  }
}

/** Commands that a run before this one started, and a kill left running: they may change files at any moment. */
function leftRunning({ opened }: Pick<CurrentSession, "opened">): Notice | undefined {
  if (opened.resumed === "new") return undefined;
  const commands = new BackgroundCommands(opened.session.id).leftovers();
  return commands.length === 0 ? undefined : { code: "commands-left-running", commands };
}
