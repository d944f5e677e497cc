import type { Frame } from "../../command/frame.ts";
import type { ExitCode } from "../../exit.ts";
import { type AskedDenial, printPerson } from "./print/print-person.ts";
import { type PrintedTurn, printTurn } from "./print/print-turn.ts";
import type { Wish } from "./wish.ts";

/** Opens the agent that was wished for, and has it do one turn in print mode. */
export async function runTurn(
  frame: Frame,
  wish: Wish,
  { work, recap = "untold" }: Pick<PrintedTurn, "work" | "recap">,
): Promise<ExitCode> {
  const denied: AskedDenial[] = [];
  const plans: string[] = [];
  const person = printPerson(
    (denial) => denied.push(denial),
    (plan) => plans.push(plan),
  );
  // The agent brings providers and tools along, which a wish that is refused does not need.
  const { openAgent } = await import("../../../app/agent/open-agent.ts");
  const opened = await openAgent(frame, wish, person);
  const display = opened.settings["backtrack.display"];
  return printTurn(frame, { opened, wish, denied, plans, display, work, recap });
}
