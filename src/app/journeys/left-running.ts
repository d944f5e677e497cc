import { BackgroundCommands } from "../../agent/tools/bash/background.ts";
import { sdkProcesses } from "../../hosts/claude-agent-sdk/sdk/process.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { SessionId } from "../../record/ids.ts";
import type { AppContext } from "../context.ts";
import { withHeld } from "../sessions/hold-session.ts";
import { openSessionDeps } from "../sessions/store.ts";

// An agent's commands may outlive a killed process and change files that a journey has just restored.

type OfSession = Pick<SessionView, "id" | "header">;

function processesOf(session: SessionId): readonly BackgroundCommands[] {
  return [new BackgroundCommands(session), sdkProcesses(session)];
}

/**
 * Reports running commands during a preview. The session is not held during a preview, so another program may be
 * working in it.
 */
export async function reportRunning(context: AppContext, store: LogStore, session: OfSession): Promise<void> {
  const holder = await store.holder(session.id);
  const run = holder === undefined || holder.life === "dead" ? "killed" : "under-way";
  reportCommands(context, session, run);
}

function reportCommands(
  { listener }: AppContext,
  { id, header }: OfSession,
  run: "killed" | "under-way",
): void {
  if (header.mode !== "agent") return;
  const commands = processesOf(id).flatMap((each) => each.leftovers());
  if (commands.length > 0) listener.report({ code: "commands-running", run, commands });
}

/**
 * Ends or reports leftover processes before files are restored in a session that this process holds. No program
 * controls the remaining processes of the Claude Agent SDK, so they are terminated. Shell commands are only reported,
 * because the user may still want the results.
 */
export async function endLostProcesses(context: AppContext, session: OfSession): Promise<void> {
  if (session.header.mode !== "agent") return;
  const ended = await sdkProcesses(session.id).endLeftovers();
  if (ended.length > 0) context.listener.report({ code: "commands-ended", commands: ended });
  reportCommands(context, session, "killed");
}

/**
 * Terminates every process that a killed agent left running. The session is held until the processes have exited, so
 * that a running agent does not lose a command.
 */
export async function endLeftRunning(context: AppContext, { id }: OfSession): Promise<void> {
  const all = processesOf(id);
  if (all.every((each) => each.leftovers().length === 0)) return;
  const deps = await openSessionDeps(context);
  const hold = { context, deps, session: id, name: "worldline resume" };
  const ended = await withHeld(hold, async () => Promise.all(all.map(async (each) => each.endLeftovers())));
  const commands = ended.flat();
  if (commands.length > 0) context.listener.report({ code: "commands-ended", commands });
}
