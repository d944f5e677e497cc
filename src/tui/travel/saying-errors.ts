import { isWorldlineError } from "../../record/error.ts";
import type { Desk } from "../commands/desk.ts";
import { sayError } from "../commands/say-error.ts";

/** Says what went wrong, and what to do about it; then nothing else of the flow happens. */
export async function sayingErrors(
  desk: Pick<Desk, "say" | "strings">,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    sayError(desk, error);
  }
}
