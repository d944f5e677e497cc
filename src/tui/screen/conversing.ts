import type { Agent } from "../../ports/agent.ts";
import type { AgentEvent, TurnEnd } from "../../ports/agent-events.ts";
import { type Part, textOf, textPart } from "../../record/parts.ts";
import type { Desk } from "../commands/desk.ts";
import { sayError } from "../commands/say-error.ts";
import type { Board } from "./board.ts";

export interface ConversingParts {
  readonly board: Board;
  readonly desk: Desk;
  readonly now: () => number;
  /** One of the things that can be tried without a model. */
  readonly takeStep: (step: number) => Promise<void>;
}

/** What was seen of the turn that runs. */
interface Seen {
  /** The checkpoint before its prompt. */
  readonly checkpoint?: number;
  readonly shown: "nothing" | "something";
}

/** What waits until nothing runs: as it would stand in the editor, and what to do with it. */
interface Later {
  readonly content: readonly Part[];
  readonly begin: () => Promise<void>;
}

const SHOWN: ReadonlySet<AgentEvent["type"]> = new Set([
  "text",
  "thinking",
  "call",
  "output",
  "backtrack",
  "sub-agent",
]);

/** Has the agent work on what the person says: one thing at a time, what is said meanwhile queued, all of it stoppable. */
export class Conversing {
  readonly #parts: ConversingParts;
  readonly #later: Later[] = [];
  #running: "nothing" | "turn" | "other" = "nothing";
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
    const parts = typeof content === "string" ? [textPart(content)] : content;
    if (this.#parts.desk.station.model.state === "none") return this.#withoutModel(parts);
    if (this.#running === "nothing") return this.#turn(async () => this.#agent.prompt(parts), parts);
    // A turn hears it when the results of its step are in; whatever else runs does not listen.
    if (this.#running === "turn") this.#agent.queue(parts);
    else this.#later.push({ content: parts, begin: async () => this.send(parts) });
    this.#showQueued(textOf(parts));
  }

  async goOn(how: "continue" | "retry"): Promise<void> {
    await this.#turn(async () => this.#agent.resume(how), []);
  }

  async compact(focus: string | undefined): Promise<void> {
    await this.#alone(async () => {
      await this.#agent.compact(focus);
    });
  }

  async run(command: string, told: "model" | "nobody"): Promise<void> {
    const typed = `${told === "model" ? "!" : "!!"}${command}`;
    if (this.#running !== "nothing") {
      this.#later.push({ content: [textPart(typed)], begin: async () => this.run(command, told) });
      this.#showQueued(typed);
      return;
    }
    await this.#alone(async () => {
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

  #showQueued(text: string): void {
    this.#parts.board.change((view) => ({ ...view, queued: [...view.queued, text] }));
  }

  /** Nobody can answer; but the steps of the first screen are known by their numbers. */
  async #withoutModel(content: readonly Part[]): Promise<void> {
    const { desk, takeStep } = this.#parts;
    const text = textOf(content).trim();
    if (/^[1-5]$/u.test(text)) return takeStep(Number(text));
    desk.say({ tone: "quiet", line: desk.strings.terminal.screen.withoutModel.freeText });
  }

  /** `asked` is given back where the turn did not even begin. */
  async #turn(work: () => Promise<TurnEnd>, asked: readonly Part[]): Promise<void> {
    let end: TurnEnd | undefined;
    await this.#busy("turn", async () => {
      end = await work();
    });
    if (end !== undefined) await this.#ended(end);
    else if (asked.length > 0) this.#parts.desk.edit(asked);
    await this.#goOnWithLater();
  }

  async #alone(work: () => Promise<void>): Promise<void> {
    await this.#busy("other", work);
    await this.#goOnWithLater();
  }

  /** What was to come later comes now; after an interrupt it is given back instead. */
  async #goOnWithLater(): Promise<void> {
    if (this.#later.length === 0 || this.#running !== "nothing") return;
    if (this.#interrupting !== "no")
      return this.#giveBack(this.#later.splice(0).flatMap(({ content }) => content));
    await this.#later.shift()?.begin();
  }

  /** Never rejects: what goes wrong is said. */
  async #busy(running: "turn" | "other", work: () => Promise<void>): Promise<void> {
    const { board, desk, now } = this.#parts;
    this.#running = running;
    this.#seen = { shown: "nothing" };
    this.#interrupting = "no";
    board.set({ phase: "turn", turnSince: now(), scroll: 0, hint: undefined });
    try {
      await work();
    } catch (error) {
      sayError(desk, error);
    } finally {
      this.#running = "nothing";
      const queued = this.#later.map(({ content }) => textOf(content));
      board.change((view) => ({
        ...view,
        // Who leaves meanwhile has the last word.
        phase: view.phase === "turn" ? "idle" : view.phase,
        turnSince: undefined,
        doing: undefined,
        queued,
        hint: undefined,
      }));
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
    if (end.outcome === "step-limit") desk.say({ tone: "warning", line: screen.stepLimit });
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
