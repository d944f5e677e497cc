import { getEventListeners } from "node:events";
import { commands } from "./registry.ts";
import { run } from "./run.ts";

const CANCELLED = 130;
/** How long a command may take to put things in order after Ctrl-C. */
const GRACE_MS = 2_000;

/** Ties the command line to this process. */
export async function start(args: readonly string[]): Promise<void> {
  const cancelled = cancelledByPerson();
  const code = await run(commands, {
    arguments: args,
    environment: process.env,
    cwd: () => process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    cancelled,
    knownWorkspaces: async (home) => (await import("./timeline/session-headers.ts")).knownWorkspaces(home),
  });
  // Not process.exit: what is still on its way to a pipe would be cut off.
  process.exitCode = cancelled.aborted ? CANCELLED : code;
}

function cancelledByPerson(): AbortSignal {
  const cancel = new AbortController();
  process.on("SIGINT", () => {
    const heard = !cancel.signal.aborted && getEventListeners(cancel.signal, "abort").length > 0;
    if (!heard) process.exit(CANCELLED);
    setTimeout(() => process.exit(CANCELLED), GRACE_MS).unref();
    cancel.abort();
  });
  return cancel.signal;
}
