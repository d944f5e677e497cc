import type { Session } from "../../machine/session.ts";
import { isPersonCall } from "../../timeline/person-command.ts";

const CUT = "Interrupted; it is not known whether it took effect.";

/** A command of the person's that a crash cut has no end, and would be called unfinished for ever. */
export async function endCutCommands(session: Session): Promise<void> {
  const unfinished = await session.unfinished();
  for (const { call } of unfinished?.calls ?? []) {
    if (isPersonCall(call)) await session.toolEnd(call, "interrupted", CUT);
  }
}
