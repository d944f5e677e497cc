import type { EntryOf } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";

/** What is said in the session of a program would stand between its steps: only the program goes on with it. */
export function refuseExecution({ session, mode, execution }: EntryOf<"session">): void {
  if (mode !== "execution") return;
  const id = execution?.id ?? session;
  throw new WorldlineError("INPUT_INVALID", `${id} is the execution of a program, and no conversation.`, {
    hint: `The program goes on with it when it is started again. See its steps: worldline executions show ${session}`,
  });
}
