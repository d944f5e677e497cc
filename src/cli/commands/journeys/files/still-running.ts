import { BackgroundCommands } from "../../../../agent/tools/bash/bash.ts";
import { sdkProcesses } from "../../../../hosts/claude-agent-sdk/sdk/process.ts";
import type { SessionView } from "../../../../machine/view.ts";
import type { LogStore } from "../../../../ports/log-store.ts";
import type { Frame } from "../../../command/frame.ts";

type Of = Pick<SessionView, "id" | "header">;

/** Commands that an agent's run started may change files again: those of a run that was killed, and of one that is under way. */
function warnOfRunning(
  { output, strings }: Frame,
  { id, header }: Of,
  run: "killed" | "under-way" = "killed",
): void {
  if (header.mode !== "agent") return;
  const running = [...new BackgroundCommands(id).leftovers(), ...sdkProcesses(id).leftovers()];
  if (running.length === 0) return;
  const { stillRunning, runningNow } = strings.journeys;
  output.warn(run === "killed" ? stillRunning(running) : runningNow(running));
}

/** The same for who only looks: the session may be another program's, which works on it at this moment. */
export async function warnOnlookers(frame: Frame, store: LogStore, session: Of): Promise<void> {
  const holder = await store.holder(session.id);
  warnOfRunning(frame, session, holder === undefined || holder.life === "dead" ? "killed" : "under-way");
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
