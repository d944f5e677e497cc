import { BackgroundCommands } from "../../../../agent/tools/bash/background-commands.ts";
import { sdkProcesses } from "../../../../hosts/claude-agent-sdk/sdk/sdk-processes.ts";
import type { SessionView } from "../../../../machine/view.ts";
import type { Frame } from "../../../command/frame.ts";

type Of = Pick<SessionView, "id" | "header">;

/** Commands that an agent's run started and a kill left running may change files again, whatever becomes of them now. */
export function warnOfRunning({ output, strings }: Frame, { id, header }: Of): void {
  if (header.mode !== "agent") return;
  const running = [...new BackgroundCommands(id).leftovers(), ...sdkProcesses(id).leftovers()];
  if (running.length > 0) output.warn(strings.journeys.stillRunning(running));
}

/**
 * The same, for who holds the session: a process of the SDK that is still there has lost its program, and nobody can want
 * that it goes on with its tool under files that are taken back.
 */
export async function endLostProcesses(frame: Frame, session: Of): Promise<void> {
  if (session.header.mode !== "agent") return;
  const ended = await sdkProcesses(session.id).endLeftovers();
  if (ended.length > 0) frame.output.warn(frame.strings.resume.ended(ended));
  warnOfRunning(frame, session);
}
