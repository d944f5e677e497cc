import { WorldlineError } from "../../src/record/error.ts";

/** The text of a refusal as `CODE message hint`; fails if there is none. */
export function refused(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof WorldlineError) return `${error.code} ${error.message} ${error.hint ?? ""}`;
    throw error;
  }
  throw new Error("it was not refused");
}
