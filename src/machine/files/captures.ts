import type { Captured, Gap, KeptFor, WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { Author, DraftOf, RanCall } from "../../record/entry.ts";
import { isWorldlineError, type Remark, remark, remarkOf } from "../../record/error.ts";
import { type PathBytes, type PathChange, shownPath } from "../../record/files.ts";
import { type EntryId, type SnapshotId, toCheckpointNumber } from "../../record/ids.ts";
import { type PathSign, signLines } from "../../travel/logged-files.ts";
import { requireCheckpoint } from "../../travel/rewind.ts";
import { authorOf, lastSnapshot } from "./intervals.ts";
import { progressOf } from "./look.ts";
import type { WritingContext } from "./perform.ts";
import type { CaptureOptions, CaptureResult, ProgressOptions } from "./requests.ts";

/** The maximum number of gaps to list in a capture's entry. */
const MAX_GAPS = 3;

/**
 * Captures the files of a checkpoint and records the result. If the capture fails, the failure is recorded for the
 * user, but the turn continues.
 */
export async function captureCheckpoint(
  context: WritingContext,
  options: CaptureOptions,
): Promise<CaptureResult> {
  const { view, files } = context;
  const { checkpoint } = options;
  const captured = await tryCapture(files, await keptFor(context, checkpoint), options);
  const facts = options.ran?.() ?? { author: options.author, during: [] };
  const { author } = facts;
  const known = "snapshot" in captured ? describe(captured) : ({ state: "none", ...captured } as const);
  const calls = "snapshot" in captured ? await callsOf(context, facts, captured.snapshot) : {};
  const draft: DraftOf<"snapshot"> = {
    kind: "snapshot",
    checkpoint: toCheckpointNumber(checkpoint),
    author,
    ...known,
    ...calls,
    ...(view.sharedFrom === undefined || known.state === "none" ? {} : { machine: view.sharedFrom }),
  };
  const [entry] = await view.write([{ draft }]);
  return { ...known, entry: entry as EntryId };
}

async function keptFor({ view }: WritingContext, checkpoint: number): Promise<KeptFor> {
  const row = requireCheckpoint(view.outline, checkpoint);
  const label = (await view.labels(row.seq)).get(row.id);
  const [entry] = row.kind === "step" ? [] : await view.storedEntries([row.seq]);
  return {
    session: view.id,
    checkpoint,
    on: entry?.kind === "checkpoint" ? entry.on : "step",
    ...(label === undefined ? {} : { label }),
  };
}

async function tryCapture(
  files: WorkspaceFiles,
  kept: KeptFor,
  options: CaptureOptions,
): Promise<Captured | Remark> {
  try {
    return await files.capture({ keptFor: kept, look: options.look ?? "everything", ...progressOf(options) });
  } catch (error) {
    if (isWorldlineError(error, "CANCELLED")) throw error;
    return remarkOf(error);
  }
}

function describe({
  state,
  snapshot,
  gaps,
  gitHead,
}: Captured): Pick<Captured, "state" | "snapshot" | "gitHead"> & Partial<Remark> {
  return {
    state,
    snapshot,
    ...(state === "partial" ? gapsRemark(gaps) : {}),
    ...(gitHead === undefined ? {} : { gitHead }),
  };
}

function gapsRemark(gaps: readonly Gap[]): Remark {
  const paths = gaps.slice(0, MAX_GAPS).map(({ path, why }) => ({ path: shownPath(path), why }));
  return remark("capture-gaps", { count: gaps.length, paths });
}

export interface IntervalOptions extends ProgressOptions {
  readonly look: "everything" | readonly PathBytes[];
  /**
   * Returns what is known about the interval since the previous state. This function is called after the files are
   * captured, so that the result includes everything that ran before the capture.
   */
  readonly ran: () => IntervalFacts;
}

/** What is known about the interval since the previous state: what ran, and who changed files. */
export interface IntervalFacts {
  readonly author: Author;
  readonly during: readonly RanCall[];
  /** Finds paths that changed while a command ran, but were probably changed by the user. */
  readonly signs?: (changes: readonly PathChange[], before: SnapshotId) => Promise<readonly PathSign[]>;
}

export type IntervalResult =
  | { readonly state: "captured"; readonly snapshot: SnapshotId; readonly facts: IntervalFacts }
  | ({ readonly state: "failed" } & Remark);

/**
 * Captures the workspace during a turn, and records a state if the files differ from the previous state. A failure
 * does not stop the turn.
 */
export async function captureInterval(
  context: WritingContext,
  options: IntervalOptions,
): Promise<IntervalResult> {
  const { view, files } = context;
  try {
    const { snapshot } = await files.capture({ look: options.look, ...progressOf(options) });
    const facts = options.ran();
    if (snapshot === (await lastSnapshot(view))) return { state: "captured", snapshot, facts };
    await files.keep(
      { session: view.id, checkpoint: Math.max(1, view.outline.highestNumber), on: "step" },
      snapshot,
    );
    const { author } = facts;
    const machine = view.sharedFrom === undefined ? {} : { machine: view.sharedFrom };
    const calls = await callsOf(context, facts, snapshot);
    await view.write([{ draft: { kind: "interval", snapshot, author, ...machine, ...calls } }]);
    return { state: "captured", snapshot, facts };
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return { state: "failed", ...remarkOf(error) };
  }
}

/** The calls that ran, and the signs that the user changed files, in the form that an entry stores. */
async function callsOf(
  { view, files }: Pick<WritingContext, "view" | "files">,
  { author, during, signs }: IntervalFacts,
  snapshot: SnapshotId,
): Promise<{ readonly during?: readonly RanCall[]; readonly signs?: string }> {
  if (author === "outside" || during.length === 0) return {};
  const before = signs === undefined ? undefined : await lastSnapshot(view);
  if (signs === undefined || before === undefined || before === snapshot || !(await files.has(before)))
    return { during };
  const moment = { snapshot, author, during, by: "anyone" } as const;
  const doubtful = (await files.compare(before, snapshot)).filter(({ path }) => {
    const changed = authorOf(moment, path);
    return typeof changed !== "string" && changed.sign === undefined;
  });
  const pointing = doubtful.length === 0 ? [] : await signs(doubtful, before);
  return { during, ...(pointing.length === 0 ? {} : { signs: signLines(pointing) }) };
}
