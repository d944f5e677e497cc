import { z } from "zod";
import type { TodoItem } from "../../../record/parts.ts";
import { done } from "../answers.ts";
import { tolerating } from "../fields.ts";
import { descriptions } from "../generated/descriptions.ts";
import { plural } from "../text.ts";
import { defineTool, type Tool } from "../tool.ts";

const statuses = { pending: "open", in_progress: "doing", completed: "done" } as const;

const todo = z.strictObject({
  content: z.string().min(1).describe("What is to be done: Fix the login test."),
  status: z.enum(["pending", "in_progress", "completed"]),
  activeForm: z.string().optional().describe("The same while it is done: Fixing the login test."),
});
const input = z.strictObject({
  todos: z.array(tolerating(["id", "priority"], todo)).describe("The whole list; it replaces the last one."),
});

/** Where the list goes; on the branch, so that going back takes it back too. */
export type OnTodos = (items: readonly TodoItem[]) => void | Promise<void>;

export function todoWriteTool({ onTodos }: { readonly onTodos: OnTodos }): Tool {
  return defineTool<z.infer<typeof input>>({
    name: "TodoWrite",
    description: descriptions.todoWrite,
    input,
    reach: "nothing",
    subjects: async () => [{ kind: "tool" }],
    about: ({ todos }) => plural(todos.length, "todo"),
    run: async ({ todos }) => {
      const items = todos.map(
        ({ content, status }): TodoItem => ({ text: content, status: statuses[status] }),
      );
      await onTodos(items);
      const count = (status: TodoItem["status"]): number =>
        items.filter((item) => item.status === status).length;
      return done(`Kept: ${count("done")} done, ${count("doing")} in progress, ${count("open")} open.`);
    },
  });
}
