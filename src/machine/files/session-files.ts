import { SerialQueue } from "../../disk/lock.ts";
import type { PathOutcome, UnfinishedRestore } from "../../ports/workspace-files.ts";
import type { Author, Entry, EntryOf } from "../../record/entry.ts";
import { isWorldlineError, type Remark, WorldlineError } from "../../record/error.ts";
import { isSameState, type PathChange } from "../../record/files.ts";
import type { EntryId, SnapshotId } from "../../record/ids.ts";
import { isJourney } from "../../timeline/row.ts";
import { detailOf } from "../../travel/logged-files.ts";
import { isCovered, keptRemark } from "../../travel/plan-files.ts";
import type { Present } from "../../travel/rewind.ts";
import { captureCheckpoint, captureInterval, type IntervalOptions, type IntervalResult } from "./captures.ts";
import { differing } from "./external-preview.ts";
import {
  capturePresent,
  type FilesPresent,
  type FilesTarget,
  filesAt,
  keepLeft,
  presentAuthor,
} from "./look.ts";
import type { OutsideFiles } from "./outside-files.ts";
import {
  captureReached,
  outcomeNotice,
  type WritingContext,
  type WritingView,
  withDetails,
  writeRestored,
} from "./perform.ts";
import { previewFiles } from "./preview.ts";
import type {
  CaptureOptions,
  CaptureResult,
  FilesAt,
  FilesPreview,
  FilesPreviewOptions,
  JourneyOptions,
  Settled,
  SettledRestore,
} from "./requests.ts";

/** The parts of a session that the user's journeys need. */
export interface JourneyDeps {
  readonly session: WritingView;
  readonly files: SessionFiles | undefined;
  /** The files that no snapshot covers; always defined if `files` is. */
  readonly outside: OutsideFiles | undefined;
  /** Drops the agent's request for a backtrack if it has not been carried out yet. */
  readonly dropRequest: (why: Remark) => Promise<void>;
}

/**
 * The files of a session whose lease this program holds. Captures and journeys run one at a time, so that none of them
 * sees an intermediate state of another.
 */
export class SessionFiles {
  readonly context: WritingContext;
  readonly #settleOthers: () => Promise<unknown>;
  readonly #queue = new SerialQueue();
  #settled: Settled = { restores: [] };

  constructor(context: WritingContext, settleOthers: () => Promise<unknown>) {
    this.context = context;
    this.#settleOthers = settleOthers;
  }

