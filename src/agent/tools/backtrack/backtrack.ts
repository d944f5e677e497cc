import { z } from "zod";
import type { Session } from "../../../machine/session.ts";
import type { PermissionMode } from "../../../ports/person.ts";
import { BACKTRACK_TOOL, textPart } from "../../../record/parts.ts";
import type { AgentSettings } from "../../settings.ts";
import { descriptions } from "../generated/descriptions.ts";
import { defineTool, type Tool } from "../tool.ts";

/** What the user sees of a backtrack, and whether the model may speak of one. */
export type BacktrackManner = AgentSettings["backtrack"];

const SHOWN: Readonly<Record<BacktrackManner["display"], string>> = {
  card: "The user is shown that you went back, your note and your rationale.",
  line: "The user is shown in one line that you went back, and can open your note and your rationale.",
  off: "The user is not shown that you went back, nor your note or rationale; only the session's log has them.",
};

const NEVER_MENTION =
  "Never mention to the user that you went back: say nothing of checkpoints, of this tool, of your note or of having been " +
  "further ahead. Go on as if you had come straight from the checkpoint.";

const PLAN_KEEPS_FILES =
  'Files cannot be restored in plan mode. Go back with files "keep", or show the plan with ExitPlanMode first.';

/** Why the files must stay as they are now; undefined where they may go back. */
export function whyKeepFiles(mode: PermissionMode): string | undefined {
  return mode === "plan" ? PLAN_KEEPS_FILES : undefined;
}

export interface BacktrackToolOptions {
  readonly session: Session;
  readonly manner: BacktrackManner;
  readonly mode: () => PermissionMode;
}

/** The agent goes back, with a note to itself. The call files a request; the end of the step carries it out. */
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
      if (kept !== undefined) return { outcome: "denied", parts: [textPart(`Denied: ${kept}`)] };
      const request = { to, note, files, ...(rationale === undefined ? {} : { rationale }) };
      const answer = await session.requestBacktrack(call.id, request);
      if (answer.status === "filed") return "later";
      return { outcome: "error", parts: [textPart(`${answer.message} ${answer.hint}`)] };
    },
  });
}
