import type { FilesProgress } from "../../../machine/files/requests.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { Frame } from "../../command/frame.ts";
import { openProgress } from "../../output/progress.ts";

/** What a capture or a restore is told to take its time with, and how to end it. */
export interface Patience {
  readonly wish: {
    readonly onProgress: (progress: FilesProgress) => void;
    readonly signal: AbortSignal;
  };
  /** When the work is done, before anything else is printed. */
  readonly clear: () => void;
}

/** A line on the terminal when files take long, and Ctrl-C, which cancels what can be cancelled. */
export function filesPatience(frame: Frame, cancelled = frame.surroundings.cancelled): Patience {
  const progress = openProgress(frame);
  const { files } = frame.strings;
  const cancelling = new AbortController();
  // With a reason of ours: it is what the capture is left with.
  const cancel = () => cancelling.abort(new WorldlineError("cancelled", { left: "uncaptured" }));
  if (cancelled.aborted) cancel();
  else cancelled.addEventListener("abort", cancel);
  return {
    wish: {
      onProgress: (each) => {
        if (each.doing === "restore") progress.show(files.restoring(each.done, each.of));
        else if (each.phase === "looking") progress.show(files.capturing(each.files, each.bytes));
        else progress.show(files.storing(each.files, each.ofFiles, each.bytes));
      },
      signal: cancelling.signal,
    },
    clear: () => {
      cancelled.removeEventListener("abort", cancel);
      progress.clear();
    },
  };
}
