import type { EntryOf } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";

/** What is said in the session of a program would stand between its steps: only the program goes on with it. */
export function refuseExecution({ session, mode, execution }: EntryOf<"session">): void {
  if (mode !== "execution") return;
  const id = execution?.id ?? session;
  throw new WorldlineError("execution-not-conversation", { id, session });
}
