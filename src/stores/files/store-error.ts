import { readError, writeError } from "../../disk/disk-error.ts";
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

/** Runs `work`, and says in the words of the contract what could not be written. */
export function writing<Result>(what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw writeError(error, what);
  }
}

export function reading<Result>(what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw readError(error, what);
  }
}
