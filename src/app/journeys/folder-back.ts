import type { SessionAccess } from "../current/session-access.ts";
import { makeFolder } from "../places/make-folder.ts";

const OWN_MODE = 0o777;

/** A command may have removed the whole workspace: its files come back into a folder that is made again. */
export async function folderBack({ here }: Pick<SessionAccess, "here">): Promise<void> {
  const { agent, opened } = here();
  // Only there was something captured that can come back.
  if (opened.here.files !== undefined) await makeFolder(agent.workspace, OWN_MODE);
}
