import { WorldlineError } from "../../record/error.ts";
import type { Desk } from "../commands/desk.ts";

/** Says what went wrong, and what to do about it; then nothing else of the flow happens. */
export async function sayingErrors(desk: Pick<Desk, "say">, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof WorldlineError)) throw error;
    desk.say({ tone: "error", line: toldOf(error) });
  }
}

export function toldOf({ message, hint }: WorldlineError): string {
  return hint === undefined ? message : `${message} · ${hint}`;
}
