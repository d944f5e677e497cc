import {
  type ReceivedRequest,
  type Responder,
  type ScriptedReply,
  scripted,
} from "../../../src/testing/testing.ts";
import { spoken } from "./spoken.ts";

/** The source of a request: the conversation itself, one of its sub-agents, or a compaction by the SDK. */
export type Series = "main" | "sub-agent" | "compaction";

export function seriesOf({ messages, headers }: ReceivedRequest): Series {
  const last = messages.filter(({ role }) => role === "user" || role === "tool").at(-1);
  if (last?.text.includes("CRITICAL: Respond with TEXT ONLY") === true) return "compaction";
  return headers["x-claude-code-agent-id"] === undefined ? "main" : "sub-agent";
}

export interface ClaudeScript {
  readonly main: readonly ScriptedReply[];
  /** The replies to each sub-agent, by its task. */
  readonly subAgents?: Readonly<Record<string, readonly ScriptedReply[]>>;
  /** The replies to the SDK's requests for a summary, in order. */
  readonly summaries?: readonly string[];
}

/** Answers each series in its own order, however the requests interleave. */
export function claudeScript({ main, subAgents = {}, summaries = [] }: ClaudeScript): Responder {
  const compaction = scripted(...summaries.map((text) => ({ text: `<summary>${text}</summary>` })));
  const tasks = new Map(Object.entries(subAgents).map(([task, replies]) => [task, scripted(...replies)]));
  const conversation = scripted(...main);
  return (request, index) => {
    switch (seriesOf(request)) {
      case "main":
        return conversation(request, index);
      case "compaction":
        return compaction(request, index);
      default: {
        const task = spoken(request)[0]?.text?.at(-1) ?? "";
        const answer = tasks.get(task);
        if (answer === undefined) throw new Error(`The script has no sub-agent with the task ${task}`);
        return answer(request, index);
      }
    }
  };
}
