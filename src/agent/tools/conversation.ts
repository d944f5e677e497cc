import { z } from "zod";
import type { BacktrackEnd } from "../../machine/journeys/backtracking.ts";
import { PROMPT_LENGTH, startOf } from "../../machine/queries/left-behind.ts";
import type { Session } from "../../machine/session.ts";
import type { AgentEvent, BacktrackCard } from "../../ports/agent-events.ts";
import type { PermissionMode, Person, Question } from "../../ports/person.ts";
import { inEnglish, problemIn, type Remark, remark } from "../../record/error.ts";
import { shownPath } from "../../record/files.ts";
import type { EntryId } from "../../record/ids.ts";
import { BACKTRACK_TOOL, type TodoItem, textPart } from "../../record/parts.ts";
import { countsIn } from "../../travel/logged-files.ts";
import type { DuringPath } from "../../travel/plan-files.ts";
import type { AgentSettings } from "../agent-context.ts";
import { descriptions } from "./generated/descriptions.ts";
import { oneLine, plural } from "./text.ts";
import { defineTool, done, failed, interrupted, type Tool, tolerating } from "./tool.ts";

const option = z.strictObject({
  label: z.string().min(1).describe("The option, in a few words."),
  description: z.string().optional().describe("What the option means, or what happens if it is chosen."),
});
const question = z.strictObject({
  question: z.string().min(1).describe("The complete question."),
  header: z.string().min(1).describe("The subject of the question, in one or two words."),
  options: z.array(option).min(2).max(4),
  multiSelect: z.boolean().optional().describe("Allow the user to choose several options."),
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
          "No user is available to answer. Make a cautious decision yourself, and state your assumptions in your answer.",
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
    .describe("A short plan in Markdown: what will be changed, where, and how it will be checked."),
});

export function exitPlanModeTool({
  person,
  mode,
  onApproved,
}: {
  readonly person: Person;
  readonly mode: () => PermissionMode;
  readonly onApproved: (mode: Exclude<PermissionMode, "plan">) => void | Promise<void>;
}): Tool {
  return defineTool<z.infer<typeof planInput>>({
    name: "ExitPlanMode",
    description: descriptions.exitPlanMode,
    input: planInput,
    reach: "nothing",
    subjects: async () => [{ kind: "tool" }],
    about: ({ plan }) => oneLine(plan),
    run: async ({ plan }, { signal }) => {
      if (mode() !== "plan")
        return failed("Not in plan mode, so there is no plan to approve. Just do the work.");
      const answer = await person.approve(plan, signal);
      if (signal.aborted) return interrupted();
      if (answer.answer === "no") {
        return {
          outcome: "denied",
          parts: [textPart(`The plan was not approved: ${answer.reason}`)],
          reason: answer.because ?? { code: "said", words: answer.reason },
        };
      }
      await onApproved(answer.mode);
      return done(
        `The user approved the plan. Plan mode is off, and the permission mode is now ${answer.mode}. Carry out the plan.`,
      );
    },
  });
}

const statuses = { pending: "open", in_progress: "doing", completed: "done" } as const;

const todo = z.strictObject({
  content: z.string().min(1).describe('The task in the imperative, such as "Fix the login test".'),
  status: z.enum(["pending", "in_progress", "completed"]),
  activeForm: z
    .string()
    .optional()
    .describe('The task in the present continuous, such as "Fixing the login test".'),
});
const todosInput = z.strictObject({
  todos: z
    .array(tolerating(["id", "priority"], todo))
    .describe("The whole list. It replaces the previous one."),
});

/** Receives the new todo list. The list is stored on the branch, so a rewind also restores the earlier list. */
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
      return done(
        `Todo list saved: ${count("done")} done, ${count("doing")} in progress, ${count("open")} open.`,
      );
    },
  });
}

/** How much of a backtrack the user sees, and whether the model may mention it. */
type BacktrackManner = AgentSettings["backtrack"];

const SHOWN: Readonly<Record<BacktrackManner["display"], string>> = {
  card: "The user sees that you went back, with your note and your rationale.",
  line: "The user sees a line that says that you went back, and can open your note and your rationale.",
  off: "The user does not see that you went back, nor your note or rationale. They appear only in the session's log.",
};

const NEVER_MENTION =
  "Never mention to the user that you went back: say nothing about checkpoints, this tool, your note, or having been " +
  "further ahead. Continue as if you had come straight from the checkpoint.";

