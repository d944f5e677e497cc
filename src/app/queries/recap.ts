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

/**
 * Returns what is done, what is still open, and what comes next in a reopened session, or undefined for a new session.
 */
export async function recapOnResume({ resumed, session }: AgentSession): Promise<Recap | undefined> {
  return resumed === "new" ? undefined : recapOf(session);
}

/**
 * Returns the recap that the screen shows when a session is resumed, or undefined if nothing has been done in the
 * session yet.
 */
export async function resumedRecap({
  session,
  workspaceFiles,
}: AgentSession): Promise<ResumedRecap | undefined> {
  const commands = commandsIn(session);
  if (session.outline.linesOf("prompt").length + commands.length === 0) return undefined;
  const known = await recapOf(session);
  const changed = await changedBy(session, workspaceFiles.files, commands);
  const files = [...known.done.files.filter((path) => !changed.includes(path)), ...changed];
  const recap = { ...known, done: { ...known.done, files } };
  const cut = await cutOf(session, recap.open.turn);
  return {
    session: session.id,
    recap,
    ...(cut === undefined ? {} : { cut }),
  };
}

/**
 * Number of commands that are examined. The number is small because each command requires a comparison of two file
 * states.
 */
const LATEST = 3;

/** Finds where the user's most recent commands on this branch started, oldest first. */
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
 * Returns the turn only if a crash or the step limit ended it. The user already knows about a turn that failed or that
 * they interrupted.
 */
async function cutOf(session: Session, turn: TurnState): Promise<CutOff | undefined> {
  if (turn.state === "idle" || turn.interruptedBy === "person" || turn.error !== undefined) return undefined;
  const isRestorable = turn.step > 0 && session.hasFiles && isWithFiles(await session.filesAt(turn.step));
  return { ...turn, ...(isRestorable ? { before: turn.step } : {}) };
}
