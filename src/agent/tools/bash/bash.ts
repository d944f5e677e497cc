import { z } from "zod";
import { textPart } from "../../../record/parts.ts";
import { systemText } from "../fields.ts";
import { descriptions } from "../generated/descriptions.ts";
import { oneLine } from "../text.ts";
import { defineTool, type Tool, type ToolResult } from "../tool.ts";
import { commandSubjects } from "./led-to.ts";
import { type ShellContext, startShell, waitForShell } from "./run-shell.ts";
import { ShellCommand } from "./shell-command.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
const MOST_TIMEOUT_MS = 600_000;

const input = z.strictObject({
  command: systemText("The command, as bash takes it."),
  timeout: z
    .int()
    .min(1)
    .max(MOST_TIMEOUT_MS)
    .optional()
    .describe("In milliseconds, by default 120,000; at most 600,000. Without meaning in the background."),
  description: z.string().optional().describe("What it does, in a few words, for the person."),
  run_in_background: z
    .boolean()
    .optional()
    .describe("Do not wait for its end: BashOutput reads what it prints, KillShell ends it."),
});
type Input = z.infer<typeof input>;

export function bashTool(ground: ShellContext): Tool {
  return defineTool<Input>({
    name: "Bash",
    description: descriptions.bash,
    input,
    reach: "anything",
    subjects: async ({ command }) => commandSubjects(ground, command),
    about: ({ command }) => oneLine(command),
    run: async (wanted, call) => {
      const command = await startShell(ground, wanted.command, call);
      if (!(command instanceof ShellCommand)) return command;
      if (wanted.run_in_background === true) return sendToBackground(ground, command);
      const timeout = wanted.timeout ?? DEFAULT_TIMEOUT_MS;
      const patience = { signal: call.signal, timeout, leftText };
      const { exitCode: _, background: __, ...result } = await waitForShell(ground, command, patience);
      return result;
    },
  });
}

function leftText(id: string): string {
  return `[It ended, but processes that it started still run, as ${id}: BashOutput reads what they print, KillShell ends them. Next time use run_in_background.]`;
}

function sendToBackground({ background }: ShellContext, command: ShellCommand): ToolResult {
  const id = background.add(command);
  return {
    outcome: "ok",
    parts: [
      textPart(`Started in the background as ${id}. BashOutput reads what it prints, KillShell ends it.`),
    ],
    processes: { isRunning: () => command.isRunning() },
  };
}
