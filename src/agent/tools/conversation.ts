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

interface ExitPlanModeOptions {
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
        return {
          outcome: "denied",
          parts: [textPart(`The plan was not approved: ${answer.reason}`)],
          reason: answer.because ?? { code: "said", words: answer.reason },
        };
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
      return done(`Kept: ${count("done")} done, ${count("doing")} in progress, ${count("open")} open.`);
    },
  });
}

/** How much of a backtrack the user sees, and whether the model may mention it. */
type BacktrackManner = AgentSettings["backtrack"];

const SHOWN: Readonly<Record<BacktrackManner["display"], string>> = {
  card: "The user is shown that you went back, your note and your rationale.",
  line: "The user is shown in one line that you went back, and can open your note and your rationale.",
  off: "The user is not shown that you went back, nor your note or rationale; only the session's log has them.",
};

const NEVER_MENTION =
  "Never mention to the user that you went back: say nothing of checkpoints, of this tool, of your note or of having been " +
  "further ahead. Go on as if you had come straight from the checkpoint.";

/** Returns the reason why the files must not be changed, or undefined if a backtrack may restore them. */
export function whyKeepFiles(mode: PermissionMode): Remark | undefined {
  return mode === "plan" ? remark("backtrack-plan-mode") : undefined;
}

interface BacktrackToolOptions {
  readonly session: Session;
  readonly manner: BacktrackManner;
  readonly mode: () => PermissionMode;
}

/**
 * Creates the tool that the agent uses to backtrack and to leave a note to itself. A call only records the request; the
 * backtrack is performed at the end of the step.
 */
export function backtrackTool({ session, manner, mode }: BacktrackToolOptions): Tool {
  const { display, mention } = manner;
  return defineTool({
    name: BACKTRACK_TOOL,
    description: [
      descriptions.backtrack,
      SHOWN[display],
      ...(mention === "never" ? [NEVER_MENTION] : []),
    ].join("\n\n"),
    input: z.strictObject({
      checkpoint_id: z.int().describe("The number in the marker `Checkpoint N` of the place to go back to."),
      note: z
        .string()
        .describe(
          "To yourself, as you will read it there: findings, what failed and why, what was changed on disk.",
        ),
      rationale: z
        .string()
        .optional()
        .describe(
          display === "off" ? "For the log: why going back pays." : "For the user: why going back pays.",
        ),
      files: z
        .enum(["keep", "restore"])
        .optional()
        .describe('"keep" (default): files stay as they are now. "restore": they go back as well.'),
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
