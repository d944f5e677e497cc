import { openToAct, sessionsHere } from "../../../app/sessions/find-session.ts";
import { createSession, type Ground } from "../../../machine/open.ts";
import type { SessionId } from "../../../record/ids.ts";
import type { Frame } from "../../frame.ts";

/** The session that a workspace's own checkpoints go to. */
export interface OwnSession {
  readonly id: SessionId;
  readonly workspace: string;
  /** The line that the log goes on with. */
  readonly seen: number;
}

/** The one that `--session` names; else the workspace's own, which is begun where there is none yet. */
export async function ownSession(frame: Frame, ground: Ground, name: string): Promise<OwnSession> {
  const { session: wanted } = frame.common;
  const view =
    wanted === undefined
      ? (await sessionsHere(frame, ground.store)).find(({ header }) => header.mode === "workspace")
      : await openToAct(frame, ground.store, wanted);
  if (view !== undefined) {
    return { id: view.id, workspace: view.header.workspace, seen: view.outline.nextSeq };
  }
  const workspace = await frame.workspace();
  const session = await createSession(ground, { workspace, mode: "workspace" }, { name });
  await session.close();
  frame.output.notice(frame.strings.sessionsHere.created(session.id));
  return { id: session.id, workspace, seen: session.outline.nextSeq };
}
