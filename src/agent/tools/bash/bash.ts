import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { textPart } from "../../../record/parts.ts";
import { failed, interrupted } from "../answers.ts";
import { systemText } from "../fields.ts";
import { lookAt } from "../files/look.ts";
import { descriptions } from "../generated/descriptions.ts";
import { oneLine } from "../text.ts";
import { defineTool, type Tool, type ToolCall, type ToolResult } from "../tool.ts";
import type { BackgroundCommands } from "./background-commands.ts";
import type { KeepOutput } from "./kept-output.ts";
import { ledTo } from "./led-to.ts";
import { endText, ShellCommand, type ShellEnd } from "./shell-command.ts";
import { type Environment, withoutVariables } from "./shell-environment.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
const MOST_TIMEOUT_MS = 600_000;

export interface BashGround {
  readonly workspace: string;
  readonly environment: Environment;
  readonly background: BackgroundCommands;
  readonly keepOutput: KeepOutput;
  /** Variables that hold keys of providers, beyond those that are known by their names; by default there are none. */
  readonly secretVariables?: readonly string[];
}

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

export function bashTool(ground: BashGround): Tool {
  const environment = withoutVariables(ground.environment, ground.secretVariables ?? []);
  return defineTool<Input>({
    name: "Bash",
    description: descriptions.bash,
    input,
    reach: "anything",
    subjects: async ({ command }) => [
      ...(await ledTo(ground.workspace, command)),
      { kind: "command", command },
    ],
    about: ({ command }) => oneLine(command),
    run: async (wanted, call) => {
      if (call.signal.aborted) return interrupted("Interrupted before it was started.");
      const { workspace, background, keepOutput } = ground;
      // Else the shell itself would be said to be missing.
      if ((await lookAt(workspace)).kind !== "folder")
        return failed(`The workspace ${workspace} is not there any more.`);
      let command: ShellCommand;
      let kept: string | undefined;
      try {
        command = new ShellCommand({
          command: wanted.command,
          workspace,
          environment,
          mark: background.nextMark(),
          keep: async (bytes) => {
            kept = await keepOutput(call.id, bytes, kept);
            return kept;
          },
          onOutput: call.onOutput,
        });
      } catch (error) {
        return failed(notStartedText(error));
      }
      if (wanted.run_in_background === true) return sendToBackground(ground, command);
      return waitFor(ground, command, { call, timeout: wanted.timeout ?? DEFAULT_TIMEOUT_MS });
    },
  });
}

function sendToBackground({ background }: BashGround, command: ShellCommand): ToolResult {
  const id = background.add(command);
  return {
    outcome: "ok",
    parts: [
      textPart(`Started in the background as ${id}. BashOutput reads what it prints, KillShell ends it.`),
    ],
  };
}

async function waitFor(
  { background }: BashGround,
  command: ShellCommand,
  { call, timeout }: { readonly call: ToolCall; readonly timeout: number },
): Promise<ToolResult> {
  const end = await endOrCut(command, call.signal, timeout);
  if (end === "cut" || end === "timeout") {
    await command.stop();
    const why = end === "cut" ? "Interrupted" : `Timed out after ${timeout.toLocaleString("en")} ms`;
    const text = `${command.takeOutput()}\n[${why}: the command and all that it started were ended.]`;
    return { outcome: end === "cut" ? "interrupted" : "error", parts: [textPart(text.trimStart())] };
  }
  const left = command.leavesBehind() ? leftText(background.add(command)) : undefined;
  return answer(command.takeOutput(), end, left);
}

async function endOrCut(
  command: ShellCommand,
  signal: AbortSignal,
  timeout: number,
): Promise<ShellEnd | "cut" | "timeout"> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const cutOrTimeout = sleep(timeout, "timeout" as const, { signal: either }).catch(() => "cut" as const);
  const end = await Promise.race([command.finished, cutOrTimeout]);
  over.abort();
  return end;
}

function answer(output: string, end: ShellEnd, left: string | undefined): ToolResult {
  if (end.ended === "not-started") return failed(notStartedText(new Error(end.why)));
  const text = output.trimEnd();
  const notes = [endText(end), left].filter((note) => note !== undefined);
  const said =
    text === "" && notes.length === 0 ? ["(No output.)"] : [...(text === "" ? [] : [text]), ...notes];
  const isFine = end.ended === "exited" && end.code === 0;
  return { outcome: isFine ? "ok" : "error", parts: [textPart(said.join("\n"))] };
}

function leftText(id: string): string {
  return `[It ended, but processes that it started still run, as ${id}: BashOutput reads what they print, KillShell ends them. Next time use run_in_background.]`;
}

function notStartedText(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  if (why.includes("E2BIG"))
    return "The command is too long to be started. Write it into a file first, and run that.";
  return `The command could not be started: ${why}`;
}
