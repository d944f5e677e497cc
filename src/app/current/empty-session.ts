import { isWorldlineError } from "../../record/error.ts";
import type { AgentSession } from "../agent/agent-session.ts";

/** Nothing was ever said or done there: the log has its first line alone. */
export function isEmpty({ session }: Pick<AgentSession, "session">): boolean {
  return session.outline.length === 1;
}

/** Before anything that a person has deleted: emptying the trash up to there takes nothing else with it. */
const BEFORE_ALL = 0;

/** Removes it for good, after it was closed. Whoever opened it meanwhile keeps it. */
export async function removeEmpty({ ground, session }: AgentSession): Promise<"kept" | "gone"> {
  const { store } = ground;
  try {
    const lease = await store.lease(session.id, { name: "worldline", waitMs: 0 });
    try {
      await store.trash(session.id, BEFORE_ALL);
    } finally {
      await lease.release();
    }
    await store.emptyTrash(BEFORE_ALL + 1);
    return "gone";
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return "kept";
  }
}
