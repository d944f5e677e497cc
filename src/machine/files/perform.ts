import type { PathOutcome, RestoreFinished, RestoreStep } from "../../ports/workspace-files.ts";
import type { DraftOf } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import type { EntryId, SessionId, SnapshotId } from "../../record/ids.ts";
import { isJourney } from "../../timeline/row.ts";
import { keptText } from "../../travel/files/kept.ts";
import { outcomeLines } from "../../travel/files/outcome-lines.ts";
import type { FilesPlan } from "../../travel/files/plan-files.ts";
import { requireHead } from "../../travel/rewind.ts";
import type { SessionView } from "../view.ts";
import type { Placed } from "../writing/stamp.ts";
import type { FilesGround, FilesPresent } from "./look.ts";
import type { FilesOutcome, Patience } from "./requests.ts";
import { toldOfOutcomes, toldTogether } from "./told.ts";

/** The session, as far as a journey writes to it. */
export interface WritingView extends SessionView {
  write(placed: readonly Placed[]): Promise<readonly EntryId[]>;
}

export interface WritingGround extends FilesGround {
  readonly view: WritingView;
}

/** A journey that is decided: the present is captured, and what becomes of each path is known. */
export interface DecidedJourney extends Patience {
  readonly present: FilesPresent;
  readonly plan: FilesPlan;
  /** Plans once more and writes the journey, below the head that it is made from. */
  readonly write: () => Promise<EntryId>;
  /**
   * What the model is told before the names of the files. Without it, it knows the plan already, and is told what
   * came otherwise.
   */
  readonly told?: string;
  /** What it is told besides, whatever became of the files. */
  readonly aside?: string | undefined;
}

export interface MadeJourney {
  readonly journey: EntryId;
  readonly files: FilesOutcome;
}

/**
 * Makes a journey: the restore's journal, then the log, then the files, then what became of them, and then the journal
 * goes. A crash after any of these leaves a session that opens, and either a journey that can be finished or none.
 */
export async function makeJourney(ground: WritingGround, decided: DecidedJourney): Promise<MadeJourney> {
  const { plan, present } = decided;
  if (plan.steps.length > 0) return restore(ground, decided);
  const journey = await decided.write();
  return writeEnd(ground, decided, { journey, outcomes: [], snapshot: present.snapshot });
}

interface JourneyEnd {
  readonly journey: EntryId;
  readonly outcomes: readonly PathOutcome[];
  readonly snapshot: SnapshotId | undefined;
}

async function writeEnd(
  ground: WritingGround,
  { plan, told, aside }: DecidedJourney,
  { journey, outcomes, snapshot }: JourneyEnd,
): Promise<MadeJourney> {
  const kept = plan.kept.map(({ path, why }): PathOutcome => ({ path, outcome: "kept", why: keptText[why] }));
  const paths = [...outcomes, ...kept].sort((a, b) => (a.path < b.path ? -1 : 1));
  const surprises = outcomes.filter(({ outcome }) => outcome !== "restored");
  const text =
    told === undefined
      ? toldOfOutcomes("Not all files could be taken back.", surprises)
      : toldOfOutcomes(told, paths);
  await writeRestored(ground, { journey, paths, snapshot, text: toldTogether(text, aside) });
  return { journey, files: { paths, ...countsOf(paths), differ: [] } };
}

/** What became of a journey's files, and, in an agent's session, what the model has to know of it. */
export async function writeRestored(
  { view }: WritingGround,
  end: {
    readonly journey: EntryId;
    readonly paths: readonly PathOutcome[];
    readonly snapshot: SnapshotId | undefined;
    /** What the model has to know of it. */
    readonly text: string | undefined;
  },
): Promise<void> {
  const { journey, paths, snapshot, text } = end;
  const isTold = text !== undefined && view.header.mode === "agent";
  await view.write([
    { draft: restoredDraft(journey, paths, snapshot) },
    ...(isTold ? [{ draft: { kind: "notice", text } as const }] : []),
  ]);
}

async function restore(ground: WritingGround, decided: DecidedJourney): Promise<MadeJourney> {
  const { view, files } = ground;
  const { plan, present, onProgress } = decided;
  const from = requireHead(view.outline).id;
  let journey: EntryId | undefined;
  let made: MadeJourney | undefined;
  const commit = async (): Promise<void> => {
    if (view.outline.head?.id !== from) throw wentOn();
    const line = view.outline.nextSeq;
    try {
      journey = await decided.write();
    } catch (error) {
      noteUntouched(ground, { line, plan, left: present.snapshot });
      throw error;
    }
  };
  const finished: RestoreFinished = async (outcomes, capture) => {
    if (journey === undefined) return;
    const snapshot = await captureReached(view.id, plan.steps, capture);
    made = await writeEnd(ground, decided, { journey, outcomes, snapshot });
  };
  await files.restore({
    session: view.id,
    journey: { from, left: present.snapshot },
    steps: plan.steps,
    commit,
    finished,
    ...(onProgress === undefined
      ? {}
      : { onProgress: (done, of) => onProgress({ doing: "restore", done, of }) }),
  });
  if (made === undefined) throw new WorldlineError("REWIND_REFUSED", "The journey was not written down.");
  return made;
}

/**
 * A journey that the store cannot take waits in memory, and is written when it can. The files were not touched,
 * and that is to be written with it: else the next one to open the session would think it was cut off.
 */
function noteUntouched(
  { view }: WritingGround,
  { line, plan, left }: { readonly line: number; readonly plan: FilesPlan; readonly left: SnapshotId },
): void {
  // A line that begins a file may have come in between.
  const waiting = [line, line + 1].map((at) => view.outline.at(at)).find((row) => row && isJourney(row.kind));
  if (waiting === undefined) return;
  const paths = plan.steps.map(
    ({ path }): PathOutcome => ({ path, outcome: "kept", why: "the journey could not be written down" }),
  );
  // Whoever awaits the journey is told why the store refused; this waits with it, and says the same.
  view.write([{ draft: restoredDraft(waiting.id, paths, left) }]).catch(() => undefined);
}

/** Should this fail, the journey was made all the same, and the next capture says how the files are. */
export async function captureReached(
  session: SessionId,
  steps: readonly RestoreStep[],
  capture: Parameters<RestoreFinished>[1],
): Promise<SnapshotId | undefined> {
  try {
    const { snapshot } = await capture({
      keptFor: { session, journey: "reached" },
      look: steps.map(({ path }) => path),
    });
    return snapshot;
  } catch {
    return undefined;
  }
}

function restoredDraft(
  journey: EntryId,
  paths: readonly PathOutcome[],
  snapshot: SnapshotId | undefined,
): DraftOf<"restored"> {
  return {
    kind: "restored",
    journey,
    ...countsOf(paths),
    paths: outcomeLines(paths),
    ...(snapshot === undefined ? {} : { snapshot }),
  };
}

function countsOf(paths: readonly PathOutcome[]): Pick<FilesOutcome, "restored" | "kept" | "failed"> {
  const count = (wanted: PathOutcome["outcome"]): number =>
    paths.filter(({ outcome }) => outcome === wanted).length;
  return { restored: count("restored"), kept: count("kept"), failed: count("failed") };
}

function wentOn(): WorldlineError {
  return new WorldlineError("REWIND_REFUSED", "The session went on while its files were looked at.", {
    hint: "Nothing was changed. Try again.",
  });
}
