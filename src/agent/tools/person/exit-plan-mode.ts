import { z } from "zod";
import type { PermissionMode, Person } from "../../../ports/person.ts";
import { textPart } from "../../../record/parts.ts";
import { done, failed, interrupted } from "../answers.ts";
import { descriptions } from "../generated/descriptions.ts";
import { oneLine } from "../text.ts";
import { defineTool, type Tool } from "../tool.ts";

const input = z.strictObject({
  plan: z
    .string()
    .min(1)
    .describe("The plan, as Markdown, short: what will be changed, where, and how it will be checked."),
});

export interface PlanGround {
  readonly person: Person;
  readonly mode: () => PermissionMode;
  readonly onApproved: (mode: Exclude<PermissionMode, "plan">) => void | Promise<void>;
}

export function exitPlanModeTool({ person, mode, onApproved }: PlanGround): Tool {
  return defineTool<z.infer<typeof input>>({
    name: "ExitPlanMode",
    description: descriptions.exitPlanMode,
    input,
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
