import { filesOfTurn } from "../../agent/turn/files/changed-files.ts";
import { recapOf } from "../../machine/queries/recap.ts";
import type { Session } from "../../machine/session.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { commandOf } from "../../timeline/checkpoints.ts";
import { isOnBranch } from "../../timeline/outline.ts";
import type { Recap } from "../../timeline/recap.ts";
import type { Row } from "../../timeline/row.ts";
import type { TurnState } from "../../timeline/turn-state.ts";
import { isWithFiles } from "../resume.ts";
import type { AgentSession } from "../sessions/agent-session.ts";
import type { CutOff, ResumedRecap } from "./query-types.ts";

/** What is done, open and next in a session that was opened again; undefined for a new one. */
export async function recapOnResume({ resumed, session }: AgentSession): Promise<Recap | undefined> {
  return resumed === "new" ? undefined : recapOf(session);
}

/** The recap that a resumed session opens with on the screen; undefined if nothing was done in it yet. */
export async function resumedRecap({ session, here }: AgentSession): Promise<ResumedRecap | undefined> {
  const commands = commandsIn(session);
  if (session.outline.linesOf("prompt").length + commands.length === 0) return undefined;
  const known = await recapOf(session);
  const changed = await changedBy(session, here.files, commands);
  const files = [...known.done.files.filter((path) => !changed.includes(path)), ...changed];
  const recap = { ...known, done: { ...known.done, files } };
  const cut = await cutOf(session, recap.open.turn);
  return {
    session: session.id,
    recap,
    ...(cut === undefined ? {} : { cut }),
  };
}

/** How many commands are examined. The number is small because each one requires a comparison of two file states. */
const LATEST = 3;

/** The starts of the user's most recent commands on this branch, oldest first. */
function commandsIn({ outline }: Session): readonly Row[] {
  const found: Row[] = [];
  for (let row = outline.head; row !== undefined && found.length < LATEST; row = outline.at(row.parent)) {
    const start = row.kind === "checkpoint" ? commandOf(outline, row) : undefined;
    if (start !== undefined && isOnBranch(outline, start)) found.unshift(start);
  }
  return found;
}

async function changedBy(
  session: Session,
  files: WorkspaceFiles | undefined,
  commands: readonly Row[],
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const { id } of commands) {
    const told = await filesOfTurn(session, files, id);
    changed.push(...(told?.files ?? []).map(({ path }) => path));
  }
  return [...new Set(changed)];
}

/**
 * The user is only asked about a turn that was ended by a crash or the step limit. They already know about a turn that
 * failed or that they ended themselves.
 */
async function cutOf(session: Session, turn: TurnState): Promise<CutOff | undefined> {
  if (turn.state === "idle" || turn.interruptedBy === "person" || turn.error !== undefined) return undefined;
  const isRestorable = turn.step > 0 && session.hasFiles && isWithFiles(await session.filesAt(turn.step));
  return { ...turn, ...(isRestorable ? { before: turn.step } : {}) };
}
