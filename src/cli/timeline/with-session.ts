import { resolveSession } from "../../machine/looking/sessions.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { WorldlineError } from "../../record/error.ts";
import type { Frame } from "../command/frame.ts";

/** For a session that is given as an argument: another way to write `--session`. Both together must mean the same one. */
export async function withSession(
  frame: Frame,
  store: LogStore,
  session: string | undefined,
): Promise<Frame> {
  if (session === undefined) return frame;
  const named = await resolveSession(store, session);
  const { session: other } = frame.common;
  if (other !== undefined && (await resolveSession(store, other)) !== named) {
    throw new WorldlineError("two-sessions-named", { session, other });
  }
  return { ...frame, common: { ...frame.common, session: named } };
}
