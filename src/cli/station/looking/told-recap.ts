import { recapOf } from "../../../machine/looking/recap.ts";
import type { Session } from "../../../machine/session.ts";
import type { CutTurn, RecapTold } from "../../../ports/station/looking.ts";
import type { TurnState } from "../../../timeline/turn-state.ts";
import { recapText } from "../../show/agent/recap-text.ts";
import type { StationHere } from "../station-parts.ts";

/** What a resumed session opens with; undefined for one in which nothing was asked yet. */
export async function toldRecap({ frame, opened }: StationHere): Promise<RecapTold | undefined> {
  const { session } = opened;
  if (session.outline.linesOf("prompt").length === 0) return undefined;
  const recap = await recapOf(session);
  const cut = await cutOf(session, recap.open.turn);
  return {
    session: session.id,
    text: recapText(recap, frame.strings),
    ...(cut === undefined ? {} : { cut }),
  };
}

async function cutOf(session: Session, turn: TurnState): Promise<CutTurn | undefined> {
  if (turn.state === "idle") return undefined;
  const isCaptured = turn.step > 0 && (await hasFiles(session, turn.step));
  return {
    step: turn.step,
    calls: turn.openCalls.map(({ name, about }) => ({ name, about })),
    ...(isCaptured ? { before: turn.step } : {}),
  };
}

async function hasFiles(session: Session, checkpoint: number): Promise<boolean> {
  if (!session.hasFiles) return false;
  const { state } = await session.filesAt(checkpoint);
  return state === "complete" || state === "partial";
}
