import { turnStateOf } from "../../machine/looking/turn-state.ts";
import type { Session } from "../../machine/session.ts";
import type { AgentEvent } from "../../ports/agent-events.ts";
import { WorldlineError } from "../../record/error.ts";
import { nearest } from "../../timeline/branch.ts";
import { isAlreadyThere } from "../../travel/rewind.ts";

/** What the next model call begins behind. */
const TURNS_ON: ReadonlySet<string> = new Set(["step", "prompt", "backtrack", "compaction"]);

export async function requireCut(session: Session): Promise<void> {
  if ((await turnStateOf(session)).state === "cut") return;
  throw new WorldlineError("turn-not-cut", {});
}

/** Over what the step brought, and no further: a prompt, a note or a summary behind it is where the turn goes on. */
export async function backToLastStep(session: Session, tell: (event: AgentEvent) => void): Promise<void> {
  const { outline } = session;
  const last = nearest(outline, outline.head, ({ kind }) => TURNS_ON.has(kind));
  if (last?.kind !== "step" || isAlreadyThere(outline, last)) return;
  await session.rewind({ to: last.number, scope: "conversation" });
  tell({ type: "journey", journey: "rewind", scope: "conversation", to: last.number });
}
