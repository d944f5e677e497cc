import type { SessionView } from "../../machine/view.ts";
import type { Scope } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import type { EntryId } from "../../record/ids.ts";
import type { Outline } from "../../timeline/outline.ts";
import { nearest } from "../../timeline/outline.ts";
import { isCheckpoint } from "../../timeline/row.ts";
import { hasWorkSince, type JourneyEntry, planRedo } from "../../travel/redo.ts";
import { type Effect, effectOf, noEffect } from "../checkpoints/distance.ts";
import { type FilesHere, isTouchedOnly } from "../files/files.ts";

/** What a redo does, worked out before it is made. */
export interface RedoPreview {
  readonly undone: JourneyEntry;
  /** That of the journey, unless another one is wanted. */
  readonly scope: Scope;
  readonly effect: Effect;
  /** What happened after the journey, and is left by this; absent where nothing did. */
  readonly newer?: NewerWork;
}

export interface NewerWork {
  /** The newest checkpoint of the branch that is left. */
  readonly checkpoint: number;
}

export interface RedoAim {
  readonly wanted: EntryId | undefined;
  readonly scope?: Scope | undefined;
}

/** Throws as the redo itself would, so that a refusal comes before anything is held. */
export async function previewRedo(
  view: SessionView,
  { wanted, scope: given }: RedoAim,
): Promise<RedoPreview> {
  const journeys = (await view.journeys()).map(({ entry }) => entry);
  const request = {
    journeys,
    ...(wanted === undefined ? {} : { wanted }),
    ...(given === undefined ? {} : { scope: given }),
  };
  const plan = planRedo(view.outline, request, {});
  const [move] = plan.moves;
  if (move?.do === "append" && move.body.kind === "redo") {
    const { journey, scope } = move.body;
    const undone = journeys.find(({ id }) => id === journey);
    const place = view.outline.byId(move.parent);
    if (undone !== undefined && place !== undefined) {
      const effect = scope === "files" ? noEffect(view.outline) : effectOf(view.outline, place);
      return { undone, scope, effect, ...newerWork(view.outline, undone) };
    }
  }
  throw new WorldlineError("redo-leads-nowhere", {});
}

function newerWork(outline: Outline, undone: JourneyEntry): Pick<RedoPreview, "newer"> {
  if (!hasWorkSince(outline, undone.seq)) return {};
  return { newer: { checkpoint: nearest(outline, outline.head, isCheckpoint)?.number ?? 0 } };
}

/** Whether the conversation goes forward alone: because the journey took nothing else, or the files cannot be had. */
export function isTalk(here: FilesHere, { scope }: Pick<RedoPreview, "scope">): boolean {
  return scope === "conversation" || (here.state !== "on" && !isTouchedOnly(here));
}
