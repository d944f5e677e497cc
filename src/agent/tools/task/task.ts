import { z } from "zod";
import { descriptions } from "../generated/descriptions.ts";
import { defineTool, type Tool, type ToolCall, type ToolResult } from "../tool.ts";

export interface TaskInput {
  readonly description: string;
  readonly prompt: string;
  readonly subagent_type?: string | undefined;
}

/** Hands a piece of work to a sub-agent with a log of its own. */
export function taskTool(runTask: (task: TaskInput, call: ToolCall) => Promise<ToolResult>): Tool {
  return defineTool({
    name: "Task",
    description: descriptions.task,
    input: z.strictObject({
      description: z.string().min(1).describe("The task in three to five words, for the person."),
      prompt: z.string().min(1).describe("All that the sub-agent needs to know; it sees nothing else."),
      subagent_type: z.string().optional().describe("Ignored: there is one kind of sub-agent."),
    }),
    // It has the tools that can change anything; what it does with them is asked for call by call.
    reach: "anything",
    works: "by-calls",
    beside: "others",
    subjects: async () => [{ kind: "tool" }],
    about: ({ description }) => description,
    run: runTask,
  });
}
