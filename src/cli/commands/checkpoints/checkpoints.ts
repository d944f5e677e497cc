import {
  type CheckpointList,
  type ListedCheckpoint,
  listCheckpoints,
} from "../../../app/checkpoints/checkpoint-list.ts";
import { systemClock } from "../../../disk/system-clock.ts";
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
    const list = await listCheckpoints(frame, {
      sessions: options.all ? "all" : "one",
      steps: options.steps ? "shown" : "hidden",
    });
    const document = { session: list.session?.id ?? null, checkpoints: list.checkpoints.map(documentOf) };
    output.answer(document, () =>
      list.all === 0 ? strings.checkpoints.none : listText(frame, list).join("\n"),
    );
  },
});

function documentOf({ view, checkpoint, files }: ListedCheckpoint) {
  const { at, ...rest } = checkpoint;
  return {
    session: view.id,
    reference: `${view.id}:${checkpoint.number}`,
    ...rest,
    at: new Date(at).toISOString(),
    files,
  };
}

function listText(frame: Frame, { session, checkpoints: listed }: CheckpointList): string[] {
  const { strings, output, surroundings } = frame;
  const now = systemClock.now();
  const lines = table(
    listed.map(({ view, checkpoint, files }) => [
      view === session ? `#${checkpoint.number}` : `${view.id}:${checkpoint.number}`,
      relativeTime(checkpoint.at, now, strings.time),
      strings.checkpoints.kinds[checkpoint.step === undefined ? checkpoint.on : "step"],
      filesText(files, strings),
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
