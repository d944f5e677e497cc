import { WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";

/** The file that is written to was taken away. It is not begun anew: that would hide what is lost. */
export function logGone(session: SessionId): WorldlineError {
  return new WorldlineError(
    "STORE_UNWRITABLE",
    `The log of session ${session} cannot be written: its file log.jsonl is not there any more.`,
    {
      hint: `Put the file back if you have it. Else go on with what is left in a new session: worldline fork ${session}, and remove this one: worldline sessions delete ${session}`,
    },
  );
}

export function sessionUnknown(session: string): WorldlineError {
  return new WorldlineError("SESSION_UNKNOWN", `There is no session ${session}`, {
    hint: "`worldline sessions list` shows those there are.",
  });
}

export function sessionExists(session: SessionId): WorldlineError {
  return new WorldlineError("SESSION_EXISTS", `There is a session ${session} already.`, {
    hint: "Sessions are never overwritten; choose another id.",
  });
}
