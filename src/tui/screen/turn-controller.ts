import type { Agent } from "../../ports/agent.ts";
import type { AgentEvent, TurnEnd } from "../../ports/agent-events.ts";
import { type Part, textOf, textPart } from "../../record/parts.ts";
import type { CommandContext } from "../flows/command-context.ts";
import { showError } from "../flows/command-context.ts";
import type { ViewStore } from "../view/view-state.ts";
import { isAgentAtWork } from "../view/view-state.ts";

export interface TurnControllerDeps {
  readonly store: ViewStore;
  readonly context: CommandContext;
  /** Runs one of the steps that can be tried without a model. */
  readonly takeStep: (step: number) => Promise<void>;
}

/** The progress of the running turn, according to its events. */
interface TurnProgress {
  /** The checkpoint before the turn's prompt. */
  readonly checkpoint?: number;
  readonly shown: "nothing" | "something";
}

/** An input that the user sent while something was running, in the form that the editor shows. */
interface QueuedInput {
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

/** Starts and stops the agent's turns, and queues what the user sends while something is running. */
export class TurnController {
  readonly #parts: TurnControllerDeps;
  /**
   * The inputs in the order in which they were sent. Inputs sent during a turn are also in the agent's own queue, and
   * the agent reports each one that it logs. When the turn ends, the agent drops the inputs that it has not logged.
   */
  #queue: readonly QueuedInput[] = [];
  #seen: TurnProgress = { shown: "nothing" };
  #interrupting: "no" | "yes" | "take-back" = "no";

  constructor(parts: TurnControllerDeps) {
    this.#parts = parts;
  }

  get #agent(): Agent {
    return this.#parts.context.app.agent;
  }

  /** Applies an event from the agent. */
  apply(event: AgentEvent): void {
    if (event.type === "busy" && isAgentAtWork(event.busy)) {
      this.#seen = { shown: "nothing" };
      this.#interrupting = "no";
    }
    if (SHOWN.has(event.type)) this.#seen = { ...this.#seen, shown: "something" };
    if (event.type !== "entry") return;
    const { entry } = event;
    if (entry.kind === "checkpoint" && entry.on === "prompt")
      this.#seen = { ...this.#seen, checkpoint: entry.number };
  }

  /** The queued inputs, as the user typed them. */
  get unsent(): readonly string[] {
    return this.#queue.map(({ content }) => textOf(content));
  }

