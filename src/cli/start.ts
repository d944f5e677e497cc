import { getEventListeners } from "node:events";
import type { Interrupt } from "../app/context.ts";
import { RunStores } from "../app/places/run-stores.ts";
import type { Screen, Surroundings } from "./command/frame.ts";
import { commands } from "./registry.ts";
import { run } from "./run.ts";

const CANCELLED = 130;
/** How long a command may take to put things in order after Ctrl-C. */
const GRACE_MS = 2_000;

const OTHERS = ["SIGTERM", "SIGHUP"] as const;

/** Runs a command line in this process. */
export async function start(args: readonly string[], screen: Screen): Promise<void> {
  const stores = new RunStores();
  const interrupts = listenToInterrupts(stores);
  const code = await run(commands, {
    arguments: args,
    environment: process.env,
    cwd: () => process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    ...interrupts,
    knownWorkspaces: async (search) =>
      (await import("../app/sessions/session-headers.ts")).knownWorkspaces(search),
    stores,
    screen,
  });
  await stores.close();
  // Not process.exit: what is still on its way to a pipe would be cut off.
  process.exitCode = interrupts.cancelled.aborted ? CANCELLED : code;
}

/** What is done with signals that ask this process to end. */
function listenToInterrupts(stores: RunStores): Pick<Surroundings, "cancelled" | "onInterrupt"> {
  const cancel = new AbortController();
  const listeners: ((signal: Interrupt) => void)[] = [];
  const tell = (signal: Interrupt): void => listeners.at(-1)?.(signal);
  process.on("SIGINT", () => {
    if (listeners.length > 0) {
      tell("SIGINT");
      return;
    }
    const heard = !cancel.signal.aborted && getEventListeners(cancel.signal, "abort").length > 0;
    if (!heard) {
      void stores.close().finally(() => process.exit(CANCELLED));
      return;
    }
    setTimeout(() => process.exit(CANCELLED), GRACE_MS).unref();
    cancel.abort();
  });
  return {
    cancelled: cancel.signal,
    onInterrupt(listener) {
      listeners.push(listener);
      // These end the process by themselves, unless somebody listens.
      if (listeners.length === 1) for (const signal of OTHERS) process.on(signal, tell);
      return () => {
        const at = listeners.indexOf(listener);
        if (at >= 0) listeners.splice(at, 1);
        if (listeners.length === 0) for (const signal of OTHERS) process.off(signal, tell);
      };
    },
  };
}
