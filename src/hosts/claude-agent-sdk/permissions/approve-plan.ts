import type { Person, PlanAnswer } from "../../../ports/person.ts";
import type { SdkPermission } from "../sdk/sdk-types.ts";

export interface PlanVerdict {
  readonly permission: SdkPermission;
  /** The mode in which the plan is carried out; absent where it was not approved. */
  readonly mode?: Extract<PlanAnswer, { answer: "approved" }>["mode"];
}

/** Shows the person the plan of ExitPlanMode, into whose input the SDK puts the plan file. Allowed, it leaves its plan mode itself. */
export async function approvePlan(
  person: Person,
  input: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<PlanVerdict> {
  const { plan } = input;
  if (typeof plan !== "string" || plan.trim() === "")
    return no("There is no plan yet. Write it to the plan file first, then show it with ExitPlanMode.");
  const answer = await person.approve(plan, signal);
  if (answer.answer === "no") return no(`The plan was not approved: ${answer.reason}`);
  return { permission: { behavior: "allow", updatedInput: { ...input } }, mode: answer.mode };
}

function no(message: string): PlanVerdict {
  return { permission: { behavior: "deny", message } };
}
