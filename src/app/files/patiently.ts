import type { FilesProgress } from "../../machine/files/requests.ts";
import { WorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";

/** What a capture or a restore is given, so that it reports its progress and can be cancelled. */
export interface Patience {
  readonly onProgress: (progress: FilesProgress) => void;
  readonly signal: AbortSignal;
}

/** Does work on files that takes its time: with progress, and stopped when the user cancels, where it can be. */
export async function patiently<Result>(
  { listener, surroundings }: AppContext,
  work: (patience: Patience) => Promise<Result>,
  cancelled = surroundings.cancelled,
): Promise<Result> {
  const cancelling = new AbortController();
  // With a reason of ours: it is what the capture is left with.
  const cancel = () => cancelling.abort(new WorldlineError("cancelled", { left: "uncaptured" }));
  if (cancelled.aborted) cancel();
  else cancelled.addEventListener("abort", cancel);
  try {
    return await work({ onProgress: (each) => listener.progress(each), signal: cancelling.signal });
  } finally {
    cancelled.removeEventListener("abort", cancel);
    listener.progress("done");
  }
}
