import type { CompactionTold } from "../ports/agent-events.ts";
import type { Model } from "../ports/model.ts";
import { WorldlineError } from "../record/error.ts";
import { type Engine, SessionAgent, type TurnStart } from "./agent.ts";
import type { AgentContext } from "./agent-context.ts";
import { runSubAgent } from "./sub-agent.ts";
import { backtrackTool } from "./tools/backtrack/backtrack.ts";
import { taskTool } from "./tools/task/task.ts";
import { answerUnstarted, backToLastStep, sweepHalfWritten, tellUndoneBacktrack } from "./turn/cut-turn.ts";
import { runSteps } from "./turn/step.ts";
import type { Tally } from "./turn/tally.ts";
import type { Outcome } from "./turn/turn.ts";
import { createTurnContext, type NativeAgentOptions, type TurnContext } from "./turn/turn-context.ts";

export type { NativeAgentOptions };

/** Our own agent. */
export class NativeAgent extends SessionAgent {
  constructor(options: NativeAgentOptions) {
    super(options, (context) => new NativeEngine(options, context));
  }
}

class NativeEngine implements Engine {
  readonly #options: NativeAgentOptions;
  readonly #context: TurnContext;
  #model: Model;

  constructor(options: NativeAgentOptions, context: AgentContext) {
    const { session, settings, mode } = context;
    this.#options = options;
    this.#model = options.model;
    const task = taskTool(async (wanted, call) => runSubAgent(options, this.#context, wanted, call));
    const backtrack = backtrackTool({ session, manner: settings.backtrack, mode });
    this.#context = createTurnContext(options, context, {
      model: () => this.#model,
      tools: [task, ...(session.header.backtrack === "on" ? [backtrack] : []), ...(options.tools ?? [])],
    });
  }

  get model(): Engine["model"] {
    const { name, window } = this.#model;
    return { name, window, tools: [...this.#context.tools.keys()] };
  }

  async endLeftovers(): Promise<readonly string[]> {
    await sweepHalfWritten(this.#context);
    return [];
  }

  async turn(start: TurnStart, tally: Tally, signal: AbortSignal): Promise<Outcome> {
    const { session, captures, compacting, tell } = this.#context;
    if (start.how === "prompt") compacting.renew();
    else captures.beforeGoingOn(start.author);
    if (start.how === "retry") await backToLastStep(session, tell);
    await answerUnstarted(this.#context);
    await tellUndoneBacktrack(this.#context);
    if (start.how === "prompt") {
      const { checkpoint } = await session.prompt(start.prompt);
      captures.beforePrompt(checkpoint, start.author);
    }
    return runSteps(this.#context, tally, signal);
  }

  async compact(focus: string | undefined, signal: AbortSignal): Promise<CompactionTold> {
    return this.#context.compacting.asked(focus, signal);
  }

  async setModel(name: string): Promise<void> {
    const { openModel } = this.#options;
    if (openModel === undefined) {
      throw new WorldlineError("model-fixed", { model: name });
    }
    const model = await openModel(name);
    this.#model = model;
    this.#context.session.useWindow(model.window);
    this.#context.tell({ type: "model", model: model.name, window: model.window });
  }
}
