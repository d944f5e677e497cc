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
  command: systemText("The command, as bash takes it."),
  timeout: z
    .int()
    .min(1)
    .max(MAX_TIMEOUT_MS)
    .optional()
    .describe("In milliseconds, by default 120,000; at most 600,000. Without meaning in the background."),
  description: z.string().optional().describe("What it does, in a few words, for the person."),
  run_in_background: z
    .boolean()
    .optional()
    .describe("Do not wait for its end: BashOutput reads what it prints, KillShell ends it."),
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

const outputInput = z.strictObject({
  bash_id: z.string().describe("The id that Bash gave, such as bash_1."),
  filter: z
    .string()
    .optional()
    .describe("A regular expression: only lines that match are shown, the others are gone."),
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
      if (filter === undefined) return done(`${id}: ${state}\n${output.trimEnd() || "(Nothing new.)"}`);
      // The filter uses ripgrep because ripgrep always matches in linear time.
      const found = await ripgrep({
        args: ["--no-line-number", `--regexp=${filter}`, "-"],
        cwd: workspace,
        typed: output,
        signal,
        onRecord: () => "more",
      });
      if (found.fault !== undefined) return failed(`${found.fault}\nWhat was new, unfiltered:\n${output}`);
      return done(`${id}: ${state}\n${found.records.join("\n") || "(Nothing new that matches.)"}`);
    },
  });
}

function unknownText(background: BackgroundCommands, id: string): string {
  const ids = background.ids();
  const known =
    ids.length === 0 ? "None was started since this agent was opened." : `There are: ${ids.join(", ")}.`;
  return `There is no background command ${id}. ${known}`;
}

function stateText(command: ShellCommand): string {
  const { end } = command;
  if (command.isRunning()) return end === undefined ? "running" : "its shell has ended, what it started runs";
  return end === undefined ? "ended" : (shellEndText(end) ?? "[Exit code 0]");
}

const killInput = z.strictObject({ shell_id: z.string().describe("The id that Bash gave, such as bash_1.") });

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
      if (!command.isRunning()) return done(`${id} had already ended.`);
      await command.stop();
      return done(`Ended ${id} and all that it started.`);
    },
  });
}
