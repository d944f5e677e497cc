/** The signals that end a program, and what they would have done to the terminal. */
const SIGNALS = ["SIGTERM", "SIGHUP"] as const;

/**
 * Has `ended` called when the program is told to end, and gives the terminal back before the text of an error that nobody
 * caught is written, so that it can be read. Returns how to stop guarding.
 */
export function guardAgainstCrashes(parts: {
  readonly giveBack: () => void;
  readonly ended: (signal: NodeJS.Signals) => void;
}): () => void {
  const monitor = (): void => parts.giveBack();
  process.on("uncaughtExceptionMonitor", monitor);
  for (const signal of SIGNALS) process.on(signal, parts.ended);
  return () => {
    process.off("uncaughtExceptionMonitor", monitor);
    for (const signal of SIGNALS) process.off(signal, parts.ended);
  };
}