  /** The restores that were interrupted by a crash and finished when the session was opened, with their outcomes. */
  get settled(): Settled {
    return this.#settled;
  }

  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#queue.run(work);
  }

  async settle(): Promise<void> {
    this.#settled = await this.inTurn(async () => settleUnfinished(this.context));
  }

  /**
   * Finishes interrupted restores. Throws if a restore cannot be finished, because the next restore would start from a
   * half-restored workspace.
   */
  async requireSettled(): Promise<void> {
    const { files } = this.context;
    if ((await files.unfinished()).length === 0) return;
    const { trouble } = await settleUnfinished(this.context);
    if (trouble !== undefined) throw trouble;
    await this.#settleOthers();
    if ((await files.unfinished()).length === 0) return;
    throw new WorldlineError("restore-unfinished-here", {});
  }

  async capture(options: CaptureOptions): Promise<CaptureResult> {
    return this.inTurn(async () => captureCheckpoint(this.context, options));
  }

  async observe(options: IntervalOptions): Promise<IntervalResult> {
    return this.inTurn(async () => captureInterval(this.context, options));
  }

  /**
   * What is known about a checkpoint's files. Waits for any capture in progress, so that "pending" always means that no
   * capture is running.
   */
  async at(checkpoint: number): Promise<FilesAt> {
    const { view, files } = this.context;
    return this.inTurn(async () => filesAt(view, files, checkpoint));
  }

  async preview(options: FilesPreviewOptions): Promise<FilesPreview> {
    return this.inTurn(async () => previewFiles(this.context, options));
  }

  async label(checkpoint: number, label: string): Promise<void> {
    const { view, files } = this.context;
    // Waits for any capture in progress, because its snapshot would otherwise be stored with the checkpoint's old
    // label.
    await this.inTurn(async () => files.label(view.id, checkpoint, label));
  }

  /**
   * The current files and their differences from the destination, for a journey that leaves the files unchanged. Such
   * a journey does not depend on the files, so it is possible even if the workspace cannot be captured.
   */
  async comparePresent(target: FilesTarget | undefined, options: JourneyOptions): Promise<ComparedPresent> {
    const author = await presentAuthor(this.context.view, options);
    try {
      const present = await capturePresent(this.context, options);
      const differ = target === undefined ? [] : await this.#differing(present, target);
      return { author, present, differ };
    } catch (error) {
      if (!isWorldlineError(error) || error.code === "CANCELLED") throw error;
      return { author, differ: [] };
    }
  }

  /**
   * Returns the state before a journey that does not change the files. Its snapshot is protected if possible. If that
   * fails, the journey does not refer to the snapshot.
   */
  async leave({ author, present }: Pick<ComparedPresent, "author" | "present">): Promise<Present> {
    if (present === undefined) return { author };
    try {
      await keepLeft(this.context, present);
      return present;
    } catch (error) {
      if (!isWorldlineError(error)) throw error;
      return { author };
    }
  }

  async #differing(present: FilesPresent, target: FilesTarget): Promise<readonly PathChange[]> {
    const changes = await this.context.files.compare(target.snapshot, present.snapshot);
    return changes.filter(({ before, after }) => !isSameState(before, after));
  }
}

interface ComparedPresent {
  /** Who has changed the files since the last recorded state, even if the current files could not be captured. */
  readonly author: Author;
  readonly present?: FilesPresent;
  readonly differ: readonly PathChange[];
}

/**
 * Finishes the restores that a crash interrupted. A restore whose journey is in the log continues where it stopped. If
 * the journey is not in the log, the restore is discarded, because the journey never began. A restore that cannot be
 * finished now does not prevent the session from opening.
 */
async function settleUnfinished(context: WritingContext): Promise<Settled> {
  const restores: SettledRestore[] = [];
  try {
    for (const unfinished of await context.files.unfinished()) {
      if (unfinished.session === context.view.id) restores.push(...(await settleOne(context, unfinished)));
    }
    restores.push(...(await settleExternalRewinds(context)));
    return { restores };
  } catch (error) {
    return { restores, trouble: toSettleError(error) };
  }
}

/** Finishes one restore. Returns no outcomes if the only thing left to do was to remove the journal. */
async function settleOne(
  context: WritingContext,
  unfinished: UnfinishedRestore,
): Promise<readonly SettledRestore[]> {
  const { view, files } = context;
  const begun = await begunJourney(context, unfinished);
  if (begun === undefined) {
    return [{ session: view.id, paths: await files.settle(unfinished, "discard") }];
  }
  const journey = begun.entry.id;
  // The restore had already ended. Continuing it would undo changes that the user has made since then.
  if (begun.state === "ended") {
    await files.settle(unfinished, "discard");
    return [];
  }
  let beside: readonly PathOutcome[] = [];
  const paths = await files.settle(unfinished, "forward", async (covered, capture) => {
    beside = await context.outside.finish(begun.entry);
    const outcomes = [...withDetails(covered, unfinished), ...beside];
    const reached = await captureReached(view.id, unfinished.steps, capture);
    const snapshot = (await isOwnWork(context, unfinished, reached)) ? reached : undefined;
    const text = outcomeNotice("An interrupted restore of files has been finished.", outcomes);
    await writeRestored(context, { journey, paths: outcomes, snapshot, text });
  });
  return [{ session: view.id, journey, paths: [...withDetails(paths, unfinished), ...beside] }];
}

/**
 * Checks whether the two states differ only by the restore's own changes. Files may also have been changed from outside
 * after the crash. Such changes must not be attributed to the timeline, because later journeys overwrite the timeline's
 * changes.
 */
