import { sep } from "node:path";
import { decide } from "../../permissions/decide.ts";
import type { CommandPlan } from "../../permissions/unasked/plan.ts";
import type { Subject, Tool } from "../../tools/tool.ts";
import type { Workbench } from "../workbench.ts";
import type { ParsedCall } from "./one-call.ts";

export type Permit =
  /** `plan`: present where the words of a command were allowed. It must run so. */
  | { readonly permit: "yes"; readonly granted?: string; readonly plan?: CommandPlan }
  | { readonly permit: "no"; readonly why: string };

/** Whether the call may run: by rule, by mode, or because the person says so. */
export async function permitCall(bench: Workbench, call: ParsedCall, signal: AbortSignal): Promise<Permit> {
  const { tool, input, part } = call;
  const subjects = await tool.subjects(input);
  if (subjects.length > 0 && subjects.every((subject) => isKeptOutput(bench, subject)))
    return { permit: "yes" };
  const decision = decide({
    tool: tool.name,
    reach: tool.reach,
    subjects,
    mode: bench.mode(),
    rules: bench.rules,
    workspace: bench.workspace,
    granted: await bench.grants(),
  });
  if (decision.decision === "allow") {
    return decision.plan === undefined ? { permit: "yes" } : { permit: "yes", plan: decision.plan };
  }
  if (decision.decision === "deny") return { permit: "no", why: decision.why };
  bench.tell({ type: "doing", doing: { what: "asking", call: part.call } });
  const diff = await previewOf(tool, input);
  const answer = await bench.person.allow(
    {
      call: part.call,
      tool: tool.name,
      input: part.input,
      about: tool.about(input),
      why: decision.why,
      help: decision.help,
      rule: decision.rule,
      ...(diff === undefined ? {} : { diff }),
    },
    signal,
  );
  if (answer.answer === "once") return { permit: "yes" };
  if (answer.answer === "session") return { permit: "yes", granted: answer.rule };
  return { permit: "no", why: answer.reason };
}

/** The model was told itself where the rest of an output is; that place lies outside the workspace. */
function isKeptOutput({ outputs }: Workbench, subject: Subject): boolean {
  return subject.kind === "path" && subject.access === "read" && subject.path.startsWith(outputs + sep);
}

/** The question can be asked without it. */
async function previewOf(tool: Tool, input: unknown): Promise<string | undefined> {
  try {
    return await tool.preview?.(input);
  } catch {
    return undefined;
  }
}
