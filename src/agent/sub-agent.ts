import type { OutsideWatch } from "../machine/files/outside/watch.ts";
import type { Session } from "../machine/session.ts";
import type { AgentEvent } from "../ports/agent-events.ts";
import type { Person } from "../ports/person.ts";
import type { TaskOf } from "../record/entry.ts";
import type { OutsideChange } from "../record/outside.ts";
import { textPart } from "../record/parts.ts";
import { grantsOn } from "./branch/grants.ts";
import { type Common, layOut } from "./lay-out.ts";
import { readInstructions } from "./prompt/instructions.ts";
import { subAgentPrompt } from "./prompt/system-prompt.ts";
import { relay } from "./relay.ts";
import { BackgroundCommands } from "./tools/bash/background-commands.ts";
import type { TaskInput } from "./tools/task/task.ts";
import type { Tool, ToolCall, ToolResult } from "./tools/tool.ts";
import type { Captures } from "./turn/files/captures.ts";
import { PromptQueue } from "./turn/prompt-queue.ts";
import type { Spent } from "./turn/spending.ts";
import { runTurn } from "./turn/turn.ts";

/** Makes the log of a sub-agent, beside that of the session it works for. */
export type OpenSubSession = (wanted: { readonly system: string; readonly task: TaskOf }) => Promise<Session>;

export interface SubAgentParts {
  readonly common: Common;
  readonly parent: Session;
  readonly openSubSession: OpenSubSession;
  readonly tell: (event: AgentEvent) => void;
  readonly onSpent: (spent: Spent) => void;
  /** Of MCP servers, which it shares. */
  readonly tools: readonly Tool[];
  /** Of the session that it works for, which has the files: each of its calls is looked at there. */
  readonly captures: () => Captures;
}

/** What only makes sense for who talks to the person. */
const NOT_FOR_SUB_AGENTS: ReadonlySet<string> = new Set(["AskUser", "ExitPlanMode"]);

/**
 * Does a task in a session of its own. Its files are those of the session it works for, which captures them when the call
 * has ended; what it started in the background ends with it.
 */
export async function runSubAgent(
  parts: SubAgentParts,
  task: TaskInput,
  call: ToolCall,
): Promise<ToolResult> {
  const { common, parent } = parts;
  const { workspace } = parent.header;
  const instructions = await readInstructions(workspace);
  const session = await parts.openSubSession({
    system: subAgentPrompt({
      workspace,
      platform: process.platform,
      date: new Date(common.clock.now()).toISOString().slice(0, 10),
      ...(instructions === undefined ? {} : { instructions }),
    }),
    task: { session: parent.id, call: call.id },
  });
  const background = new BackgroundCommands(`${parent.id}.${session.id}`);
  const outside: OutsideChange[] = [];
  try {
    const tell = (event: AgentEvent): void =>
      parts.tell({ type: "sub-agent", call: call.id, session: session.id, event });
    session.on(relay(tell));
    const bench = layOut({
      common: { ...common, person: asSubAgent(common.person) },
      session,
      background,
      tools: parts.tools,
      without: NOT_FOR_SUB_AGENTS,
      tell,
      queue: new PromptQueue(),
      grants: async () => [...(await grantsOn(parent)), ...(await grantsOn(session))],
      above: parts.captures(),
      watchOutside: async (paths) => following(await parent.watchOutside(paths), outside),
    });
    const begin = async (): Promise<void> => {
      await session.prompt(task.prompt);
    };
    const end = await runTurn(bench, begin, call.signal);
    parts.onSpent({ usage: end.usage, cost: end.cost });
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

/** What it changes outside the workspace stands in the log of the session that it works for, whose journeys take it back. */
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

/** The person is told who asks. */
function asSubAgent(person: Person): Person {
  return {
    allow: async (request, signal) => person.allow({ ...request, by: "sub-agent" }, signal),
    answer: async (questions, signal) => person.answer(questions, signal),
    approve: async (plan, signal) => person.approve(plan, signal),
  };
}
