import { WorldlineError } from "../../record/error.ts";

/** What a capture has found by then is kept for the next one. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new WorldlineError("capture-cancelled", {}, { cause: signal.reason });
}
