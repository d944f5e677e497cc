import { systemClock } from "../../../disk/system-clock.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import { WorldlineError } from "../../../record/error.ts";
import { requireCheckpoint } from "../../../travel/rewind.ts";
import { canAsk } from "../../ask.ts";
import type { Frame } from "../../command/frame.ts";
import { type ListedCheckpoint, listCheckpoints } from "../../show/checkpoint-list.ts";
import { listedText } from "../../show/checkpoint-text.ts";
import { columnsOf } from "../../show/columns.ts";
import { filesText } from "../../show/files/listed-text.ts";
import { glyphsFor } from "../../show/glyphs.ts";
import { table } from "../../show/table.ts";
import { relativeTime } from "../../show/time.ts";
import { shortened } from "../../show/width.ts";
import { requireSession } from "../../timeline/choose-session.ts";
import { filesOfCheckpoints, type ListedFiles } from "../../timeline/files/checkpoint-files.ts";
import { withFilesIfAny } from "../../timeline/files/files.ts";
import type { FoundCheckpoint } from "../../timeline/find-checkpoint.ts";
import { sessionsHere } from "../../timeline/sessions-here.ts";
import { askForRow } from "./ask-for-row.ts";

const MOST_ROWS = 30;

/** Lets the person choose from the checkpoints of the workspace. Undefined when they stay where they are. */
export async function pickCheckpoint(frame: Frame, store: LogStore): Promise<FoundCheckpoint | undefined> {
  if (!canAsk(frame)) throw nobodyToAsk();
  const session = await requireSession(frame, store);
  const others = (await sessionsHere(frame, store)).filter(({ id }) => id !== session.id);
  const listed = await listCheckpoints([session, ...others], { steps: "hidden" });
  if (listed.length === 0) {
    throw new WorldlineError("CHECKPOINT_UNKNOWN", frame.strings.checkpoints.none, {
      hint: "A session gets one with each prompt, or by: worldline checkpoint <label>",
    });
  }
  const shown = listed.slice(0, MOST_ROWS);
  const files = await filesOfRows(frame, shown, session);
  showRows(frame, shown, { all: listed.length, session: session.id, files });
  const picked = shown[(await askForRow(frame, shown.length)) - 1];
  if (picked === undefined) return undefined;
  return { view: picked.view, row: requireCheckpoint(picked.view.outline, picked.checkpoint.number) };
}

function showRows(
  frame: Frame,
  shown: readonly ListedCheckpoint[],
  { all, session, files }: { readonly all: number; readonly session: string; readonly files: FilesTexts },
): void {
  const { strings, output, surroundings } = frame;
  const now = systemClock.now();
  const rows = shown.map(({ view, checkpoint }, index) => [
    String(index + 1),
    view.id === session ? `#${checkpoint.number}` : `${view.id}:${checkpoint.number}`,
    relativeTime(checkpoint.at, now, strings.time),
    ...(files.size === 0 ? [] : [files.get(index) ?? ""]),
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

/** By row: what is known of its files. Empty where nothing is known of any, which then needs no column. */
type FilesTexts = ReadonlyMap<number, string>;

async function filesOfRows(
  frame: Frame,
  shown: readonly ListedCheckpoint[],
  session: SessionView,
): Promise<FilesTexts> {
  return withFilesIfAny(frame, session.header.workspace, async (files) => {
    const views = new Set(shown.map(({ view }) => view));
    const known = new Map<SessionView, ReadonlyMap<number, ListedFiles>>();
    for (const view of views) known.set(view, await filesOfCheckpoints(frame, view, files));
    const listed = shown.map(({ view, checkpoint }) => known.get(view)?.get(checkpoint.number));
    if (listed.every((each) => each?.snapshot === undefined)) return new Map();
    return new Map(
      listed.map((each, index) => [index, each === undefined ? "" : filesText(each, frame.strings)]),
    );
  });
}

function nobodyToAsk(): WorldlineError {
  return new WorldlineError("USAGE", "Which checkpoint? There is no terminal to choose one from a list.", {
    hint: "Give one: worldline rewind <number>. See them: worldline checkpoints",
  });
}
