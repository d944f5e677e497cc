import { WorldlineError } from "../../record/error.ts";
import { limitsOf } from "../../travel/files/limits.ts";
import type { JourneyEntry } from "../../travel/redo.ts";
import { capturePresent, type FilesGround, type FilesTarget, lookAtFiles } from "./look.ts";
import type { FilesPreview, FilesWish, PreviewWish } from "./requests.ts";
import { targetOfCheckpoint, targetOfJourney } from "./targets.ts";

/** What a rewind or a redo would do to the files. Changes nothing; the present is captured to look at it. */
export async function previewFiles(ground: FilesGround, wish: PreviewWish): Promise<FilesPreview> {
  const { target, limits } = await aimOf(ground, wish);
  const present = await capturePresent(ground, wish);
  const choice = "to" in wish ? rewindChoice(ground.view.header.mode) : "keep";
  const { changes, steps, kept, conflicts } = await lookAtFiles(ground, {
    target,
    present,
    wish: { ...limits, ...wish },
    choice,
  });
  return {
    target: target.snapshot,
    present: present.snapshot,
    changes,
    steps,
    kept,
    conflicts,
    deletions: steps.filter(({ after }) => after === undefined).length,
    gitHead: {
      ...(target.gitHead === undefined ? {} : { target: target.gitHead }),
      ...(present.gitHead === undefined ? {} : { present: present.gitHead }),
    },
  };
}

/** Where no agent works, all is the person's own: they go back to get what they had. */
export function rewindChoice(mode: "agent" | "workspace"): "keep" | "take" {
  return mode === "workspace" ? "take" : "keep";
}

interface Aim {
  readonly target: FilesTarget;
  readonly limits: Pick<FilesWish, "only">;
}

async function aimOf(ground: FilesGround, wish: PreviewWish): Promise<Aim> {
  if ("to" in wish) return { target: await targetOfCheckpoint(ground, wish.to), limits: {} };
  const row = ground.view.outline.byId(wish.journey);
  const [entry] = row === undefined ? [] : await ground.view.entries([row.seq]);
  if (entry === undefined || !isJourneyEntry(entry)) {
    throw new WorldlineError("JOURNEY_UNKNOWN", `There is no journey ${wish.journey} in this session.`, {
      hint: "See all journeys: worldline redo --list",
    });
  }
  return { target: await targetOfJourney(ground, entry), limits: limitsOf(entry) };
}

function isJourneyEntry(entry: { readonly kind: string }): entry is JourneyEntry {
  return entry.kind === "backtrack" || entry.kind === "rewind" || entry.kind === "redo";
}
