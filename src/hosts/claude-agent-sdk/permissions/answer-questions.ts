import type { Person, Question } from "../../../ports/person.ts";
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
