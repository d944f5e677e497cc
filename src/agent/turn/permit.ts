import { sep } from "node:path";
import { type DecideRequest, decide } from "../permissions/decide.ts";
import { programsIn } from "../permissions/shell/programs-in.ts";
import type { CommandPlan } from "../permissions/unasked/plan.ts";
import type { Preview, Subject, Tool } from "../tools/tool.ts";
import type { ParsedCall } from "./calls.ts";
import type { TurnContext } from "./turn-context.ts";

export type Permit =
  /** `plan`: present where the words of a command were allowed. It must run so. */
  | { readonly permit: "yes"; readonly granted?: string; readonly plan?: CommandPlan | undefined }
  | { readonly permit: "no"; readonly why: string }
  /** It would fail now, so the user was not asked. */
  | { readonly permit: "fails"; readonly why: string };

/** Whether the call may run: by rule, by mode, or because the person says so. */
export async function permitCall(
  context: TurnContext,
  call: ParsedCall,
  subjects: readonly Subject[],
  signal: AbortSignal,
): Promise<Permit> {
  const { tool, input, part } = call;
  if (subjects.length > 0 && subjects.every((subject) => isKeptOutput(context, subject)))
    return { permit: "yes" };
  const scene = {
    mode: context.mode(),
    rules: context.rules,
    workspace: context.workspace,
    granted: await context.grants(),
  };
  const decision = decide({ ...scene, tool: tool.name, reach: tool.reach, subjects });
  if (decision.decision === "allow") {
    return { permit: "yes", plan: decision.plan };
  }
  if (decision.decision === "deny") return { permit: "no", why: decision.why };
  const preview = await previewOf(tool, input);
  const { refused } = { refused: undefined, ...preview };
  if (refused !== undefined && subjects.every((subject) => mayBeSeen(scene, subject)))
    return { permit: "fails", why: refused };
  context.tell({ type: "doing", doing: { what: "asking", call: part.call } });
  const runs = subjects.flatMap((subject) => (subject.kind === "command" ? programsIn(subject.command) : []));
  const answer = await context.person.allow(
    {
      call: part.call,
      tool: tool.name,
      input: part.input,
      about: tool.about(input),
      why: decision.why,
      help: decision.help,
      rule: decision.rule,
      ...(refused === undefined ? preview : { cannot: refused }),
      ...(runs.length === 0 ? {} : { runs }),
    },
    signal,
  );
  if (answer.answer === "once") return { permit: "yes" };
  if (answer.answer === "session") return { permit: "yes", granted: answer.rule };
  return { permit: "no", why: answer.reason };
}

/** The model was told itself where the rest of an output is; that place lies outside the workspace. */
function isKeptOutput({ outputs }: TurnContext, subject: Subject): boolean {
  return subject.kind === "path" && subject.access === "read" && subject.path.startsWith(outputs + sep);
}

/** Whether the model may look there unasked: why a call would fail tells what is there. */
function mayBeSeen(scene: Omit<DecideRequest, "tool" | "reach" | "subjects">, subject: Subject): boolean {
  if (subject.kind !== "path") return true;
  const read = { ...subject, access: "read" as const };
  return decide({ ...scene, tool: "Read", reach: "reads", subjects: [read] }).decision === "allow";
}

/** The question can be asked without it, and says so. */
async function previewOf(tool: Tool, input: unknown): Promise<Preview | { without: "unknown" } | undefined> {
  try {
    return await tool.preview?.(input);
  } catch {
    return { without: "unknown" };
  }
}
