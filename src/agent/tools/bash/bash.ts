import { z } from "zod";
import { textPart } from "../../../record/parts.ts";
import { shellEndText } from "../../../timeline/calls.ts";
import { descriptions } from "../generated/descriptions.ts";
import { ripgrep } from "../ripgrep.ts";
import { oneLine } from "../text.ts";
import { defineTool, done, failed, systemText, type Tool, type ToolResult } from "../tool.ts";
import type { BackgroundCommands } from "./background.ts";
import { commandSubjects } from "./run-plan.ts";
import { type ShellContext, startShell, waitForShell } from "./run-shell.ts";
import { ShellCommand } from "./shell-command.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;

const bashInput = z.strictObject({
  command: systemText("The command to run, in bash syntax."),
  timeout: z
    .int()
    .min(1)
    .max(MAX_TIMEOUT_MS)
    .optional()
    .describe("Timeout in milliseconds (default 120,000, maximum 600,000). Ignored for background commands."),
  description: z.string().optional().describe("What the command does, in a few words. Shown to the user."),
  run_in_background: z
    .boolean()
    .optional()
    .describe(
      "Do not wait for the command to exit. Read its output with BashOutput, and stop it with KillShell.",
    ),
});
type Input = z.infer<typeof bashInput>;

export function bashTool(shell: ShellContext): Tool {
  return defineTool<Input>({
    name: "Bash",
    description: descriptions.bash,
    input: bashInput,
    reach: "anything",
    subjects: async ({ command }) => commandSubjects(shell, command),
    about: ({ command }) => oneLine(command),
    run: async (wanted, call) => {
      const command = await startShell(shell, wanted.command, call);
      if (!(command instanceof ShellCommand)) return command;
      if (wanted.run_in_background === true) return sendToBackground(shell, command);
      const timeout = wanted.timeout ?? DEFAULT_TIMEOUT_MS;
      const patience = { signal: call.signal, timeout, leftText };
      const { exitCode: _, background: __, ...result } = await waitForShell(shell, command, patience);
      return result;
    },
  });
}

function leftText(id: string): string {
  return `[The command exited, but processes that it started are still running as ${id}. Read their output with BashOutput, or stop them with KillShell. Next time, use run_in_background.]`;
}

function sendToBackground({ background }: ShellContext, command: ShellCommand): ToolResult {
  const id = background.add(command);
  return {
    outcome: "ok",
    parts: [
      textPart(
        `Started in the background as ${id}. Read its output with BashOutput, or stop it with KillShell.`,
      ),
    ],
    processes: { isRunning: () => command.isRunning() },
  };
}

const outputInput = z.strictObject({
  bash_id: z.string().describe("The id that Bash returned, such as bash_1."),
  filter: z
    .string()
    .optional()
    .describe("A regular expression. Only matching lines are shown, and all other lines are discarded."),
});

export function bashOutputTool({
  background,
  workspace,
}: {
  readonly background: BackgroundCommands;
  readonly workspace: string;
}): Tool {
  return defineTool<z.infer<typeof outputInput>>({
    name: "BashOutput",
    description: descriptions.bashOutput,
    input: outputInput,
    reach: "nothing",
    subjects: async () => [{ kind: "tool" }],
    about: ({ bash_id: id }) => id,
    run: async ({ bash_id: id, filter }, { signal }) => {
      const command = background.find(id);
      if (command === undefined) return failed(unknownText(background, id));
      const state = stateText(command);
      const output = command.takeOutput();
      if (filter === undefined) return done(`${id}: ${state}\n${output.trimEnd() || "(No new output.)"}`);
      // The filter uses ripgrep because ripgrep always matches in linear time.
      const found = await ripgrep({
        args: ["--no-line-number", `--regexp=${filter}`, "-"],
        cwd: workspace,
        typed: output,
        signal,
        onRecord: () => "more",
      });
      if (found.fault !== undefined) return failed(`${found.fault}\nThe new output, unfiltered:\n${output}`);
      return done(`${id}: ${state}\n${found.records.join("\n") || "(No new output matches the filter.)"}`);
    },
  });
}

function unknownText(background: BackgroundCommands, id: string): string {
  const ids = background.ids();
  const known =
    ids.length === 0
      ? "No background command has been started since this agent was opened."
      : `Background commands: ${ids.join(", ")}.`;
  return `There is no background command ${id}. ${known}`;
}

function stateText(command: ShellCommand): string {
  const { end } = command;
  if (command.isRunning())
    return end === undefined
      ? "running"
      : "the shell has exited, but processes that it started are still running";
  return end === undefined ? "ended" : (shellEndText(end) ?? "[Exit code 0]");
}

const killInput = z.strictObject({
  shell_id: z.string().describe("The id that Bash returned, such as bash_1."),
});

export function killShellTool({ background }: { readonly background: BackgroundCommands }): Tool {
  return defineTool<z.infer<typeof killInput>>({
    name: "KillShell",
    description: descriptions.killShell,
    input: killInput,
    // Permission was granted when the command was started, so ending the command requires no further permission.
    reach: "nothing",
    subjects: async () => [{ kind: "tool" }],
    about: ({ shell_id: id }) => id,
    run: async ({ shell_id: id }) => {
      const command = background.find(id);
      if (command === undefined) return failed(unknownText(background, id));
      if (!command.isRunning()) return done(`${id} has already exited.`);
      await command.stop();
      return done(`Stopped ${id} and everything that it started.`);
    },
  });
}
