import { makeFolder } from "../../places/make-folder.ts";
import type { StationParts } from "../station-parts.ts";

const OWN_MODE = 0o777;

/** A command may have removed the whole workspace: its files come back into a folder that is made again. */
export async function folderBack({ here }: Pick<StationParts, "here">): Promise<void> {
  const { agent, opened } = here();
  // Only there was something captured that can come back.
  if (opened.here.files !== undefined) await makeFolder(agent.workspace, OWN_MODE);
}