/** Returns the reason why the files must not be changed, or undefined if a backtrack may restore them. */
export function whyKeepFiles(mode: PermissionMode): Remark | undefined {
  return mode === "plan" ? remark("backtrack-plan-mode") : undefined;
}

/**
 * Creates the tool that the agent uses to backtrack and to leave a note to itself. A call only records the request; the
 * backtrack is performed at the end of the step.
 */
export function backtrackTool({
  session,
  manner,
  mode,
}: {
  readonly session: Session;
  readonly manner: BacktrackManner;
  readonly mode: () => PermissionMode;
}): Tool {
  const { display, mention } = manner;
  return defineTool({
    name: BACKTRACK_TOOL,
    description: [
      descriptions.backtrack,
      SHOWN[display],
      ...(mention === "never" ? [NEVER_MENTION] : []),
    ].join("\n\n"),
    input: z.strictObject({
      checkpoint_id: z
        .int()
        .describe("The checkpoint to go back to: the number in its marker `Checkpoint N`."),
      note: z
        .string()
        .describe(
          "A note to yourself, which you will read at the checkpoint: findings, what failed and why, what was changed on disk.",
        ),
      rationale: z
        .string()
        .optional()
        .describe(
          display === "off"
            ? "For the log: why it is worth going back."
            : "For the user: why it is worth going back.",
        ),
      files: z
        .enum(["keep", "restore"])
        .optional()
        .describe(
          '"keep" (default): leave the files as they are now. "restore": restore them to the checkpoint as well.',
        ),
    }),
    reach: "nothing",
    subjects: async () => [{ kind: "tool" }],
    about: ({ checkpoint_id: to }) => `to checkpoint ${to}`,
    run: async ({ checkpoint_id: to, note, rationale, files = "keep" }, call) => {
      const kept = files === "restore" ? whyKeepFiles(mode()) : undefined;
      if (kept !== undefined) {
        const parts = [textPart(`Denied: ${kept.why}`)];
        return { outcome: "denied", parts, reason: { code: "plan-keeps-files" } };
      }
      const request = { to, note, files, ...(rationale === undefined ? {} : { rationale }) };
      const answer = await session.requestBacktrack(call.id, request);
      if (answer.status === "filed") return "later";
      return { outcome: "error", parts: [textPart(`${answer.message} ${answer.hint}`)] };
    },
  });
}

const NOTE_LENGTH = 300;

/** The maximum number of paths that a warning names. */
const MAX_NAMED = 5;

/** Emits events that tell the user how a backtrack ended. */
export async function emitBacktrack(
  {
    session,
    captures,
    emit,
  }: {
    readonly session: Session;
    readonly captures: { journeyMade(): void };
    readonly emit: (event: AgentEvent) => void;
  },
  end: BacktrackEnd,
): Promise<void> {
  if (end.status === "dropped") {
    const { why: message, ...made } = remark("backtrack-dropped", { problem: problemIn(end) });
    emit({ type: "warning", code: "BACKTRACK_DROPPED", message, ...made });
  }
  if (end.status !== "carried-out") return;
  if (end.files !== undefined) captures.journeyMade();
  emit(await cardOf(session, end));
  // The user saw no preview of this backtrack, so the warning is emitted even if the backtrack display is off.
  if (end.during !== undefined) emit(takenBack(end.during, end.journey));
}

function takenBack(during: readonly DuringPath[], journey: EntryId): AgentEvent {
  const named = during.slice(0, MAX_NAMED).map(({ path }) => shownPath(path));
  const more = during.length - named.length;
  const commands = [...new Set(during.flatMap(({ calls }) => calls.map(({ about }) => about)))];
  const words = inEnglish("backtrack-took", { paths: named, more, commands, journey });
  return { type: "warning", ...words, code: "BACKTRACK_TOOK" };
}

/** Creates the card that the user sees after a backtrack. */
async function cardOf(
  session: Session,
  end: Extract<BacktrackEnd, { status: "carried-out" }>,
): Promise<BacktrackCard> {
  const [backtrack] = (await session.entriesOf("backtrack")).slice(-1);
  const { to, entries, tokens, note, rationale, prompt, files } = end;
  return {
    type: "backtrack",
    to,
    entries,
    tokens,
    prompt: prompt && startOf(prompt, PROMPT_LENGTH),
    note: startOf(note, NOTE_LENGTH),
    rationale,
    files: backtrack?.files ?? "keep",
    restored: files && countsIn(files),
  };
}
