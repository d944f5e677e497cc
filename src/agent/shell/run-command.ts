import type { Session } from "../../machine/session.ts";
import type { CommandEnd } from "../../ports/agent-events.ts";
import type { Author, Draft } from "../../record/entry.ts";
import { newPersonCall, SHELL_TOOL } from "../../timeline/person-command.ts";
import { onlyLooks } from "../permissions/unasked/plan.ts";
import { planFor } from "../tools/bash/led-to.ts";
import { type ShellGround, type ShellResult, startShell, waitForShell } from "../tools/bash/run-shell.ts";
import { ShellCommand } from "../tools/bash/shell-command.ts";
import { oneLine } from "../tools/text.ts";
import { type ChangesBench, tellChangedFiles } from "../turn/files/tell-changed-files.ts";
import type { Workbench } from "../turn/workbench.ts";
import { commandNotice } from "./command-notice.ts";

const GOES_ON =
  "[What it started goes on in the background. It ends when you leave, or when a rewind is told to end it.]";
const NOT_WRITTEN = "Not started: its start could not be written to the session's log.";

export interface WantedCommand {
  readonly command: string;
  readonly told: "model" | "nobody";
  /** Who changed the files since the last state. */
  readonly author: Author;
  readonly signal: AbortSignal;
}

/** What is needed to run one, whichever agent it stands beside. */
export type CommandBench = ChangesBench & Pick<Workbench, "session" | "clock">;

/**
 * A command of the person's, on the timeline as a tool's call that no reply asked for: a checkpoint before it, its start
 * durable before anything runs, and what it changed captured behind it.
 */
export async function runCommand(
  bench: CommandBench,
  ground: ShellGround,
  wanted: WantedCommand,
): Promise<CommandEnd> {
  const { session, captures, clock } = bench;
  const { command, signal } = wanted;
  const { number: checkpoint } = await session.mark();
  captures.beforePrompt(checkpoint, wanted.author);
  await captures.ready("anything", signal);
  if (signal.aborted) return { outcome: "interrupted", checkpoint };
  const call = newPersonCall((count) => clock.random(count));
  await begin(session, call, command);
  const reads = onlyLooks(await planFor(ground, command)) ? ({ reads: "only" } as const) : {};
  captures.started(
    { call, reach: "anything", about: oneLine(command), ...reads },
    captures.isBehind ? "late" : undefined,
  );
  const result = await perform(bench, ground, { call, command, signal });
  captures.endedUnseen(call, { processes: result.processes });
  try {
    await session.write(endOf(call, wanted, result).map((draft) => ({ draft })));
  } finally {
    // Whatever the store says of its end: what it changed must not pass for the person's edit.
    captures.afterCommand(checkpoint);
  }
  await tellChangedFiles(bench);
  const { outcome, exitCode } = result;
  return { outcome, ...(exitCode === undefined ? {} : { exitCode }), checkpoint };
}

/** Where its start cannot be written it does not run; both lines wait for room, so that it is not taken for an open call. */
async function begin(session: Session, call: string, command: string): Promise<void> {
  try {
    await session.toolStart(call, SHELL_TOOL, { input: { command } });
  } catch (error) {
    await session.toolEnd(call, "error", NOT_WRITTEN).catch(() => undefined);
    throw error;
  }
}

async function perform(
  bench: CommandBench,
  ground: ShellGround,
  { call, command, signal }: Pick<WantedCommand, "command" | "signal"> & { readonly call: string },
): Promise<ShellResult> {
  const about = oneLine(command);
  bench.tell({ type: "doing", doing: { what: "tool", call, name: SHELL_TOOL, about } });
  const onOutput = (text: string): void => bench.tell({ type: "output", call, text });
  const started = await startShell(ground, command, { id: call, signal, onOutput, reader: "person" });
  if (!(started instanceof ShellCommand)) return started;
  // Without a time limit: whoever wanted it sits in front of it.
  return waitForShell(ground, started, { signal, leftText: () => GOES_ON });
}

/** Its end and what the model hears of it stand side by side: no compaction parts them. */
function endOf(call: string, { command, told }: WantedCommand, result: ShellResult): readonly Draft[] {
  const { outcome, parts } = result;
  const end: Draft = { kind: "tool-end", call, outcome, parts };
  return told === "nobody" ? [end] : [end, { kind: "notice", text: commandNotice(command, result) }];
}
