import type { AppContext } from "./context.ts";

/**
 * Does work that must not be cut in the middle. Who listens to Ctrl-C is not stopped at once; `isCancelled`
 * is asked between two pieces, each of which leaves everything whole.
 */
export async function heard<Result>(
  { surroundings }: AppContext,
  work: (isCancelled: () => boolean) => Promise<Result>,
): Promise<Result> {
  const { cancelled } = surroundings;
  const listen = () => undefined;
  cancelled.addEventListener("abort", listen);
  try {
    return await work(() => cancelled.aborted);
  } finally {
    cancelled.removeEventListener("abort", listen);
  }
}

/**
 * Does work that puts things in order by itself when it is interrupted: the first signal aborts, and gives the signals
 * back, so that a second one ends the process at once.
 */
export async function interruptible<Result>(
  { surroundings }: AppContext,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  const release = surroundings.onInterrupt(() => {
    release();
    stop.abort();
  });
  try {
    return await work(stop.signal);
  } finally {
    release();
  }
}
