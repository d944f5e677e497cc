import { WorldlineError } from "../../record/error.ts";
import type { Desk } from "../commands/desk.ts";

/** Says what went wrong, and what to do about it; then nothing else of the flow happens. */
export async function sayingErrors(desk: Pick<Desk, "say">, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof WorldlineError)) throw error;
    desk.say({ tone: "error", line: error.message, ...hintOf(error) });
  }
}

/** On a line of its own, below what went wrong. */
export function hintOf({ hint }: WorldlineError): { readonly details?: string } {
  return hint === undefined ? {} : { details: hint };
}
