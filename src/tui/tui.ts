import type { Person } from "../ports/person.ts";
import type { Farewell, Station } from "../ports/station/station.ts";
import type { Strings } from "../strings/strings.ts";
import { Program } from "./screen/program.ts";
import { guardAgainstCrashes } from "./terminal/crash-guard.ts";

export interface TerminalParts {
  readonly strings: Strings;
  readonly environment: NodeJS.ProcessEnv;
  /** What the person said on the command line. */
  readonly firstPrompt?: string;
  /** The person is to choose the session first. */
  readonly pick?: "session";
  /** Called when the first screen stands, so that what is heavy is loaded behind it. */
  readonly open: (person: Person) => Promise<Station>;
}

/**
 * Has the person work at the screen until they leave. The terminal is theirs again when this ends, however it ends; what
 * kept the session from opening is thrown.
 */
export async function runTerminal(parts: TerminalParts): Promise<Farewell> {
  const program = new Program(parts);
  const unguard = guardAgainstCrashes({
    giveBack: () => program.giveBack(),
    ended: () => program.leave(),
  });
  try {
    return await program.run();
  } finally {
    unguard();
  }
}
