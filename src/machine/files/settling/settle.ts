import type { PathOutcome, UnfinishedRestore } from "../../../ports/workspace-files.ts";
import type { Entry } from "../../../record/entry.ts";
import { isWorldlineError, WorldlineError } from "../../../record/error.ts";
import { isSameState, type PathChange } from "../../../record/files.ts";
import type { EntryId, SnapshotId } from "../../../record/ids.ts";
import { isJourney } from "../../../timeline/row.ts";
import { isCovered } from "../covered.ts";
import { captureReached, type WritingGround, withDetails, writeRestored } from "../perform.ts";
import type { Settled, SettledRestore } from "../requests.ts";
import { toldOfOutcomes } from "../told.ts";
import { settleThrough } from "./settle-through.ts";

/**
 * Finishes what a crash has cut off: a restore whose journey is in the log goes on from where it stopped, one
 * whose journey is not never began. A restore that cannot be finished now does not keep the session from opening.
 */
export async function settleUnfinished(ground: WritingGround): Promise<Settled> {
  const restores: SettledRestore[] = [];
  try {
    for (const unfinished of await ground.files.unfinished()) {
      if (unfinished.session === ground.view.id) restores.push(...(await settleOne(ground, unfinished)));
    }
    restores.push(...(await settleThrough(ground)));
    return { restores };
  } catch (error) {
    return { restores, trouble: asTrouble(error) };
  }
}

/** None where all had been done, and only the journal was left. */
async function settleOne(
  ground: WritingGround,
  unfinished: UnfinishedRestore,
): Promise<readonly SettledRestore[]> {
  const { view, files } = ground;
  const begun = await begunJourney(ground, unfinished);
  if (begun === undefined) {
    return [{ session: view.id, paths: await files.settle(unfinished, "discard") }];
  }
  const journey = begun.entry.id;
  // What the person did since must not be undone by what has come to its end already.
  if (begun.state === "ended") {
    await files.settle(unfinished, "discard");
    return [];
  }
  let beside: readonly PathOutcome[] = [];
  const paths = await files.settle(unfinished, "forward", async (covered, capture) => {
    beside = await ground.outside.finish(begun.entry);
    const outcomes = [...withDetails(covered, unfinished), ...beside];
    const reached = await captureReached(view.id, unfinished.steps, capture);
    const snapshot = (await isOwnWork(ground, unfinished, reached)) ? reached : undefined;
    const text = toldOfOutcomes("A journey that was cut off has been finished.", outcomes);
    await writeRestored(ground, { journey, paths: outcomes, snapshot, text });
  });
  return [{ session: view.id, journey, paths: [...withDetails(paths, unfinished), ...beside] }];
}

/**
 * Whether the restore alone led from what was left to what was reached. Between the crash and now others may have changed
 * files, and what they did must not be taken for the timeline's, which later journeys overwrite.
 */
async function isOwnWork(
  { files }: WritingGround,
  { journey, steps }: UnfinishedRestore,
  reached: SnapshotId | undefined,
): Promise<boolean> {
  if (reached === undefined) return false;
  const stepsByPath = new Map(steps.map((step) => [step.path, step]));
  const changes = await tryToCompare(files, journey.left, reached);
  const isOwn = changes?.filter(isCovered(changes)).every(({ path, before, after }) => {
    const step = stepsByPath.get(path);
    return isSameState(before, after) || (step !== undefined && isSameState(after, step.after));
  });
  return isOwn ?? false;
}

/** What was left may be gone or damaged by now, which must not keep the restore from its end. */
async function tryToCompare(
  files: WritingGround["files"],
  before: SnapshotId,
  after: SnapshotId,
): Promise<readonly PathChange[] | undefined> {
  try {
    return await files.compare(before, after);
  } catch (error) {
    if (isWorldlineError(error)) return undefined;
    throw error;
  }
}

interface Begun {
  readonly entry: Entry;
  /** "ended": what became of its files is in the log, so only the journal was left behind. */
  readonly state: "open" | "ended";
}

/** The journey that wrote this journal, where it came as far as the log. Newest first: that is where it is. */
async function begunJourney(
  { view }: WritingGround,
  { journey }: UnfinishedRestore,
): Promise<Begun | undefined> {
  const lines = view.outline
    .rows()
    .filter(({ kind }) => isJourney(kind))
    .map(({ seq }) => seq);
  for (const line of lines.reverse()) {
    const [entry] = await view.entries([line]);
    if (entry === undefined || !("from" in entry) || !("left" in entry)) continue;
    if (entry.from !== journey.from || entry.left !== journey.left) continue;
    return { entry, state: (await isEnded(view, entry.id)) ? "ended" : "open" };
  }
  return undefined;
}

async function isEnded(view: WritingGround["view"], journey: EntryId): Promise<boolean> {
  const ends = await view.storedEntries(view.outline.linesOf("restored"));
  return ends.some((entry) => entry.kind === "restored" && entry.journey === journey);
}

/** Why something could not be finished; the session opens all the same. */
export function asTrouble(error: unknown): WorldlineError {
  if (isWorldlineError(error)) return error;
  return new WorldlineError("restore-unfinished", {}, { cause: error });
}
