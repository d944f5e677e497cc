import { systemClock } from "../../../machine/system-clock.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import type { Scope } from "../../../record/entry.ts";
import { WorldlineError } from "../../../record/error.ts";
import { requireCheckpoint } from "../../../travel/rewind.ts";
import { askAgain, canAsk } from "../../ask.ts";
import type { Frame } from "../../command/frame.ts";
import { type ListedCheckpoint, listCheckpoints } from "../../show/checkpoint-list.ts";
import { listedText } from "../../show/checkpoint-text.ts";
import { columnsOf } from "../../show/columns.ts";
import { glyphsFor } from "../../show/glyphs.ts";
import { table } from "../../show/table.ts";
import { relativeTime } from "../../show/time.ts";
import { shortened } from "../../show/width.ts";
import { requireSession } from "../../timeline/choose-session.ts";
import type { FoundCheckpoint } from "../../timeline/find-checkpoint.ts";
import { sessionsHere } from "../../timeline/sessions-here.ts";
import { requireConversationOnly } from "./scope.ts";

const MOST_ROWS = 30;
const MOST_MISTYPED = 3;
const ESCAPE_KEY = "\u001b";

/** Lets the person choose from the checkpoints of the workspace. Undefined when they stay where they are. */
export async function pickCheckpoint(
  frame: Frame,
  store: LogStore,
  scope: Scope,
): Promise<FoundCheckpoint | undefined> {
  if (!canAsk(frame)) throw nobodyToAsk();
  const session = await requireSession(frame, store);
  // Said before the list, not after somebody has chosen from it.
  await requireConversationOnly(frame, scope, "worldline rewind");
  const others = (await sessionsHere(frame, store)).filter(({ id }) => id !== session.id);
  const listed = await listCheckpoints([session, ...others], { steps: "hidden" });
  if (listed.length === 0) {
    throw new WorldlineError("CHECKPOINT_UNKNOWN", frame.strings.checkpoints.none, {
      hint: "A session gets one with each prompt, or by: worldline checkpoint <label>",
    });
  }
  const shown = listed.slice(0, MOST_ROWS);
  showRows(frame, shown, { all: listed.length, session: session.id });
  const picked = shown[(await askForRow(frame, shown.length)) - 1];
  if (picked === undefined) return undefined;
  return { view: picked.view, row: requireCheckpoint(picked.view.outline, picked.checkpoint.number) };
}

function showRows(
  frame: Frame,
  shown: readonly ListedCheckpoint[],
  { all, session }: { readonly all: number; readonly session: string },
): void {
  const { strings, output, surroundings } = frame;
  const now = systemClock.now();
  const rows = shown.map(({ view, checkpoint }, index) => [
    String(index + 1),
    view.id === session ? `#${checkpoint.number}` : `${view.id}:${checkpoint.number}`,
    relativeTime(checkpoint.at, now, strings.time),
    listedText(checkpoint, strings),
  ]);
  output.notice(strings.journeys.pickTitle);
  const columns = columnsOf(surroundings.stderr);
  const { ellipsis } = glyphsFor(surroundings.environment);
  for (const line of table([["0", strings.journeys.current], ...rows])) {
    output.notice(shortened(`  ${line}`, columns, ellipsis));
  }
  if (all > shown.length) output.notice(`  ${strings.journeys.pickMore(all - shown.length)}`);
}

/** No answer is the row that was chosen beforehand: to stay. A slip of the fingers is asked again. */
async function askForRow(frame: Frame, last: number): Promise<number> {
  const { journeys } = frame.strings;
  let mistyped = 0;
  for await (const line of askAgain(journeys.pickQuestion(last), frame)) {
    const text = line.trim();
    if (text === "" || text === ESCAPE_KEY) return 0;
    const row = /^\d+$/u.test(text) ? Number(text) : Number.NaN;
    if (row >= 0 && row <= last) return row;
    mistyped += 1;
    if (mistyped > MOST_MISTYPED) throw notARow(text, last);
    frame.output.notice(journeys.notARow(text, last));
  }
  return 0;
}

function notARow(typed: string, last: number): WorldlineError {
  return new WorldlineError("INPUT_INVALID", `"${typed}" is not a row of the list.`, {
    hint: `Nothing was changed. Type a number from 0 to ${last}.`,
  });
}

function nobodyToAsk(): WorldlineError {
  return new WorldlineError("USAGE", "Which checkpoint? There is no terminal to choose one from a list.", {
    hint: "Give one: worldline rewind <number>. See them: worldline checkpoints",
  });
}
