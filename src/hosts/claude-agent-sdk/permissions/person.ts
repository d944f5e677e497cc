import type { Person, PlanAnswer, Question } from "../../../ports/person.ts";
import { isJsonObject, type Json } from "../../../record/json.ts";
import type { SdkPermission } from "../sdk/sdk-types.ts";

const NOBODY =
  "Nobody is there to answer. Decide yourself, the careful way, and say in your answer what you assumed.";

/** Asks the person what AskUserQuestion asks. The SDK takes the answers as a part of the call's input, by question. */
export async function answerQuestions(
  person: Person,
  input: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<SdkPermission> {
  const listed = input["questions"] as Json | undefined;
  const questions = Array.isArray(listed) ? listed.flatMap(questionIn) : [];
  if (questions.length === 0) return { behavior: "deny", message: "There is no question in it." };
  const answers = await person.answer(questions, signal);
  if (answers === undefined) return { behavior: "deny", message: NOBODY };
  const byQuestion = questions.flatMap(({ question }, index) => {
    const answer = answers[index];
    return answer === undefined ? [] : [[question, answer] as const];
  });
  return { behavior: "allow", updatedInput: { ...input, answers: Object.fromEntries(byQuestion) } };
}

function questionIn(asked: Json): readonly Question[] {
  if (!isJsonObject(asked)) return [];
  const { question, header, options, multiSelect } = asked;
  if (typeof question !== "string" || !Array.isArray(options)) return [];
  return [
    {
      question,
      header: typeof header === "string" ? header : "",
      options: options.flatMap(optionIn),
      several: multiSelect === true ? "any" : "one",
    },
  ];
}

function optionIn(option: Json): Question["options"] {
  if (!isJsonObject(option) || typeof option["label"] !== "string") return [];
  const { label, description } = option;
  return [{ label, description: typeof description === "string" ? description : "" }];
}

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
