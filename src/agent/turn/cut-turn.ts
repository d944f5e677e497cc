import { turnStateOf } from "../../machine/queries/recap.ts";
import type { Session } from "../../machine/session.ts";
import { WorldlineError } from "../../record/error.ts";
import { BACKTRACK_TOOL } from "../../record/parts.ts";
import { branchSince, nearest } from "../../timeline/outline.ts";
import type { CutTurn } from "../../timeline/turn-state.ts";
import { isAlreadyThere } from "../../travel/rewind.ts";
import type { AgentContext } from "../agent-context.ts";
import { placeOf } from "../tools/files.ts";
import { sweepBeside } from "../tools/put-file.ts";
import type { TurnContext } from "./turn-context.ts";

/** What the next model call begins behind. */
const TURNS_ON: ReadonlySet<string> = new Set(["step", "prompt", "backtrack", "compaction"]);
const NEVER_STARTED = "Not started: the turn was cut before.";
const NEVER_WENT_BACK =
  "The backtrack above was not carried out: the program was stopped before it could be.";

export async function requireCut(session: Session): Promise<void> {
  if ((await turnStateOf(session)).state === "cut") return;
  throw new WorldlineError("turn-not-cut", {});
}

/** Over what the step brought, and no further: a prompt, a note or a summary behind it is where the turn goes on. */
export async function backToLastStep(session: Session, tell: AgentContext["tell"]): Promise<void> {
  const { outline } = session;
  const last = nearest(outline, outline.head, ({ kind }) => TURNS_ON.has(kind));
  if (last?.kind !== "step" || isAlreadyThere(outline, last)) return;
  await session.rewind({ to: last.number, scope: "conversation" });
  tell({ type: "journey", journey: "rewind", scope: "conversation", to: last.number });
}

/**
 * Answers the calls of a turn that was cut before they began. The model would else be told that nobody knows whether they
 * took effect, which is true only of those that were started, and of those whose start is not written down.
 */
export async function answerUnstarted({
  session,
  tools,
}: Pick<TurnContext, "session" | "tools">): Promise<void> {
  const turn = await turnStateOf(session);
  if (turn.state === "idle") return;
  for (const { call, name } of turn.unansweredCalls) {
    if (tools.get(name)?.reach !== "nothing") await session.toolEnd(call, "interrupted", NEVER_STARTED);
  }
}

/**
 * The result of a backtrack and its journey go out together, and a crash may leave the first alone: then the model has
 * read that it goes back, and stands where it was. It is told so when the turn goes on.
 */
export async function tellUndoneBacktrack({ session }: Pick<AgentContext, "session">): Promise<void> {
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

/** A write that was killed may have left half a file beside its place, under a name that nobody else would remove. */
export async function sweepHalfWritten({ session, tools, workspace }: TurnContext): Promise<void> {
  const turn = await turnStateOf(session);
  if (turn.state === "idle") return;
  for (const { name, about } of turn.openCalls) {
    if (tools.get(name)?.reach === "files") await sweepBeside(await placeOf(workspace, about));
  }
}
