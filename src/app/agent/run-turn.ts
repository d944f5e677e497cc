import type { TurnEnd } from "../../ports/agent-events.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";

/** A turn that has ended, and whose session has been closed. */
interface ClosedTurn {
  /** How the turn ended. If only closing the session failed, the outcome is "failed" with that error. */
  readonly end: TurnEnd;
  /** The error from closing the session, if the turn failed with another error or was interrupted. */
  readonly unclosed?: WorldlineError;
}

/**
 * Runs a turn, and always closes the agent afterwards. Even if the session cannot be closed, returns the turn's answer,
 * because the user has paid for it. If the turn throws and closing fails too, throws the turn's error.
 */
export async function runTurnAndClose(
  work: () => Promise<TurnEnd>,
  close: () => Promise<void>,
): Promise<ClosedTurn> {
  const [worked] = await Promise.allSettled([work()]);
  const [closed] = await Promise.allSettled([close()]);
  if (worked.status === "rejected") throw worked.reason;
  const end = worked.value;
  if (closed.status === "fulfilled") return { end };
  const error = isWorldlineError(closed.reason) ? closed.reason : unclosable(closed.reason);
  if (end.outcome !== "done") {
    // On a full disk, both the turn and closing the session fail with the same error.
    return end.error?.code === error.code ? { end } : { end, unclosed: error };
  }
  const { code, message, hint, reason, params } = error;
  const failure = { code, message, ...(hint === undefined ? {} : { hint }), reason, params };
  return { end: { ...end, outcome: "failed", error: failure } };
}

function unclosable(cause: unknown): WorldlineError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new WorldlineError("session-not-closed", { why }, { cause });
}
