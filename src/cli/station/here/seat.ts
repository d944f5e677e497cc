import { TurnGate } from "../../../agent/turn-gate.ts";
import type { Agent } from "../../../ports/agent.ts";
import type { Person } from "../../../ports/person.ts";
import type { ModelState } from "../../../ports/station/models.ts";
import type { Farewell, StationEvent, StationWarning } from "../../../ports/station/station.ts";
import { isWorldlineError } from "../../../record/error.ts";
import type { SessionId } from "../../../record/ids.ts";
import { hintOnScreen } from "../../../strings/hint-on-screen.ts";
import type { Strings } from "../../../strings/strings.ts";
import { frameOfWish } from "../../agent/frame-of-wish.ts";
import type { Frame } from "../../command/frame.ts";
import type { HostName, Wish } from "../../commands/agent/wish.ts";
import { commandAgain } from "../../places/command-again.ts";
import type { Settings } from "../../settings/table.ts";
import { AutoModeHere } from "./auto-mode.ts";
import { isEmpty } from "./empty-session.ts";
import { freshFrame } from "./fresh-frame.ts";
import { leftRunning } from "./left-running.ts";
import { type Here, openHere } from "./open-here.ts";
import { toldFrame } from "./told-frame.ts";

/** Another session to be here: how it comes, and in which folder. */
export interface Move {
  readonly how: Extract<StationEvent, { type: "replaced" }>["how"];
  /** The real path of the workspace. */
  readonly folder: string;
  /** Absent: a new one. */
  readonly session?: SessionId;
  /** What the person is to know when it is there. */
  readonly said?: StationWarning;
}

/** Holds what is here, puts something else in its place, and tells of it. */
export class Seat {
  readonly auto = new AutoModeHere();
  readonly #listeners = new Set<(event: StationEvent) => void>();
  /** Of what is here: told when it has come. */
  #warnings: StationWarning[] = [];
  /** Settings are read again and again, and say the same each time. */
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

  static async open(bare: Frame, wish: Wish, person: Person): Promise<Seat> {
    const seat = new Seat(person);
    const told = toldFrame(bare, (line) => {
      if (!seat.#said.has(line)) seat.warn({ message: line });
      seat.#said.add(line);
    });
    if (wish.mode === "auto") seat.auto.confirm();
    await seat.#sit(await frameOfWish(told, wish), wish, undefined);
    return seat;
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

  get warnings(): readonly StationWarning[] {
    return this.#warnings;
  }

  on(listener: (event: StationEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(event: StationEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** Until somebody listens, and while something else comes here, it is something to be said at the beginning. */
  warn({ message, hint }: StationWarning): void {
    const here = hint === undefined ? {} : { hint: hintOnScreen(hint) };
    const warning = { message: hintOnScreen(message), ...here };
    if (this.#listeners.size === 0 || this.#moving === "yes") this.#warnings.push(warning);
    else this.tell({ type: "warning", warning });
  }

  setModel(model: ModelState): void {
    this.#model = model;
    this.tell({ type: "model", model });
  }

  /** Has the settings read again from now on, and other words spoken. */
  async refresh(strings: Strings = this.#here.frame.strings): Promise<void> {
    const here = this.#here;
    const fresh = freshFrame(here.frame, { folder: here.agent.workspace, strings });
    const { values } = await fresh.settings();
    // Somebody may have moved meanwhile, and what was read is then of another folder.
    if (this.#here !== here) return;
    this.#values = values;
    this.#here = { ...here, frame: fresh };
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
    this.#warnings = to.said === undefined ? [] : [to.said];
    try {
      return await this.#replace(to);
    } finally {
      this.#moving = "no";
    }
  }

  async #replace({ how, folder, session }: Move): Promise<"kept" | "gone"> {
    const { agent, wish, frame, host } = this.#here;
    const from = agent.session;
    // A session has the agent that it had; one that is begun, copied or held anew has the one that is here.
    const isOther = how === "opened" || how === "visited";
    const next = { ...this.#wishFor(wish, session), ...(isOther ? {} : { host }) };
    const wasConfirmed = this.auto.isConfirmed;
    let kept: "kept" | "gone" = "kept";
    try {
      kept = await this.#here.close();
      if (how !== "reopened") this.auto.forget();
      await this.#sit(freshFrame(frame, { folder }), next, host);
    } catch (error) {
      if (wasConfirmed) this.auto.confirm();
      const back = { ...this.#wishFor(wish, kept === "kept" ? from : undefined), host };
      await this.#sitAgain(freshFrame(frame, { folder: agent.workspace }), back, from);
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
  async #sitAgain(frame: Frame, wish: Wish, from: SessionId): Promise<void> {
    try {
      await this.#sit(frame, wish, wish.host);
      this.#moved("reopened", from);
    } catch (error) {
      this.warn({
        message: error instanceof Error ? error.message : String(error),
        hint: commandAgain(frame.common, `worldline -r ${from}`),
      });
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
    const { agent, frame } = this.#here;
    const kept = await this.#here.close();
    this.#listeners.clear();
    return kept === "kept" ? { resume: commandAgain(frame.common, `worldline -r ${agent.session}`) } : {};
  }

  async #sit(frame: Frame, wish: Wish, before: HostName | undefined): Promise<void> {
    const mode = await this.auto.openingMode(frame, wish);
    const { auto } = this;
    this.#here = await openHere(frame, {
      wish: { ...wish, mode },
      person: this.#person,
      gate: this.#gate,
      auto,
      before,
    });
    this.#model = this.#here.model;
    if (this.#here.host === "claude") this.#hearModel(this.#here.agent);
    this.#values = (await frame.settings()).values;
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
  #wishFor(wish: Wish, session: SessionId | undefined): Wish {
    const { model: _model, host: _host, ...others } = wish;
    const chosen = this.#model.state === "ready" ? { model: this.#model.name } : {};
    return {
      ...others,
      ...chosen,
      mode: this.auto.modeAfter(this.#here.agent.mode),
      resume: session === undefined ? { how: "new" } : { how: "resume", wanted: session },
      fork: "no",
      keepSession: session === undefined ? wish.keepSession : "yes",
    };
  }
}
