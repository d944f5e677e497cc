import { oneLine } from "../../../record/printable.ts";
import { table } from "../../../show/table.ts";
import type { Usage, UsageOf } from "../../../snapshots/keeping/usage.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { withUpkeep } from "./with-upkeep.ts";

export const du = defineCommand({
  description:
    "Says how much room the files of all checkpoints take. Most is shared: of each workspace and session it says what nobody " +
    "else needs, which is exactly what letting go of that one alone would free.",
  examples: [
    { command: "worldline store du", meaning: "how much room, and for whom" },
    { command: "worldline store du --json", meaning: "as data" },
  ],
  run: async ({ frame }) => {
    const { values } = await frame.settings();
    const usage = await withUpkeep(frame, "worldline store du", (upkeep) => upkeep.usage());
    const limit = values["snapshots.maxBytes"];
    frame.output.answer({ ...(usage ?? nothing), limit }, () =>
      usage === undefined ? frame.strings.store.empty : textOf(usage, limit, frame).join("\n"),
    );
  },
});

const nothing: Usage = {
  storedBytes: 0,
  objects: 0,
  sessions: [],
  workspaces: [],
  unreferencedBytes: 0,
  damaged: [],
};

function textOf(usage: Usage, limit: number, { strings }: Frame): string[] {
  const { store } = strings;
  const row = (name: string, { snapshots, ownBytes }: UsageOf) => [
    oneLine(name),
    store.row(snapshots, ownBytes),
  ];
  const indented = (rows: readonly (readonly string[])[]) => table(rows).map((line) => `  ${line}`);
  return [
    store.total(usage.storedBytes, usage.objects),
    store.limit(limit),
    store.unreferenced(usage.unreferencedBytes),
    store.perWorkspace,
    ...indented(usage.workspaces.map((each) => row(each.workspace, each))),
    store.perSession,
    ...indented(usage.sessions.map((each) => row(each.session, each))),
    ...(usage.damaged.length === 0 ? [] : [store.damagedSnapshots(usage.damaged.length)]),
  ];
}
