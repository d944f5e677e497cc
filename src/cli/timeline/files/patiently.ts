import type { Frame } from "../../command/frame.ts";
import { filesPatience, type Patience } from "../../show/files/files-progress.ts";

/** Work on files with a line of progress, stopped by Ctrl-C where it can be. */
export async function patiently<Result>(
  frame: Frame,
  work: (wish: Patience["wish"]) => Promise<Result>,
): Promise<Result> {
  const patience = filesPatience(frame);
  try {
    return await work(patience.wish);
  } finally {
    patience.clear();
  }
}
