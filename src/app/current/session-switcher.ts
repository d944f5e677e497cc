import { TurnGate } from "../../agent/agent-context.ts";
import { BackgroundCommands } from "../../agent/tools/bash/background.ts";
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
import {
  type CurrentAgent,
  type CurrentSession,
  isEmpty,
  openCurrent,
  SessionAutoMode,
} from "./current-session.ts";

/** A change to another session: how the session is opened, and where. */
interface Move {
  readonly how: Extract<AppEvent, { type: "replaced" }>["how"];
  /** The real path of the workspace. */
  readonly folder: string;
  /** The session to open; absent for a new session. */
  readonly session?: SessionId;
  /** A notice for the user once the session is open. */
  readonly notice?: Notice | undefined;
}

/** Holds the current session, replaces it, and reports the replacement to listeners. */
export class SessionSwitcher {
  readonly auto = new SessionAutoMode();
  readonly #listeners = new Set<(event: AppEvent) => void>();
  /** Warnings about the current session, shown once it is open. */
  #warnings: Notice[] = [];
  readonly #said = new Set<string>();
  /** Checks for problems that were discovered during the user's work in the current session. */
  #afterWork: (() => void)[] = [];
  #moving: "yes" | "no" = "no";
  readonly #gate = new TurnGate();
  readonly #person: Person;
  #here!: CurrentAgent;
  #model!: ModelState;
  #values!: Settings;
  #closing: Promise<Farewell> | undefined;

  private constructor(person: Person) {
    this.#person = person;
    this.#gate.on((busy) => {
      if (busy === "nothing") this.#lookAfterWork();
    });
  }

  static async open(
    bare: AppContext,
    { request, person }: { readonly request: AgentRequest; readonly person: Person },
  ): Promise<SessionSwitcher> {
    const switcher = new SessionSwitcher(person);
    // A new context is opened, so that the warnings about the settings reach this listener too.
    const heard = openContext({ ...bare, listener: switcher.#listener() });
    if (request.mode === "auto") switcher.auto.confirm();
    await switcher.#switchTo(await contextOfRequest(heard, request), request, undefined);
    return switcher;
  }

  /** Reports each notice only once, because the settings are read repeatedly and cause the same warnings each time. */
  #listener(): AppListener {
    return {
      report: (notice) => {
        const said = JSON.stringify(notice);
        if (!this.#said.has(said)) this.warn(notice);
        this.#said.add(said);
      },
      progress: () => undefined,
      afterWork: (work) => this.#afterWork.push(work),
    };
  }

  #lookAfterWork(): void {
    for (const look of this.#afterWork) look();
  }

  get here(): CurrentAgent {
    return this.#here;
  }

  get model(): ModelState {
    return this.#model;
  }

  /** The current settings, as they were last read. */
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

  /**
   * Warns the user. Warnings are collected until a front end listens and while a session is being opened. They are
   * shown when the session starts.
   */
  warn(notice: Notice): void {
    if (this.#listeners.size === 0 || this.#moving === "yes") this.#warnings.push(notice);
    else this.tell({ type: "notice", notice });
  }

  setModel(model: ModelState): void {
    this.#model = model;
    this.tell({ type: "model", model });
  }

  /** Reads the settings again. */
  async refresh(): Promise<void> {
    const here = this.#here;
    const fresh = freshContext(here.context, here.agent.workspace);
    const { values } = await fresh.settings();
    // If the session was replaced in the meantime, these settings belong to another folder.
    if (this.#here !== here) return;
    this.#values = values;
    this.#here = { ...here, context: fresh };
  }

  /**
   * Runs `work` with exclusive use of the session: rejects with TURN_RUNNING during a turn, and refuses turns while
   * `work` runs.
   */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#gate.hold(work);
  }

  async move(to: Move): Promise<"kept" | "gone"> {
    return this.alone(async () => this.moveWithin(to));
  }

  /**
   * Closes the current session and opens another one. If that fails, opens the old session again. The caller must have
   * exclusive use of the session. Resolves with "kept" or "gone" for the old session.
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
    // An existing session keeps its host. A new, forked or reopened session gets the host of the current session.
    const isOther = how === "opened" || how === "visited";
    const next = { ...this.#requestFor(request, session), ...(isOther ? {} : { host }) };
    const wasConfirmed = this.auto.isConfirmed;
    let kept: "kept" | "gone" = "kept";
    try {
      kept = await this.#here.close();
      this.#lookAfterWork();
      this.#afterWork = [];
      if (how !== "reopened") this.auto.forget();
      await this.#switchTo(freshContext(context, folder), next, host);
    } catch (error) {
      if (wasConfirmed) this.auto.confirm();
      const back = { ...this.#requestFor(request, kept === "kept" ? from : undefined), host };
      await this.#switchBack(freshContext(context, agent.workspace), back, from);
      throw error;
    }
    this.#moved(how, from);
    return kept;
  }

  /** Notifies the listeners, which must receive the new agent's events instead of the closed agent's. */
  #moved(how: Move["how"], from: SessionId): void {
    this.tell({ type: "replaced", how, from });
    this.tell({ type: "model", model: this.#model });
  }

  /**
   * Reopens the old session after an error. The user sees the error, and a warning if the old session cannot be
   * reopened either.
   */
  async #switchBack(context: AppContext, request: AgentRequest, from: SessionId): Promise<void> {
    try {
      await this.#switchTo(context, request, request.host);
      this.#moved("reopened", from);
    } catch (error) {
      this.warn({ code: "session-not-reopened", session: from, problem: problemOf(error) });
    }
  }

  /**
   * Reopens the session to apply settings that are read only when a session is opened. "later": a turn is running, or
   * the session is not saved and therefore could not be reopened.
   */
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

  /** Closes the current session. Waits for work such as a journey, because a restore of files must not stop halfway. */
  async close(): Promise<Farewell> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<Farewell> {
    await this.#gate.released();
    const { agent } = this.#here;
    const kept = await this.#here.close();
    this.#lookAfterWork();
    this.#listeners.clear();
    return kept === "kept" ? { resume: agent.session } : {};
  }

  async #switchTo(context: AppContext, request: AgentRequest, before: HostName | undefined): Promise<void> {
    const mode = await this.auto.openingMode(context, request);
    this.#here = await openCurrent(context, {
      request: { ...request, mode },
      person: this.#person,
      gate: this.#gate,
      checkMode: (wanted) => this.auto.check(wanted),
      before,
    });
    this.#model = this.#here.model;
    if (this.#here.host === "claude") this.#hearModel(this.#here.agent);
    this.#values = this.#here.settings;
    const left = leftRunning(this.#here);
    if (left !== undefined) this.warn(left);
  }

  /** Listens for the name of the model, because the SDK reports it only in its answers. */
  #hearModel(agent: Agent): void {
    agent.on((event) => {
      if (event.type !== "model" || this.#here.agent !== agent) return;
      this.setModel({ state: "ready", name: event.model, window: event.window });
    });
  }

  /** Updates the request with the model and the mode that the user has chosen in the meantime. */
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

/** Returns a notice about commands that outlived a killed process and may still change files at any time. */
function leftRunning({ opened }: Pick<CurrentSession, "opened">): Notice | undefined {
  if (opened.resumed === "new") return undefined;
  const commands = new BackgroundCommands(opened.session.id).leftovers();
  return commands.length === 0 ? undefined : { code: "commands-left-running", commands };
}
