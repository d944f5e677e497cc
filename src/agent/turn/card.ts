import type { BacktrackEnd } from "../../machine/journeys/backtracking.ts";
import { PROMPT_LENGTH, startOf } from "../../machine/looking/left-behind-by.ts";
import type { Session } from "../../machine/session.ts";
import type { AgentEvent, BacktrackCard } from "../../ports/agent-events.ts";
import { inEnglish } from "../../record/error.ts";
import { shownPath } from "../../record/files.ts";
import type { EntryId } from "../../record/ids.ts";
import { countsIn } from "../../travel/files/outcome-lines.ts";
import type { DuringPath } from "../../travel/files/plan-files.ts";
import type { TurnContext } from "./turn-context.ts";

const NOTE_LENGTH = 300;

/** How many paths a warning names. */
const MOST_NAMED = 5;

/** Tells the user how a backtrack ended. */
export async function tellBacktrack(
  { session, captures, tell }: Pick<TurnContext, "session" | "captures" | "tell">,
  end: BacktrackEnd,
): Promise<void> {
  if (end.status === "dropped") {
    tell({ type: "warning", code: "BACKTRACK_DROPPED", message: `A backtrack was dropped. ${end.why}` });
  }
  if (end.status !== "carried-out") return;
  if (end.files !== undefined) captures.journeyMade();
  tell(await cardOf(session, end));
  // Nobody was shown a preview, so this is said whatever the display of backtracks is set to.
  if (end.during !== undefined) tell(takenBack(end.during, end.journey));
}

function takenBack(during: readonly DuringPath[], journey: EntryId): AgentEvent {
  const named = during.slice(0, MOST_NAMED).map(({ path }) => shownPath(path));
  const more = during.length - named.length;
  const commands = [...new Set(during.flatMap(({ calls }) => calls.map(({ about }) => about)))];
  const words = inEnglish("backtrack-took", { paths: named, more, commands, journey });
  return { type: "warning", ...words, code: "BACKTRACK_TOOK" };
}

/** What the user sees of a backtrack that was carried out. */
async function cardOf(
  session: Session,
  end: Extract<BacktrackEnd, { status: "carried-out" }>,
): Promise<BacktrackCard> {
  const [backtrack] = (await session.entriesOf("backtrack")).slice(-1);
  const { to, entries, tokens, note, rationale, prompt, files } = end;
  return {
    type: "backtrack",
    to,
    entries,
    tokens,
    prompt: prompt && startOf(prompt, PROMPT_LENGTH),
    note: startOf(note, NOTE_LENGTH),
    rationale,
    files: backtrack?.files ?? "keep",
    restored: files && countsIn(files),
  };
}
