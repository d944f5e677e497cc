import type { Agent } from "../../ports/agent.ts";
import type { AgentEvent, TurnEnd } from "../../ports/agent-events.ts";
import type { Part } from "../../record/parts.ts";
import { textOf } from "../../record/parts.ts";
import type { Desk } from "../commands/desk.ts";
import type { Board } from "./board.ts";
import { sayError } from "./say-error.ts";

export interface ConversingParts {
  readonly board: Board;
  readonly desk: Desk;
  readonly now: () => number;
}

/** What was seen of the turn that runs. */
interface Seen {
  /** The checkpoint before its prompt. */
  readonly checkpoint?: number;
  readonly shown: "nothing" | "something";
}

const SHOWN: ReadonlySet<AgentEvent["type"]> = new Set([
  "text",
  "thinking",
  "call",
  "output",
  "backtrack",
  "sub-agent",
]);

/** Has the agent work on what the person says: one turn at a time, what is said meanwhile queued, all of it stoppable. */
export class Conversing {
  readonly #parts: ConversingParts;
  #seen: Seen = { shown: "nothing" };
  #interrupting: "no" | "yes" | "take-back" = "no";

  constructor(parts: ConversingParts) {
    this.#parts = parts;
  }

  get #agent(): Agent {
    return this.#parts.desk.station.agent;
  }

  /** For what the agent tells while a turn runs. */
  hear(event: AgentEvent): void {
    if (SHOWN.has(event.type)) this.#seen = { ...this.#seen, shown: "something" };
    if (event.type !== "entry") return;
    const { entry } = event;
    if (entry.kind === "checkpoint" && entry.on === "prompt")
      this.#seen = { ...this.#seen, checkpoint: entry.number };
  }

  async send(content: string | readonly Part[]): Promise<void> {
    const { board, desk } = this.#parts;
    if (desk.station.model.state === "none") {
      desk.say({ tone: "quiet", line: desk.strings.terminal.screen.withoutModel.freeText });
      return;
    }
    if (board.view.phase !== "turn") return this.#turn(async () => this.#agent.prompt(content));
    this.#agent.queue(content);
    const text = typeof content === "string" ? content : textOf(content);
    board.change((view) => ({ ...view, queued: [...view.queued, text] }));
  }

  async goOn(how: "continue" | "retry"): Promise<void> {
    return this.#turn(async () => this.#agent.resume(how));
  }

  async compact(focus: string | undefined): Promise<void> {
    return this.#busy(async () => {
      await this.#agent.compact(focus);
    });
  }

  async run(command: string, told: "model" | "nobody"): Promise<void> {
    return this.#busy(async () => {
      await this.#agent.run(command, told);
    });
  }

  /** Pressed before anything was shown, it takes the prompt back. */
  async interrupt(): Promise<void> {
    const { board, desk } = this.#parts;
    if (this.#interrupting !== "no") return;
    this.#interrupting =
      this.#seen.shown === "nothing" && this.#seen.checkpoint !== undefined ? "take-back" : "yes";
    board.set({ hint: desk.strings.terminal.screen.hints.stopping });
    await this.#agent.interrupt();
  }

  async #turn(work: () => Promise<TurnEnd>): Promise<void> {
    let end: TurnEnd | undefined;
    await this.#busy(async () => {
      end = await work();
    });
    if (end !== undefined) await this.#ended(end);
  }

  /** Never rejects: what goes wrong is said. */
  async #busy(work: () => Promise<void>): Promise<void> {
    const { board, desk, now } = this.#parts;
    this.#seen = { shown: "nothing" };
    this.#interrupting = "no";
    board.set({ phase: "turn", turnSince: now(), scroll: 0, hint: undefined });
    try {
      await work();
    } catch (error) {
      sayError(desk, error);
    } finally {
      board.set({ phase: "idle", turnSince: undefined, doing: undefined, queued: [], hint: undefined });
    }
  }

  async #ended(end: TurnEnd): Promise<void> {
    const { desk } = this.#parts;
    const { screen } = desk.strings.terminal;
    const unheard = (end.unheard ?? []).flat();
    if (end.outcome === "interrupted") {
      if (this.#interrupting === "take-back") await this.#takeBack(unheard);
      else if (unheard.length > 0) this.#giveBack(unheard);
      return;
    }
    if (end.outcome === "step-limit") desk.say({ tone: "warning", line: screen.turnEnded["step-limit"] });
    if (unheard.length === 0) return;
    if (end.outcome === "done") return this.send(unheard);
    this.#giveBack(unheard);
  }

  #giveBack(unheard: readonly Part[]): void {
    const { desk } = this.#parts;
    desk.edit(unheard);
    desk.say({ tone: "quiet", line: desk.strings.terminal.screen.unheard });
  }

  /** The conversation goes back to before the prompt, which is left on the timeline like anything else. */
  async #takeBack(unheard: readonly Part[]): Promise<void> {
    const { desk } = this.#parts;
    const { checkpoint } = this.#seen;
    if (checkpoint === undefined) return;
    try {
      const { station } = desk;
      const made = await station.journeys.rewind({
        session: station.agent.session,
        number: checkpoint,
        scope: "conversation",
      });
      await desk.reload();
      desk.edit([...(made.prompt ?? []), ...unheard]);
      desk.say({ tone: "quiet", line: desk.strings.terminal.screen.promptBack });
    } catch (error) {
      sayError(desk, error);
    }
  }
}
