import type { BacktrackEnd } from "../../machine/journeys/backtracking.ts";
import { PROMPT_LENGTH, startOf } from "../../machine/looking/left-behind-by.ts";
import type { Session } from "../../machine/session.ts";
import type { BacktrackCard } from "../../ports/agent-events.ts";
import { countsIn } from "../../travel/files/outcome-lines.ts";

const NOTE_LENGTH = 300;

/** What the user sees of a backtrack that was carried out. */
export async function cardOf(
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
    ...(prompt === undefined ? {} : { prompt: startOf(prompt, PROMPT_LENGTH) }),
    note: startOf(note, NOTE_LENGTH),
    ...(rationale === undefined ? {} : { rationale }),
    files: backtrack?.files ?? "keep",
    ...(files === undefined ? {} : { restored: countsIn(files) }),
  };
}