  async send(content: string | readonly Part[]): Promise<void> {
    const parts = typeof content === "string" ? [textPart(content)] : content;
    if (this.#parts.context.app.model.state === "none") return this.#withoutModel(parts);
    const { busy } = this.#agent;
    if (!isAgentAtWork(busy)) return this.#turn(async () => this.#agent.prompt(parts), parts);
    const input = { content: parts, begin: async () => this.send(parts) };
    this.#enqueue(input);
    // A turn adds queued prompts after its current step. Other work never reads the queue.
    if (busy === "turn") {
      this.#agent.queue(parts, () => this.#setQueue(this.#queue.filter((each) => each !== input)));
    }
  }

  async resumeTurn(how: "continue" | "retry"): Promise<void> {
    await this.#turn(async () => this.#agent.resume(how), []);
  }

  async compact(focus: string | undefined): Promise<void> {
    await this.#alone(async () => {
      await this.#agent.compact(focus);
    });
  }

  async run(command: string, visibility: "model" | "user-only"): Promise<void> {
    const typed = `${visibility === "model" ? "!" : "!!"}${command}`;
    if (isAgentAtWork(this.#agent.busy)) {
      const begin = async (): Promise<void> => this.run(command, visibility);
      this.#enqueue({ content: [textPart(typed)], begin });
      return;
    }
    await this.#alone(async () => {
      await this.#agent.run(command, visibility);
    });
  }

  /** Interrupts the turn. If nothing from the turn has been shown yet, its prompt is also taken back. */
  async interrupt(): Promise<void> {
    const { store, context } = this.#parts;
    if (this.#interrupting !== "no") return;
    this.#interrupting =
      this.#seen.shown === "nothing" && this.#seen.checkpoint !== undefined ? "take-back" : "yes";
    store.set({ hint: context.strings.terminal.screen.hints.stopping });
    await this.#agent.interrupt();
  }

  #enqueue(input: QueuedInput): void {
    this.#setQueue([...this.#queue, input]);
  }

  #setQueue(queue: readonly QueuedInput[]): void {
    this.#queue = queue;
    this.#parts.store.set({ queued: this.unsent });
  }

  /** Handles a prompt if no model is connected. In that case, only the numbered steps on the first screen work. */
  async #withoutModel(content: readonly Part[]): Promise<void> {
    const { context, takeStep } = this.#parts;
    const text = textOf(content).trim();
    if (/^[1-5]$/u.test(text)) return takeStep(Number(text));
    context.say({ tone: "quiet", line: context.strings.terminal.screen.withoutModel.freeText });
  }

  /** Runs a turn. If the turn could not begin, returns `asked` to the editor. */
  async #turn(work: () => Promise<TurnEnd>, asked: readonly Part[]): Promise<void> {
    let end: TurnEnd | undefined;
    await this.#work(async () => {
      end = await work();
    });
    if (end === undefined) {
      this.#returnQueue(asked.length > 0 ? [asked] : []);
      return;
    }
    if (end.outcome === "step-limit") {
      const { context } = this.#parts;
      context.say({ tone: "warning", line: context.strings.terminal.screen.stepLimit });
    }
    if (end.outcome === "interrupted" && this.#interrupting === "take-back") await this.#takeBack();
    else await this.#continueWithQueue(end.outcome === "done" ? "go-on" : "return");
  }

  async #alone(work: () => Promise<void>): Promise<void> {
    const outcome = await this.#work(work);
    await this.#continueWithQueue(outcome === "done" ? "go-on" : "return");
  }

  /**
   * Starts the next input from the queue. If the work was stopped or failed, returns the whole queue to the editor
   * instead.
   */
  async #continueWithQueue(how: "go-on" | "return"): Promise<void> {
    if (isAgentAtWork(this.#agent.busy)) return;
    const [next, ...rest] = this.#queue;
    if (next === undefined) return;
    if (how === "return" || this.#interrupting !== "no") {
      this.#returnQueue([]);
      return;
    }
    this.#setQueue(rest);
    await next.begin();
  }

  /** Returns the queue to the editor, after `before`. */
  #returnQueue(before: readonly (readonly Part[])[]): void {
    const { context } = this.#parts;
    const queued = this.#queue.map(({ content }) => content);
    this.#setQueue([]);
    if (before.length + queued.length > 0) context.returnToEditor([...before, ...queued]);
    if (queued.length > 0)
      context.say({ tone: "quiet", line: context.strings.terminal.screen.queueReturned });
  }

  /** Runs work and shows its error. Never rejects. */
  async #work(work: () => Promise<void>): Promise<"done" | "failed"> {
    try {
      await work();
      return "done";
    } catch (error) {
      showError(this.#parts.context, error);
      return "failed";
    }
  }

  /**
   * Rewinds the conversation to the point before the prompt. The prompt stays on the timeline, like everything else.
   */
  async #takeBack(): Promise<void> {
    const { context } = this.#parts;
    const { checkpoint } = this.#seen;
    let prompt: readonly Part[] = [];
    try {
      if (checkpoint !== undefined) {
        const { app } = context;
        const made = await app.journeys.rewind({
          session: app.agent.session,
          number: checkpoint,
          scope: "conversation",
        });
        await context.reload();
        prompt = made.prompt ?? [];
      }
    } catch (error) {
      showError(context, error);
    }
    this.#returnQueue(prompt.length > 0 ? [prompt] : []);
    if (prompt.length > 0) context.say({ tone: "quiet", line: context.strings.terminal.screen.promptBack });
  }
}
