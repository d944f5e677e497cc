import { forkSession } from "../../../machine/journeys/fork.ts";
import { viewSession } from "../../../machine/open.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { optional, text } from "../../command/parameters.ts";
import { requireSession } from "../../timeline/choose-session.ts";
import { findCheckpoint } from "../../timeline/find-checkpoint.ts";
import { openGround } from "../../timeline/ground.ts";
import { withSession } from "../../timeline/with-session.ts";

export const fork = defineCommand({
  description:
    "Begins a new session with a copy of a branch, as it stands or up to a checkpoint. The source stays as it is; " +
    "files are not touched.",
  arguments: { session: optional("the session to fork (default: --session, else the one last used here)") },
  options: {
    at: text("<cp>", "up to this checkpoint: a number, session:number, or a label (default: the head)"),
  },
  examples: [
    { command: "worldline fork", meaning: "a second session that goes on from here" },
    { command: "worldline fork --at 12", meaning: "one that goes on from checkpoint 12" },
    { command: "worldline fork k3f9 --at 3", meaning: "from checkpoint 3 of another session" },
  ],
  run: async ({ arguments: { session }, options: { at }, frame: given }) => {
    const { output, strings } = given;
    const ground = await openGround(given);
    const frame = await withSession(given, ground.store, session);
    const { view, number } = await sourceOf(frame, ground.store, at);
    const id = await forkSession(ground, view, number === undefined ? {} : { at: number });
    const { outline } = await viewSession(ground.store, id);
    const document = { session: id, forkedFrom: view.id, at: number ?? null, entries: outline.length };
    output.answer(document, () =>
      [
        strings.journeys.forked(id, view.id),
        strings.journeys.forkHolds(outline.length, number),
        strings.journeys.openFork(id),
      ].join("\n"),
    );
  },
});

async function sourceOf(
  frame: Frame,
  store: LogStore,
  at: string | undefined,
): Promise<{ readonly view: SessionView; readonly number?: number }> {
  if (at === undefined) return { view: await requireSession(frame, store) };
  const { view, row } = await findCheckpoint(frame, store, at);
  return { view, number: row.number };
}
