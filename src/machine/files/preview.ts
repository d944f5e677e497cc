import type { SessionBody } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import { limitsOf } from "../../travel/logged-files.ts";
import type { FilesPlan } from "../../travel/plan-files.ts";
import type { JourneyEntry } from "../../travel/redo.ts";
import { requireCheckpoint } from "../../travel/rewind.ts";
import type { SessionView } from "../view.ts";
import { previewExternalRewind } from "./external-preview.ts";
import {
  capturePresent,
  type FilesContext,
  type FilesTarget,
  type LookRequest,
  lookAtFiles,
  type PreviewContext,
  targetOfCheckpoint,
  targetOfJourney,
} from "./look.ts";
import { lookOutside } from "./outside-files.ts";
import { NO_FILES } from "./perform.ts";
import type { FileChoices, FilesPreview, FilesPreviewOptions } from "./requests.ts";

/**
 * Returns what a rewind or a redo would do to the files. Captures the current files for the comparison, but does not
 * change them.
 */
export async function previewFiles(
  context: PreviewContext,
  options: FilesPreviewOptions,
): Promise<FilesPreview> {
  const { view, files } = context;
  if ("rewinder" in options && options.rewinder !== undefined) {
    return previewExternalRewind(context, { ...options, rewinder: options.rewinder });
  }
  const aim = await aimOf(view, options);
  const choice = "to" in options ? rewindChoice(view.header.mode) : "keep";
  const request = { options: { ...aim.limits, ...options }, choice };
  const covered = files === undefined ? UNCOVERED : await previewCovered({ view, files }, aim, request);
  const { files: outside } = await lookOutside(view, { ...request, line: aim.line });
  const steps = [...covered.plan.steps, ...outside.steps];
  return {
    ...covered.known,
    changes: [...covered.plan.changes, ...outside.changes],
    steps,
    kept: [...covered.plan.kept, ...outside.kept],
    conflicts: [...covered.plan.conflicts, ...outside.conflicts],
    during: covered.plan.during,
    deletions: steps.filter(({ after }) => after === undefined).length,
  };
}

interface Covered {
  readonly plan: FilesPlan;
  readonly known: Pick<FilesPreview, "target" | "present" | "gitHead" | "tracked">;
}

const UNCOVERED: Covered = { plan: NO_FILES, known: { gitHead: {}, tracked: "touched" } };

async function previewCovered(
  context: FilesContext,
  aim: Aim,
  request: Pick<LookRequest, "options" | "choice"> & { readonly options: FilesPreviewOptions },
): Promise<Covered> {
  const target = await aim.target(context);
  const present = await capturePresent(context, request.options);
  const gitHead = {
    ...(target.gitHead === undefined ? {} : { target: target.gitHead }),
    ...(present.gitHead === undefined ? {} : { present: present.gitHead }),
  };
  return {
    plan: await lookAtFiles(context, { ...request, target, present, merges: "tried" }),
    known: { target: target.snapshot, present: present.snapshot, gitHead },
  };
}

/**
 * The default choice for a rewind. In a session without an agent, all changes are the user's, and the user rewinds in
 * order to get the earlier files.
 */
export function rewindChoice(mode: SessionBody["mode"]): "keep" | "take" {
  return mode === "agent" ? "keep" : "take";
}

/** The state that the files would be restored to. */
interface Aim {
  readonly target: (context: FilesContext) => Promise<FilesTarget>;
  /** The line to go back to. Changes that tools made after this line are undone. */
  readonly line: number;
  readonly limits: Pick<FileChoices, "only">;
}

async function aimOf(view: SessionView, options: FilesPreviewOptions): Promise<Aim> {
  if ("to" in options) {
    const { to } = options;
    const { seq } = requireCheckpoint(view.outline, to);
    return { target: async (context) => targetOfCheckpoint(context, to), line: seq, limits: {} };
  }
  const row = view.outline.byId(options.journey);
  const [entry] = row === undefined ? [] : await view.entries([row.seq]);
  if (entry === undefined || !isJourneyEntry(entry)) {
    throw new WorldlineError("journey-unknown", { journey: options.journey });
  }
  return {
    target: async (context) => targetOfJourney(context, entry),
    line: lineBefore(entry),
    limits: limitsOf(entry),
  };
}

/** The last line before the journey. The changes that the journey made and all later changes come after this line. */
export function lineBefore(journey: JourneyEntry): number {
  return journey.seq - 1;
}

function isJourneyEntry(entry: { readonly kind: string }): entry is JourneyEntry {
  return entry.kind === "backtrack" || entry.kind === "rewind" || entry.kind === "redo";
}