async function isOwnWork(
  { files }: WritingContext,
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

/**
 * Compares the two states if possible. The earlier state's snapshot may now be missing or damaged, which must not
 * prevent the restore from finishing.
 */
async function tryToCompare(
  files: WritingContext["files"],
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
  /** "ended": the outcome for the journey's files is in the log, and only the journal remains to be removed. */
  readonly state: "open" | "ended";
}

/**
 * Finds the journey that this journal describes, if the journey was written to the log. The search begins at the newest
 * entry, because the journey is near the end of the log.
 */
async function begunJourney(
  { view }: WritingContext,
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

async function isEnded(view: WritingContext["view"], journey: EntryId): Promise<boolean> {
  const ends = await view.storedEntries(view.outline.linesOf("restored"));
  return ends.some((entry) => entry.kind === "restored" && entry.journey === journey);
}

/** The error for a restore that could not be finished. The session is opened anyway. */
export function toSettleError(error: unknown): WorldlineError {
  if (isWorldlineError(error)) return error;
  return new WorldlineError("restore-unfinished", {}, { cause: error });
}

/**
 * Handles rewinds that another agent was supposed to perform and whose end is not in the log. Such a rewind cannot be
 * continued here, so its result is determined and recorded. The rewind then no longer counts as unfinished, and a redo
 * can restore the files to their state before it.
 */
async function settleExternalRewinds(context: WritingContext): Promise<readonly SettledRestore[]> {
  const { view } = context;
  const settled: SettledRestore[] = [];
  for (const journey of await openJourneys(context)) {
    const beside = await context.outside.finish(journey);
    const { paths, snapshot } = await outcomeAfterCrash(context, journey);
    const outcomes = [...paths, ...beside];
    const text = outcomeNotice("A rewind of files was interrupted and may be incomplete.", outcomes);
    await writeRestored(context, { journey: journey.id, paths: outcomes, snapshot, text });
    settled.push({ session: view.id, journey: journey.id, paths: outcomes });
  }
  return settled;
}

/**
 * Unfinished rewinds by other agents. A journey changes files only after all earlier journeys have ended, so only
 * journeys after the last recorded end can be unfinished.
 */
async function openJourneys({ view }: WritingContext): Promise<readonly EntryOf<"rewind">[]> {
  const lastEnd = view.outline.linesOf("restored").at(-1) ?? 0;
  const lines = view.outline.linesOf("rewind").filter((line) => line > lastEnd);
  const entries = await view.entries(lines);
  return entries.filter((entry) => entry.kind === "rewind").filter(({ through }) => through !== undefined);
}

interface Found {
  readonly paths: readonly PathOutcome[];
  /**
   * Undefined if files may have been changed from outside since the crash, because such changes must not be attributed
   * to the timeline.
   */
  readonly snapshot: Awaited<ReturnType<WritingContext["files"]["capture"]>>["snapshot"] | undefined;
}

async function outcomeAfterCrash(
  { view, files }: WritingContext,
  journey: EntryOf<"rewind">,
): Promise<Found> {
  const { left, to } = journey;
  const target = await filesAt(view, files, to);
  const isKnown = target.state === "complete" || target.state === "partial";
  if (left === undefined || !isKnown || !(await files.has(left))) return { paths: [], snapshot: undefined };
  const { snapshot } = await files.capture({
    keptFor: { session: view.id, journey: "reached" },
    look: "everything",
  });
  const changed = await differing(files, left, snapshot);
  const differ = await differing(files, snapshot, target.snapshot);
  const others = new Set(differ.map(({ path }) => path));
  const own = changed.filter(({ path }) => !others.has(path));
  return {
    paths: [
      ...own.map(
        ({ path, before, after }): PathOutcome => ({ path, outcome: "restored", ...detailOf(before, after) }),
      ),
      ...differ.map(({ path }): PathOutcome => ({ path, outcome: "kept", ...keptRemark("cut-off") })),
    ],
    snapshot: own.length === changed.length ? snapshot : undefined,
  };
}
