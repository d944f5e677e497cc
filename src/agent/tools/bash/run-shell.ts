import { setTimeout as sleep } from "node:timers/promises";
import { textPart } from "../../../record/parts.ts";
import { type ShellEnd, shellEndText } from "../../../timeline/calls.ts";
import { lookAt } from "../files.ts";
import { failed, interrupted, type ToolCall, type ToolResult } from "../tool.ts";
import type { BackgroundCommands } from "./background.ts";
import type { KeepOutput } from "./kept-output.ts";
import { type Environment, withoutVariables } from "./process-tree.ts";
import { ShellCommand, type ShellStart } from "./shell-command.ts";

/** Everything needed to run commands for the model or the user. */
export interface ShellContext {
  readonly workspace: string;
  readonly environment: Environment;
  readonly background: BackgroundCommands;
  readonly keepOutput: KeepOutput;
  /** Names of variables that contain API keys, in addition to the known names. By default, there are none. */
  readonly secretVariables?: readonly string[];
}

export interface ShellResult extends ToolResult {
  readonly outcome: "ok" | "error" | "interrupted";
  /** Absent if a signal or the time limit ended the command. */
  readonly exitCode?: number;
  /** The id that the model can use to refer to processes that outlive the command, if there are any. */
  readonly background?: string;
}

/** Starts a command. Returns the command, or a result that says why it could not be started. */
export async function startShell(
  shell: ShellContext,
  command: string,
  call: ToolCall & Pick<ShellStart, "reader">,
): Promise<ShellCommand | ShellResult> {
  if (call.signal.aborted) return asShell(interrupted("Interrupted before the command was started."));
  const { workspace, background, keepOutput } = shell;
  // Without this check, a missing folder would be reported as a missing shell.
  if ((await lookAt(workspace)).kind !== "folder")
    return asShell(failed(`The workspace ${workspace} no longer exists.`));
  let kept: string | undefined;
  try {
    return new ShellCommand({
      command,
      workspace,
      environment: withoutVariables(shell.environment, shell.secretVariables ?? []),
      mark: background.nextMark(),
      keep: async (bytes) => {
        kept = await keepOutput(call.id, bytes, kept);
        return kept;
      },
      onOutput: call.onOutput,
      plan: call.plan,
      reader: call.reader,
    });
  } catch (error) {
    return asShell(failed(notStartedText(error)));
  }
}

export interface ShellPatience {
  readonly signal: AbortSignal;
  /** The time limit in milliseconds. If absent, the command runs until it ends or the signal aborts. */
  readonly timeout?: number;
  /** Returns the text that the result contains if processes outlive the command. */
  readonly leftText?: (id: string) => string;
}

/**
 * Waits until the command exits. If the signal aborts or the time limit passes, the command and everything that it
 * started are terminated.
 */
export async function waitForShell(
  { background }: ShellContext,
  command: ShellCommand,
  { signal, timeout, leftText }: ShellPatience,
): Promise<ShellResult> {
  const end = await endOrCut(command, signal, timeout);
  if (end === "cut" || end === "timeout") {
    await command.stop();
    const why = end === "cut" ? "Interrupted" : `Timed out after ${(timeout ?? 0).toLocaleString("en")} ms`;
    const text = `${command.takeOutput()}\n[${why}. The command and everything that it started were stopped.]`;
    const processes = { endedAt: Date.now() };
    return {
      outcome: end === "cut" ? "interrupted" : "error",
      parts: [textPart(text.trimStart())],
      processes,
    };
  }
  const left = command.leavesBehind() ? background.add(command) : undefined;
  const result = answer(command.takeOutput(), end, left === undefined ? undefined : leftText?.(left));
  const processes = processesOf(command);
  return left === undefined ? { ...result, processes } : { ...result, processes, background: left };
}

/**
 * Returns the time when the command and everything that it started ended, or a way to check whether they are still
 * running.
 */
function processesOf(command: ShellCommand): NonNullable<ToolResult["processes"]> {
  const { endedAt } = command;
  return endedAt === undefined ? { isRunning: () => command.isRunning() } : { endedAt };
}

async function endOrCut(
  command: ShellCommand,
  signal: AbortSignal,
  timeout: number | undefined,
): Promise<ShellEnd | "cut" | "timeout"> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const cutOrTimeout =
    timeout === undefined
      ? aborted(either).then(() => "cut" as const)
      : sleep(timeout, "timeout" as const, { signal: either }).catch(() => "cut" as const);
  const end = await Promise.race([command.finished, cutOrTimeout]);
  over.abort();
  return end;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function answer(output: string, end: ShellEnd, left: string | undefined): ShellResult {
  if (end.ended === "not-started") return asShell(failed(notStartedText(new Error(end.why))));
  const text = output.trimEnd();
  const notes = [left, shellEndText(end)].filter((note) => note !== undefined);
  const said =
    text === "" && notes.length === 0 ? ["(No output.)"] : [...(text === "" ? [] : [text]), ...notes];
  const exited = end.ended === "exited" ? { exitCode: end.code } : {};
  return { outcome: exited.exitCode === 0 ? "ok" : "error", parts: [textPart(said.join("\n"))], ...exited };
}

function notStartedText(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  if (why.includes("E2BIG"))
    return "The command is too long to run. Write it to a file first, and run the file.";
  return `The command could not be started: ${why}`;
}

function asShell({ parts, outcome }: ToolResult): ShellResult {
  return { parts, outcome: outcome === "interrupted" ? "interrupted" : "error" };
}
