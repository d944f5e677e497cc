import { createSession, type SessionContext } from "../../machine/open.ts";
import type { SessionId } from "../../record/ids.ts";
import type { AppContext } from "../context.ts";
import { chooseSession, openToAct, sessionsHere } from "./find-session.ts";

/** The session that receives a workspace's own checkpoints. */
export interface OwnSession {
  readonly id: SessionId;
  readonly workspace: string;
  /** The line number of the next entry. */
  readonly seen: number;
}

/**
 * Returns the session that `--session` names or, by default, the workspace's own session. That session is created if it
 * does not exist.
 */
export async function ownSession(
  context: AppContext,
  deps: SessionContext,
  name: string,
): Promise<OwnSession> {
  const { session: wanted } = context.common;
  const view =
    wanted === undefined
      ? (await sessionsHere(context, deps.store)).find(({ header }) => header.mode === "workspace")
      : await openToAct(context, deps.store, wanted);
  if (view !== undefined) {
    return { id: view.id, workspace: view.header.workspace, seen: view.outline.nextSeq };
  }
  return createOwnSession(context, deps, name);
}

/**
 * Returns the session that `--session` names, otherwise the one that was last used in the workspace, otherwise a new
 * session that belongs to the workspace itself.
 */
export async function chosenOrNewSession(
  context: AppContext,
  deps: SessionContext,
  name: string,
): Promise<Pick<OwnSession, "id" | "workspace"> & { readonly began: "now" | "before" }> {
  const view = await chooseSession(context, deps.store);
  if (view !== undefined) return { id: view.id, workspace: view.header.workspace, began: "before" };
  const { id, workspace } = await createOwnSession(context, deps, name);
  return { id, workspace, began: "now" };
}

async function createOwnSession(
  context: AppContext,
  deps: SessionContext,
  name: string,
): Promise<OwnSession> {
  const workspace = await context.workspace();
  const session = await createSession(deps, { workspace, mode: "workspace" }, { name });
  await session.close();
  context.listener.report({ code: "session-created", session: session.id });
  return { id: session.id, workspace, seen: session.outline.nextSeq };
}
