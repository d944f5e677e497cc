import { z } from "zod";
import type { OutsideWatch } from "../machine/files/outside-files.ts";
import { turnStateOf } from "../machine/queries/recap.ts";
import type { CompactionTold } from "../ports/agent-events.ts";
import type { Model } from "../ports/model.ts";
import type { Person } from "../ports/person.ts";
import { WorldlineError } from "../record/error.ts";
import type { OutsideChange } from "../record/files.ts";
import { textPart } from "../record/parts.ts";
import {
  answerUnstarted,
  backToLastStep,
  type Engine,
  forwardLogEvents,
  noteUndoneBacktrack,
  SessionAgent,
  type TurnStart,
} from "./agent.ts";
import { type AgentContext, createContext, grantsOn, Tally } from "./agent-context.ts";
import { readInstructions, subAgentPrompt } from "./system-prompt.ts";
import { BackgroundCommands } from "./tools/bash/background.ts";
import { backtrackTool } from "./tools/conversation.ts";
import { placeOf } from "./tools/files.ts";
import { descriptions } from "./tools/generated/descriptions.ts";
import { sweepBeside } from "./tools/put-file.ts";
import { defineTool, type Tool, type ToolCall, type ToolResult } from "./tools/tool.ts";
import { type Outcome, runSteps, runTurn } from "./turn/turn.ts";
import { createTurnContext, type NativeAgentOptions, type TurnContext } from "./turn/turn-context.ts";

export type { NativeAgentOptions };

/** Worldline's own agent. */
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

  async endLeftovers(): Promise<undefined> {
    await sweepHalfWritten(this.#context);
  }

  async turn(start: TurnStart, tally: Tally, signal: AbortSignal): Promise<Outcome> {
    const { session, captures, compacting, emit } = this.#context;
    if (start.how === "prompt") compacting.renew();
    else captures.beforeResume(start.author);
    if (start.how === "retry") await backToLastStep(session, emit);
    await answerUnstarted(this.#context);
    await noteUndoneBacktrack(this.#context);
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
    this.#context.emit({ type: "model", model: model.name, window: model.window });
  }
}

/** Tools that are useful only to an agent that talks to the user. */
const NOT_FOR_SUB_AGENTS: ReadonlySet<string> = new Set(["AskUser", "ExitPlanMode"]);

/**
 * Runs a task in a separate session. The parent session owns the files and captures them when the call has ended. The
 * task's background commands end when the task ends.
 */
async function runSubAgent(
  options: NativeAgentOptions,
  parent: TurnContext,
  task: TaskInput,
  call: ToolCall,
): Promise<ToolResult> {
  const { workspace, clock, model } = parent;
  const instructions = await readInstructions(workspace);
  const session = await options.openSubSession({
    system: subAgentPrompt({
      workspace,
      platform: process.platform,
      date: new Date(clock.now()).toISOString().slice(0, 10),
      instructions,
    }),
    task: { session: parent.session.id, call: call.id },
  });
  const background = new BackgroundCommands(`${parent.session.id}.${session.id}`);
  const outside: OutsideChange[] = [];
  const emit: AgentContext["emit"] = (event) =>
    parent.emit({ type: "sub-agent", call: call.id, session: session.id, event });
  try {
    session.on(forwardLogEvents(emit));
    const shared = createContext(
      { ...options, session, files: undefined, person: asSubAgent(parent.person) },
      {
        ...parent,
        emit,
        background,
        grants: async () => [...(await grantsOn(parent.session)), ...(await grantsOn(session))],
        above: parent.captures,
      },
    );
    const context = createTurnContext(options, shared, {
      model,
      tools: options.tools ?? [],
      without: NOT_FOR_SUB_AGENTS,
      watchOutside: async (paths) => following(await parent.session.watchOutside(paths), outside),
    });
    const tally = new Tally();
    const end = await runTurn(context, tally, async () => {
      await session.prompt(task.prompt);
      return runSteps(context, tally, call.signal);
    });
    parent.spending.add({ usage: end.usage, cost: end.cost });
    if (end.outcome === "done") return { outcome: "ok", parts: [textPart(end.answer)], outside };
    const why = end.error === undefined ? end.outcome : `${end.error.message} ${end.error.hint ?? ""}`.trim();
    const said = end.answer === "" ? "" : `\n\nIts last message:\n${end.answer}`;
    return {
      outcome: end.outcome === "interrupted" ? "interrupted" : "error",
      parts: [textPart(`The sub-agent did not finish: ${why}${said}`)],
      outside,
    };
  } finally {
    await background.close();
    await session.close();
  }
}

/** Logs changes outside the workspace in the parent session, whose journeys can undo them. */
function following(watch: OutsideWatch | undefined, into: OutsideChange[]): OutsideWatch | undefined {
  return (
    watch && {
      changes: async () => {
        into.push(...(await watch.changes()));
        return [];
      },
    }
  );
}

/** Wraps a `Person` so that permission requests tell the user that a sub-agent is asking. */
function asSubAgent(person: Person): Person {
  return {
    allow: async (request, signal) => person.allow({ ...request, by: "sub-agent" }, signal),
    answer: async (questions, signal) => person.answer(questions, signal),
    approve: async (plan, signal) => person.approve(plan, signal),
  };
}

interface TaskInput {
  readonly description: string;
  readonly prompt: string;
  readonly subagent_type?: string | undefined;
}

/** Creates the tool that runs a task with a sub-agent, which has a separate log. */
function taskTool(runTask: (task: TaskInput, call: ToolCall) => Promise<ToolResult>): Tool {
  return defineTool({
    name: "Task",
    description: descriptions.task,
    input: z.strictObject({
      description: z.string().min(1).describe("The task in three to five words. Shown to the user."),
      prompt: z
        .string()
        .min(1)
        .describe("Everything that the sub-agent needs to know. It sees nothing else."),
      subagent_type: z.string().optional().describe("Ignored: there is only one kind of sub-agent."),
    }),
    // A sub-agent has tools that can change anything. Each of its calls needs permission.
    reach: "anything",
    works: "by-calls",
    beside: "others",
    subjects: async () => [{ kind: "tool" }],
    about: ({ description }) => description,
    run: runTask,
  });
}

/**
 * Removes temporary files that a killed write may have left next to their targets. No other code would remove a file
 * with such a name.
 */
async function sweepHalfWritten({ session, tools, workspace }: TurnContext): Promise<void> {
  const turn = await turnStateOf(session);
  if (turn.state === "idle") return;
  for (const { name, about } of turn.openCalls) {
    if (tools.get(name)?.reach === "files") await sweepBeside(await placeOf(workspace, about));
  }
}
