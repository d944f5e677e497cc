import { BackgroundCommands } from "../../../../agent/tools/bash/background-commands.ts";
import type { SessionView } from "../../../../machine/view.ts";
import type { Frame } from "../../../command/frame.ts";

/** Commands that an agent's run started and a kill left running may change files again, whatever becomes of them now. */
export function warnOfRunning(
  { output, strings }: Frame,
  { id, header }: Pick<SessionView, "id" | "header">,
): void {
  if (header.mode !== "agent") return;
  const running = new BackgroundCommands(id).leftovers();
  if (running.length > 0) output.warn(strings.journeys.stillRunning(running));
}
