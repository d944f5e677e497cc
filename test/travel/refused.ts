import { WorldlineError } from "../../src/record/error.ts";

/** What a refusal says, as `CODE message hint`; fails when there is none. */
export function refused(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof WorldlineError) return `${error.code} ${error.message} ${error.hint ?? ""}`;
    throw error;
  }
  throw new Error("it was not refused");
}
