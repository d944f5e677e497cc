import {
  filesOfCheckpoints,
  type ListedCheckpoint,
  type ListedFiles,
  listCheckpoints,
  refreshPublished,
} from "../../../app/checkpoints/checkpoint-list.ts";
import { withFilesIfAny } from "../../../app/files/files.ts";
import { chooseSession, sessionsHere } from "../../../app/sessions/find-session.ts";
import { openStore } from "../../../app/sessions/store.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import { filesText, listedText } from "../../../show/journey-text.ts";
import { glyphsFor } from "../../../show/style.ts";
import { table } from "../../../show/table.ts";
import { shortened } from "../../../show/text-width.ts";
import { relativeTime } from "../../../show/time.ts";
import { defineCommand, flag } from "../../command.ts";
import type { Frame } from "../../frame.ts";
import { columnsOf } from "../../output.ts";

export const checkpoints = defineCommand({
  help: (help) => help.checkpoints,
  options: {
    all: flag(),
    steps: flag(),
  },
  run: async ({ options, frame }) => {
    const { output, strings } = frame;
    const store = openStore(frame);
    const session = await chooseSession(frame, store);
    const others = options.all ? await sessionsHere(frame, store) : [];
    const views = session === undefined ? others : [session, ...others.filter(({ id }) => id !== session.id)];
    const listed = await listCheckpoints(views, { steps: options.steps ? "shown" : "hidden" });
    await refreshPublished(frame, store, views);
    const files = await filesOf(frame, store, views);
    const document = {
      session: session?.id ?? null,
      checkpoints: listed.map((each) => documentOf(each, files)),
    };
    output.answer(document, () =>
      listed.length === 0 ? strings.checkpoints.none : listText(listed, { frame, session, files }).join("\n"),
    );
  },
});

type FilesByView = ReadonlyMap<SessionView, ReadonlyMap<number, ListedFiles>>;

/**
 * All views of one workspace use the same store. If the store cannot be opened, only the column about files is missing.
 */
async function filesOf(frame: Frame, store: LogStore, views: readonly SessionView[]): Promise<FilesByView> {
  const [first] = views;
  if (first === undefined) return new Map();
  return withFilesIfAny(frame, first.header.workspace, async (files) => {
    const known = new Map<SessionView, ReadonlyMap<number, ListedFiles>>();
    for (const view of views) known.set(view, await filesOfCheckpoints(store, view, files));
    return known;
  });
}

const unknown: ListedFiles = { state: "none" };

function documentOf({ view, checkpoint }: ListedCheckpoint, files: FilesByView) {
  const { at, ...rest } = checkpoint;
  return {
    session: view.id,
    reference: `${view.id}:${checkpoint.number}`,
    ...rest,
    at: new Date(at).toISOString(),
    files: files.get(view)?.get(checkpoint.number) ?? unknown,
  };
}

interface Listing {
  readonly frame: Frame;
  readonly session: SessionView | undefined;
  readonly files: FilesByView;
}

function listText(listed: readonly ListedCheckpoint[], { frame, session: here, files }: Listing): string[] {
  const { strings, output, surroundings } = frame;
  const now = systemClock.now();
  const lines = table(
    listed.map(({ view, checkpoint }) => [
      view === here ? `#${checkpoint.number}` : `${view.id}:${checkpoint.number}`,
      relativeTime(checkpoint.at, now, strings.time),
      strings.checkpoints.kinds[checkpoint.step === undefined ? checkpoint.on : "step"],
      filesText(files.get(view)?.get(checkpoint.number) ?? unknown, strings),
      listedText(checkpoint, strings),
    ]),
  );
  const columns = columnsOf(surroundings.stdout);
  const { ellipsis } = glyphsFor(surroundings.environment);
  return lines.map((line, index) => {
    const shown = shortened(line, columns, ellipsis);
    return listed[index]?.checkpoint.branch === "left" ? output.style.dim(shown) : shown;
  });
}
