import type { Frame } from "../../command/frame.ts";
import { filesPatience, type Patience } from "../../show/files/files-progress.ts";

/** Work on files with a line of progress, stopped by Ctrl-C where it can be, or by who has taken Ctrl-C for itself. */
export async function patiently<Result>(
  frame: Frame,
  work: (wish: Patience["wish"]) => Promise<Result>,
  cancelled = frame.surroundings.cancelled,
): Promise<Result> {
  const patience = filesPatience(frame, cancelled);
  try {
    return await work(patience.wish);
  } finally {
    patience.clear();
  }
}
