import { turnStateOf } from "../../../machine/looking/turn-state.ts";
import type { Session } from "../../../machine/session.ts";
import { BACKTRACK_TOOL } from "../../../record/parts.ts";
import { branchSince, nearest } from "../../../timeline/branch.ts";
import type { CutTurn } from "../../../timeline/turn-state.ts";
import type { Workbench } from "../workbench.ts";

const NEVER_WENT_BACK =
  "The backtrack above was not carried out: the program was stopped before it could be.";

/**
 * The result of a backtrack and its journey go out together, and a crash may leave the first alone: then the model has
 * read that it goes back, and stands where it was. It is told so when the turn goes on.
 */
export async function tellUndoneBacktrack({ session }: Pick<Workbench, "session">): Promise<void> {
  const turn = await turnStateOf(session);
  if (turn.state === "cut" && (await hasNotGoneBack(session, turn))) {
    await session.append({ kind: "notice", text: NEVER_WENT_BACK });
  }
}

async function hasNotGoneBack(session: Session, turn: CutTurn): Promise<boolean> {
  const calls = turn.finishedCalls.filter(({ name }) => name === BACKTRACK_TOOL).map(({ call }) => call);
  if (calls.length === 0 || turn.interruptedBy !== "unknown") return false;
  const reply = nearest(session.outline, session.outline.head, ({ kind }) => kind === "reply");
  const rows = branchSince(session.outline, reply?.seq ?? 0).filter(({ kind }) => kind === "tool-end");
  const ends = await session.storedEntries(rows.map(({ seq }) => seq));
  return ends.some(
    (entry) => entry.kind === "tool-end" && entry.outcome === "ok" && calls.includes(entry.call),
  );
}
