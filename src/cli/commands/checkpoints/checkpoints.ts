import { systemClock } from "../../../machine/system-clock.ts";
import type { SessionView } from "../../../machine/view.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { flag } from "../../command/parameters.ts";
import { type ListedCheckpoint, listCheckpoints } from "../../show/checkpoint-list.ts";
import { listedText } from "../../show/checkpoint-text.ts";
import { columnsOf } from "../../show/columns.ts";
import { glyphsFor } from "../../show/glyphs.ts";
import { table } from "../../show/table.ts";
import { relativeTime } from "../../show/time.ts";
import { shortened } from "../../show/width.ts";
import { chooseSession } from "../../timeline/choose-session.ts";
import { openStore } from "../../timeline/ground.ts";
import { sessionsHere } from "../../timeline/sessions-here.ts";

export const checkpoints = defineCommand({
  description: "Lists the checkpoints of a session, newest first, also those on branches that were left.",
  options: {
    all: flag("of all sessions of the workspace"),
    steps: flag("also the checkpoints before each model call"),
  },
  examples: [
    { command: "worldline checkpoints", meaning: "of the session last used here" },
    {
      command: "worldline checkpoints --all --steps",
      meaning: "of all sessions of the workspace, steps included",
    },
    {
      command: "worldline checkpoints --json | jq '.checkpoints[0].number'",
      meaning: "the newest one's number",
    },
  ],
  run: async ({ options, frame }) => {
    const { output, strings } = frame;
    const store = openStore(frame);
    const session = await chooseSession(frame, store);
    const others = options.all ? await sessionsHere(frame, store) : [];
    const views = session === undefined ? others : [session, ...others.filter(({ id }) => id !== session.id)];
    const listed = await listCheckpoints(views, { steps: options.steps ? "shown" : "hidden" });
    const document = { session: session?.id ?? null, checkpoints: listed.map(documentOf) };
    output.answer(document, () =>
      listed.length === 0 ? strings.checkpoints.none : listText(listed, frame, session).join("\n"),
    );
  },
});

function documentOf({ view, checkpoint }: ListedCheckpoint) {
  const { at, ...rest } = checkpoint;
  return {
    session: view.id,
    reference: `${view.id}:${checkpoint.number}`,
    ...rest,
    at: new Date(at).toISOString(),
  };
}

function listText(
  listed: readonly ListedCheckpoint[],
  frame: Frame,
  here: SessionView | undefined,
): string[] {
  const { strings, output, surroundings } = frame;
  const now = systemClock.now();
  const lines = table(
    listed.map(({ view, checkpoint }) => [
      view === here ? `#${checkpoint.number}` : `${view.id}:${checkpoint.number}`,
      relativeTime(checkpoint.at, now, strings.time),
      strings.checkpoints.kinds[checkpoint.on],
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
