import { requireConfirmed } from "../../machine/open.ts";
import type { EntryOf } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import { type AppContext, contextIn } from "../context.ts";
import { openStore } from "./ground.ts";

/**
 * The context of the workspace that a session works in. Where that is not the one that the person is in, it is said: all
 * that follows is about those files. A `--workspace` that says otherwise is a contradiction.
 */
export async function contextOfSession<Context extends AppContext>(
  context: Context,
  header: Pick<EntryOf<"session">, "session" | "workspace" | "confirmation">,
): Promise<Context> {
  requireConfirmed(openStore(context), header);
  const { session, workspace } = header;
  const here = await context.workspace();
  if (here === workspace) return context;
  if (context.common.workspace !== undefined) {
    throw new WorldlineError("session-of-other-folder", { session, workspace, here });
  }
  context.listener.report({ code: "session-elsewhere", session, workspace });
  return contextIn(context, workspace);
}
