import { type ChildProcess, spawn } from "node:child_process";
import type { Interrupt } from "../../../app/context.ts";
import { systemCode } from "../../../app/places/home.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { OthersExitCode } from "../../exit.ts";
import type { Frame } from "../../frame.ts";
import { asExitCode, exitOf, NOT_FOUND, NOT_STARTED } from "./exit-of.ts";

/** What became of the command. */
export type Ran =
  | { readonly state: "ended"; readonly code: OthersExitCode; readonly signal: NodeJS.Signals | null }
  | { readonly state: "not-started"; readonly code: OthersExitCode; readonly error: WorldlineError };

export interface CommandLine {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly cwd: string;
}

/**
 * Runs a command with the terminal as its own: no shell, and nothing between it and the person. Ctrl-C is the
 * command's; this program outlives it, to make the checkpoint after it.
 */
export async function runCommand(frame: Frame, line: CommandLine): Promise<Ran> {
  const { environment } = frame.surroundings;
  const interrupts = interruptsFor(frame);
  try {
    const child = spawn(line.command, line.arguments, {
      cwd: line.cwd,
      env: { ...environment },
      stdio: "inherit",
    });
    interrupts.handTo(child);
    return await new Promise<Ran>((resolve) => {
      child.on("error", (error) => resolve(notStarted(line, error)));
      child.on("exit", (code, signal) => resolve({ state: "ended", code: exitOf(code, signal), signal }));
    });
  } finally {
    interrupts.release();
  }
}

interface Interrupts {
  handTo(child: ChildProcess): void;
  release(): void;
}

/** Listens before there is a command: it may be running, and somebody may want it to end, before this program knows that it is. */
function interruptsFor({ surroundings }: Frame): Interrupts {
  const { onInterrupt, stdin, stdout, stderr } = surroundings;
  // A terminal sends Ctrl-C to both; a command that got it twice would take that for impatience.
  const hasTerminal = [stdin, stdout, stderr].some(({ isTTY }) => isTTY === true);
  const early: Interrupt[] = [];
  let tell = (signal: Interrupt): unknown => early.push(signal);
  const release = onInterrupt((signal) => {
    if (signal !== "SIGINT" || !hasTerminal) tell(signal);
  });
  return {
    handTo(child) {
      tell = (signal) => child.kill(signal);
      for (const signal of early) tell(signal);
    },
    release,
  };
}

function notStarted({ command }: CommandLine, cause: Error): Ran {
  const isMissing = systemCode(cause) === "ENOENT";
  const why = isMissing
    ? "missing"
    : systemCode(cause) === "EACCES"
      ? "forbidden"
      : { system: cause.message };
  const error = new WorldlineError("command-not-started", { command, why }, { cause });
  return { state: "not-started", code: asExitCode(isMissing ? NOT_FOUND : NOT_STARTED), error };
}
