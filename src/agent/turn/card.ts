import type { BacktrackEnd } from "../../machine/journeys/backtracking.ts";
import type { Session } from "../../machine/session.ts";
import type { BacktrackCard } from "../../ports/agent-events.ts";
import { textOf } from "../../record/parts.ts";
import { findCheckpoint, promptOf } from "../../timeline/checkpoints.ts";

const PROMPT_LENGTH = 200;
const NOTE_LENGTH = 300;

/** What the person sees of a backtrack that was carried out. */
export async function cardOf(
  session: Session,
  end: Extract<BacktrackEnd, { status: "carried-out" }>,
): Promise<BacktrackCard> {
  const [backtrack] = (await session.entriesOf("backtrack")).slice(-1);
  const prompt = await promptAt(session, end.to);
  const { files } = end;
  return {
    type: "backtrack",
    to: end.to,
    entries: end.entries,
    tokens: end.tokens,
    ...(prompt === undefined ? {} : { prompt }),
    note: startOf(backtrack?.note ?? "", NOTE_LENGTH),
    files: backtrack?.files ?? "keep",
    ...(files === undefined
      ? {}
      : { restored: { restored: files.restored, kept: files.kept, failed: files.failed } }),
  };
}

/** The text of the prompt whose turn the checkpoint lies in. */
async function promptAt(session: Session, to: number): Promise<string | undefined> {
  const place = findCheckpoint(session.outline, to);
  const row = place === undefined ? undefined : promptOf(session.outline, place);
  const [entry] = row === undefined ? [] : await session.entries([row.seq]);
  if (entry?.kind !== "prompt") return undefined;
  const text = textOf(entry.parts).trim();
  return text === "" ? undefined : startOf(text, PROMPT_LENGTH);
}

/** By characters, not by halves of them. */
function startOf(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length).join("")}…`;
}
