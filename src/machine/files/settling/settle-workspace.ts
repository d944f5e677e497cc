import type { WorkspaceFiles } from "../../../ports/workspace-files.ts";
import { type Ground, holdSession } from "../../open.ts";
import type { SettledRestore } from "../requests.ts";
import { settleOthers } from "./settle-others.ts";

/** Finishes every restore that a crash has cut off in this workspace, whichever session it belongs to. */
export async function settleWorkspace(
  ground: Ground,
  files: WorkspaceFiles,
): Promise<readonly SettledRestore[]> {
  const holding = { name: "worldline, finishing a restore" };
  const { store } = ground;
  return settleOthers({ files, store, open: async (id) => holdSession({ ...ground, files }, id, holding) });
}
