import { readError, writeError } from "../../disk/disk-error.ts";
import type { Stored } from "../../strings/errors/facts.ts";

/** Runs `work`, and says in the words of the contract what could not be written. */
export function writing<Result>(stored: Stored, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw writeError(error, stored);
  }
}

export function reading<Result>(stored: Stored, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw readError(error, stored);
  }
}
