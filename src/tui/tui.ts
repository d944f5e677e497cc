import type { App } from "../app/app-types.ts";
import type { AppWords } from "../app/words.ts";
import type { Person } from "../ports/person.ts";
import type { Strings } from "../strings/strings.ts";
import { type Left, Program } from "./screen/program.ts";

export interface TerminalParts {
  readonly strings: Strings;
  readonly environment: NodeJS.ProcessEnv;
  /** What the person said on the command line. */
  readonly firstPrompt?: string;
  /** The person is to choose the session first. */
  readonly pick?: "session";
  /** A command for a shell that finds the same sessions. */
  readonly shellCommand: AppWords["shellCommand"];
  /** Aborted when the program is told from outside to end. */
  readonly told: AbortSignal;
  /** Called when the first screen stands, so that what is heavy is loaded behind it. */
  readonly open: (person: Person, words: AppWords) => Promise<App>;
}

/**
 * Has the person work at the screen until they leave. The terminal is theirs again when this ends, however it ends; what
 * kept the session from opening is thrown.
 */
export async function runTerminal(parts: TerminalParts): Promise<Left> {
  const program = new Program(parts);
  const giveBack = (): void => program.giveBack();
  // An error that nobody caught is to be read on the person's own screen.
  process.on("uncaughtExceptionMonitor", giveBack);
  parts.told.addEventListener("abort", () => program.leave(), { once: true });
  try {
    return await program.run();
  } finally {
    process.off("uncaughtExceptionMonitor", giveBack);
  }
}
