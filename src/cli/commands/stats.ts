import { statsOfAll, statsOfSession } from "../../app/queries/stats.ts";
import { requireSession } from "../../app/sessions/find-session.ts";
import { openStore } from "../../app/sessions/store.ts";
import { statsText } from "../../show/stats-text.ts";
import { defineCommand, flag } from "../command.ts";
import type { Frame } from "../frame.ts";

export const stats = defineCommand({
  help: (help) => help.stats,
  options: { all: flag() },
  run: async ({ options: { all }, frame }) => {
    const counted = all ? await statsOfAll(frame) : await ofOne(frame);
    frame.output.answer({ ...counted }, () => statsText(counted, frame.strings.stats));
  },
});

async function ofOne(frame: Frame) {
  const store = openStore(frame);
  return statsOfSession(frame, store, await requireSession(frame, store));
}
