import { tidyStore } from "../../../app/files/files.ts";
import type { FilesHolder } from "../../../app/watch.ts";
import type { Frame } from "../../frame.ts";

/** Closes the files, and looks after the store that they made larger. What the store cannot take is said, and no more. */
export async function letGo(frame: Frame, holder: FilesHolder): Promise<void> {
  const why = await holder.close();
  if (why !== undefined) frame.output.warn(why);
  else await tidyStore(frame);
}
