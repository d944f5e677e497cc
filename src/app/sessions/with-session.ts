import { resolveSession } from "../../machine/queries/sessions.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { WorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";

/** For a session that is given as an argument: another way to write `--session`. Both together must mean the same one. */
export async function withSession<Context extends AppContext>(
  context: Context,
  store: LogStore,
  session: string | undefined,
): Promise<Context> {
  if (session === undefined) return context;
  const named = await resolveSession(store, session);
  const { session: other } = context.common;
  if (other !== undefined && (await resolveSession(store, other)) !== named) {
    throw new WorldlineError("two-sessions-named", { session, other });
  }
  return { ...context, common: { ...context.common, session: named } };
}
