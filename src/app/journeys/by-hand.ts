import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { SessionAccess } from "../current/session-access.ts";

/** Does what needs the session for itself, or says what the person can do about the turn that has it. */
export async function byHand<Result>(
  parts: Pick<SessionAccess, "alone">,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await parts.alone(work);
  } catch (error) {
    if (!isWorldlineError(error, "TURN_RUNNING")) throw error;
    throw new WorldlineError("running-before-journey", { problem: error }, { cause: error });
  }
}
