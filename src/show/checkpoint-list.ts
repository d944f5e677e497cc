import type { CheckpointView } from "../machine/checkpoint-list.ts";
import type { SessionView } from "../machine/view.ts";

export interface ListedCheckpoint {
  readonly view: SessionView;
  readonly checkpoint: CheckpointView;
}

/** The checkpoints of the first session, then those of all others by time; newest first. */
export async function listCheckpoints(
  views: readonly SessionView[],
  { steps }: { readonly steps: "shown" | "hidden" },
): Promise<readonly ListedCheckpoint[]> {
  const listed: ListedCheckpoint[] = [];
  for (const view of views) {
    for (const checkpoint of await view.checkpoints()) {
      // A step that somebody named is a place that somebody wants to find.
      const isShown = checkpoint.on !== "step" || steps === "shown" || checkpoint.label !== undefined;
      if (isShown) listed.push({ view, checkpoint });
    }
  }
  const rank = ({ view }: ListedCheckpoint) => (view === views[0] ? 0 : 1);
  return listed.sort(
    (a, b) =>
      rank(a) - rank(b) || b.checkpoint.at - a.checkpoint.at || b.checkpoint.number - a.checkpoint.number,
  );
}
