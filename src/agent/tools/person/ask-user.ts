import { z } from "zod";
import type { Person, Question } from "../../../ports/person.ts";
import { done, failed, interrupted } from "../answers.ts";
import { descriptions } from "../generated/descriptions.ts";
import { oneLine } from "../text.ts";
import { defineTool, type Tool } from "../tool.ts";

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
const input = z.strictObject({ questions: z.array(question).min(1).max(4) });

export function askUserTool({ person }: { readonly person: Person }): Tool {
  return defineTool<z.infer<typeof input>>({
    name: "AskUser",
    description: descriptions.askUser,
    input,
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
