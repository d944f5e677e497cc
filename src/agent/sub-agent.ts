import type { OutsideWatch } from "../machine/files/outside/watch.ts";
import type { Person } from "../ports/person.ts";
import type { OutsideChange } from "../record/outside.ts";
import { textPart } from "../record/parts.ts";
import { relay } from "./agent.ts";
import { type AgentContext, createContext } from "./agent-context.ts";
import { grantsOn } from "./grants.ts";
import { readInstructions } from "./prompt/instructions.ts";
import { subAgentPrompt } from "./prompt/system-prompt.ts";
import { BackgroundCommands } from "./tools/bash/background-commands.ts";
import type { TaskInput } from "./tools/task/task.ts";
import type { ToolCall, ToolResult } from "./tools/tool.ts";
import { runSteps } from "./turn/step.ts";
import { Tally } from "./turn/tally.ts";
import { runTurn } from "./turn/turn.ts";
import { createTurnContext, type NativeAgentOptions, type TurnContext } from "./turn/turn-context.ts";

/** What only makes sense for an agent that talks to the user. */
const NOT_FOR_SUB_AGENTS: ReadonlySet<string> = new Set(["AskUser", "ExitPlanMode"]);

/**
 * Does a task in a session of its own. Its files are those of the session it works for, which captures them when the call
 * has ended; what it started in the background ends with it.
 */
export async function runSubAgent(
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
  const tell: AgentContext["tell"] = (event) =>
    parent.tell({ type: "sub-agent", call: call.id, session: session.id, event });
  try {
    session.on(relay(tell));
    const shared = createContext(
      { ...options, session, files: undefined, person: asSubAgent(parent.person) },
      {
        ...parent,
        tell,
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

/** What it changes outside the workspace is in the log of the session that it works for, whose journeys take it back. */
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

/** The user is told who asks. */
function asSubAgent(person: Person): Person {
  return {
    allow: async (request, signal) => person.allow({ ...request, by: "sub-agent" }, signal),
    answer: async (questions, signal) => person.answer(questions, signal),
    approve: async (plan, signal) => person.approve(plan, signal),
  };
}
