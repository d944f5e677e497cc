import { systemClock } from "../../../disk/system-clock.ts";
import type { WorkspaceState } from "../../../finder/states.ts";
import type { CheckpointView } from "../../../machine/checkpoint-list.ts";
import type { SessionView } from "../../../machine/view.ts";
import { relativeTime } from "../../../show/time.ts";
import type { Frame } from "../../frame.ts";

/** What people call states. */
export interface PlaceNames {
  /** `#12 of k3f9x2m7q1 (2 min ago)`; "now" for a present that no checkpoint has. */
  name(state: WorkspaceState | undefined, end?: "first" | "last"): string;
  /** What is known of the checkpoint. */
  view(state: WorkspaceState | undefined, end?: "first" | "last"): CheckpointView | undefined;
}

export async function placeNames(frame: Frame, views: readonly SessionView[]): Promise<PlaceNames> {
  const { find, time } = frame.strings;
  const checkpoints = new Map<string, CheckpointView>();
  for (const view of views) {
    for (const each of await view.checkpoints()) checkpoints.set(`${view.id}:${each.number}`, each);
  }
  const placeOf = (state: WorkspaceState | undefined, end: "first" | "last") =>
    state?.places.at(end === "first" ? 0 : -1);
  return {
    name(state, end = "first") {
      const place = placeOf(state, end);
      if (place === undefined) return find.present;
      const { checkpoint, session, at } = place;
      return find.checkpoint(checkpoint, session, relativeTime(at, systemClock.now(), time));
    },
    view(state, end = "first") {
      const place = placeOf(state, end);
      return place && checkpoints.get(`${place.session}:${place.checkpoint}`);
    },
  };
}
