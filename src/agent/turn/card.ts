import type { BacktrackEnd } from "../../machine/journeys/backtracking.ts";
import { promptReturnedTo, startOf } from "../../machine/looking/left-behind-by.ts";
import type { Session } from "../../machine/session.ts";
import type { BacktrackCard } from "../../ports/agent-events.ts";
import { countsIn } from "../../travel/files/outcome-lines.ts";

const NOTE_LENGTH = 300;

/** What the person sees of a backtrack that was carried out. */
export async function cardOf(
  session: Session,
  end: Extract<BacktrackEnd, { status: "carried-out" }>,
): Promise<BacktrackCard> {
  const [backtrack] = (await session.entriesOf("backtrack")).slice(-1);
  const prompt = await promptReturnedTo(session, end.to);
  const { files } = end;
  return {
    type: "backtrack",
    to: end.to,
    entries: end.entries,
    tokens: end.tokens,
    ...(prompt === undefined ? {} : { prompt }),
    note: startOf(backtrack?.note ?? "", NOTE_LENGTH),
    files: backtrack?.files ?? "keep",
    ...(files === undefined ? {} : { restored: countsIn(files) }),
  };
}
