import { isWorldlineError, WorldlineError } from "../../../record/error.ts";
import type { EntryId } from "../../../record/ids.ts";
import type { OutsideChange, OutsideState } from "../../../record/outside.ts";
import { outcomeCounts } from "../../../travel/files/outcome-lines.ts";
import type { Present } from "../../../travel/journey.ts";
import { keepLeft } from "../look.ts";
import { lookAtPath, stateOf } from "../outside/look-at-path.ts";
import type { DecidedOutside, OutsideFiles } from "../outside/outside-files.ts";
import { type MadeJourney, NO_FILES, type WritingView, writeRestored } from "../perform.ts";
import type { SessionFiles } from "../session-files.ts";
import { toldOfGit, toldOfOutcomes, toldTogether } from "../told.ts";
import { lookThrough, type ThroughLook, type ThroughWish } from "./look-through.ts";
import { reachedThrough } from "./outcomes-through.ts";
import { withOwnSnapshots } from "./own-snapshots.ts";

/** Where such a rewind is made: also where files are not captured, and then it cannot be undone. */
export interface ThroughSession {
  readonly session: WritingView;
  readonly files: SessionFiles | undefined;
  readonly outside: OutsideFiles | undefined;
  readonly dropRequest: (why: string) => Promise<void>;
}

export interface ThroughTrip {
  readonly wish: ThroughWish;
  /** The line of the checkpoint. */
  readonly line: number;
  /** Whether there would be nothing to do but for the files. */
  readonly conversation: "goes" | "stays";
  /** Plans and writes the journey. */
  readonly write: (present: Present) => Promise<EntryId>;
  readonly dropped: string;
}

/**
 * The files of a rewind, taken back by another agent: the present is captured, so that redo brings it back by our snapshots;
 * then the log; then the other agent; then what became of it is looked at and written down.
 */
export async function rewindThrough(ground: ThroughSession, trip: ThroughTrip): Promise<MadeJourney> {
  const { session, files, outside, dropRequest } = ground;
  const { wish } = trip;
  const { to, through } = wish;
  await files?.requireSettled();
  await outside?.settle();
  const known = { view: session, files: files?.ground.files };
  const look = await lookThrough(known, wish);
  if (trip.conversation === "stays" && look.inside.length + look.beside.length === 0)
    throw nothingKnown(look, wish);
  const besideBefore = await statesOf(look.beside);
  const decided = await decideBeside(outside, look, { line: trip.line, before: besideBefore });
  await dropRequest(trip.dropped);
  if (files !== undefined && look.present !== undefined) await keepLeft(files.ground, look.present);
  const journey = await trip.write({ ...look.present, outside: decided?.changes ?? [] });
  const trouble = await troubleOf(() => withOwnSnapshots(known, to, async () => through.rewind(look.place)));
  const { snapshot, outcomes } = await reachedThrough({
    session: session.id,
    files: known.files,
    look,
    besideBefore,
    trouble,
  });
  const paths = [...outcomes].sort((a, b) => (a.path < b.path ? -1 : 1));
  const told = `The person had the ${through.name} take files back to how it knew them at checkpoint ${to}.`;
  const text = toldTogether(toldOfOutcomes(told, paths), toldOfGit(look.target, look.present));
  await writeRestored({ view: session }, { journey, paths, snapshot, text });
  return {
    journey,
    files: {
      paths,
      ...outcomeCounts(paths),
      differ: [],
      through: {
        name: through.name,
        undo: isKept(look, decided) ? "captured" : "not-captured",
        ...(trouble === undefined ? {} : { trouble }),
      },
    },
  };
}

/** Whether all that stood there can be brought back. */
function isKept({ present, beside }: ThroughLook, decided: DecidedOutside | undefined): boolean {
  const isBesideKept = (decided?.changes.length ?? 0) === beside.length;
  return isBesideKept && (present !== undefined || decided !== undefined);
}

/** The journey is in the log: what goes wrong from here on is its outcome. */
async function troubleOf(work: () => Promise<void>): Promise<WorldlineError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (isWorldlineError(error)) return error;
    throw error;
  }
}

async function statesOf(paths: readonly string[]): Promise<readonly (OutsideState | undefined)[]> {
  const states: (OutsideState | undefined)[] = [];
  for (const path of paths) states.push(stateOf(await lookAtPath(path)));
  return states;
}

/** Keeps what stands where no snapshot reaches. What it will become is only known where a tool of ours had kept it. */
async function decideBeside(
  outside: OutsideFiles | undefined,
  { beside }: ThroughLook,
  { line, before }: { readonly line: number; readonly before: readonly (OutsideState | undefined)[] },
): Promise<DecidedOutside | undefined> {
  if (outside === undefined || beside.length === 0) return undefined;
  const planned = await outside.look({ line, wish: {}, choice: "take" });
  const known = new Map(planned.steps.map((step) => [step.path, step]));
  const steps = beside.map((path, index): OutsideChange => {
    const now = before[index];
    return known.get(path) ?? { path, ...(now === undefined ? {} : { before: now, after: now }) };
  });
  return outside.decide({ steps, files: NO_FILES });
}

function nothingKnown({ untracked, target }: ThroughLook, { to, through }: ThroughWish): WorldlineError {
  const differ = target === undefined ? 0 : untracked.length;
  return new WorldlineError("host-knows-no-change", { host: through.name, checkpoint: to, differ });
}
