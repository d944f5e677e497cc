import { z } from "zod";
import type { Session } from "../../../machine/session.ts";
import { BACKTRACK_TOOL, textPart } from "../../../record/parts.ts";
import { descriptions } from "../generated/descriptions.ts";
import { defineTool, type Tool } from "../tool.ts";

/** The agent goes back, with a note to itself. The call files a request; the end of the step carries it out. */
export function backtrackTool(session: Session): Tool {
  return defineTool({
    name: BACKTRACK_TOOL,
    description: descriptions.backtrack,
    input: z.strictObject({
      checkpoint_id: z.int().describe("The number in the marker `Checkpoint N` of the place to go back to."),
      note: z
        .string()
        .describe(
          "To yourself, as you will read it there: findings, what failed and why, what was changed on disk.",
        ),
      rationale: z.string().optional().describe("For the person: why going back pays."),
      files: z
        .enum(["keep", "restore"])
        .optional()
        .describe('"keep" (default): files stay as they are now. "restore": they go back as well.'),
    }),
    reach: "nothing",
    subjects: async () => [{ kind: "tool" }],
    about: ({ checkpoint_id: to }) => `to checkpoint ${to}`,
    run: async ({ checkpoint_id: to, note, rationale, files = "keep" }, call) => {
      const request = { to, note, files, ...(rationale === undefined ? {} : { rationale }) };
      const answer = await session.requestBacktrack(call.id, request);
      if (answer.status === "filed") return "later";
      return { outcome: "error", parts: [textPart(`${answer.message} ${answer.hint}`)] };
    },
  });
}
