import { z } from "zod";
import type { PermissionMode, Person, Question } from "../../../ports/person.ts";
import { type TodoItem, textPart } from "../../../record/parts.ts";
import { descriptions } from "../generated/descriptions.ts";
import { oneLine, plural } from "../text.ts";
import { defineTool, done, failed, interrupted, type Tool, tolerating } from "../tool.ts";

const option = z.strictObject({
  label: z.string().min(1).describe("The choice, in a few words."),
  description: z.string().optional().describe("What it means, or what follows from it."),
});
const question = z.strictObject({
  question: z.string().min(1).describe("The whole question."),
  header: z.string().min(1).describe("Its subject in one or two words."),
  options: z.array(option).min(2).max(4),
  multiSelect: z.boolean().optional().describe("Several options may be chosen."),
});
const questionsInput = z.strictObject({ questions: z.array(question).min(1).max(4) });

export function askUserTool({ person }: { readonly person: Person }): Tool {
  return defineTool<z.infer<typeof questionsInput>>({
    name: "AskUser",
    description: descriptions.askUser,
    input: questionsInput,
    reach: "nothing",
    subjects: async () => [{ kind: "tool" }],
    about: ({ questions }) => oneLine(questions.map((each) => each.question).join(" ")),
    run: async ({ questions }, { signal }) => {
      const asked = questions.map(
        (each): Question => ({
          question: each.question,
          header: each.header,
          options: each.options.map(({ label, description = "" }) => ({ label, description })),
          several: each.multiSelect === true ? "any" : "one",
        }),
      );
      const answers = await person.answer(asked, signal);
      if (signal.aborted) return interrupted();
      if (answers === undefined) {
        return failed(
          "Nobody is there to answer. Decide yourself, the careful way, and say in your answer what you assumed.",
        );
      }
      return done(
        asked.map((each, index) => `${each.question}\n> ${answers[index] ?? "(no answer)"}`).join("\n\n"),
      );
    },
  });
}

const planInput = z.strictObject({
  plan: z
    .string()
    .min(1)
    .describe("The plan, as Markdown, short: what will be changed, where, and how it will be checked."),
});

export interface ExitPlanModeOptions {
  readonly person: Person;
  readonly mode: () => PermissionMode;
  readonly onApproved: (mode: Exclude<PermissionMode, "plan">) => void | Promise<void>;
}

export function exitPlanModeTool({ person, mode, onApproved }: ExitPlanModeOptions): Tool {
  return defineTool<z.infer<typeof planInput>>({
    name: "ExitPlanMode",
    description: descriptions.exitPlanMode,
    input: planInput,
    reach: "nothing",
    subjects: async () => [{ kind: "tool" }],
    about: ({ plan }) => oneLine(plan),
    run: async ({ plan }, { signal }) => {
      if (mode() !== "plan") return failed("Not in plan mode: there is nothing to leave. Just do the work.");
      const answer = await person.approve(plan, signal);
      if (signal.aborted) return interrupted();
      if (answer.answer === "no") {
        return { outcome: "denied", parts: [textPart(`The plan was not approved: ${answer.reason}`)] };
      }
      await onApproved(answer.mode);
      return done(
        `The person approved the plan. Plan mode is over, the mode is now ${answer.mode}: carry the plan out.`,
      );
    },
  });
}

const statuses = { pending: "open", in_progress: "doing", completed: "done" } as const;

const todo = z.strictObject({
  content: z.string().min(1).describe("What is to be done: Fix the login test."),
  status: z.enum(["pending", "in_progress", "completed"]),
  activeForm: z.string().optional().describe("The same while it is done: Fixing the login test."),
});
const todosInput = z.strictObject({
  todos: z.array(tolerating(["id", "priority"], todo)).describe("The whole list; it replaces the last one."),
});

/** Where the list goes; on the branch, so that going back takes it back too. */
export type OnTodos = (items: readonly TodoItem[]) => void | Promise<void>;

export function todoWriteTool({ onTodos }: { readonly onTodos: OnTodos }): Tool {
  return defineTool<z.infer<typeof todosInput>>({
    name: "TodoWrite",
    description: descriptions.todoWrite,
    input: todosInput,
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
