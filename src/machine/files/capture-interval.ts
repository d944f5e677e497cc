import type { Author, RanCall } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { PathBytes, PathChange } from "../../record/files.ts";
import type { SnapshotId } from "../../record/ids.ts";
import { type PathSign, signLines } from "../../travel/files/signs.ts";
import { authorOf, lastSnapshot } from "./intervals.ts";
import { patienceOf } from "./look.ts";
import type { WritingGround } from "./perform.ts";
import type { Patience } from "./requests.ts";

export interface IntervalWish extends Patience {
  readonly look: "everything" | readonly PathBytes[];
  /** Asked when the files have been captured: what ran until then counts. */
  readonly ran: () => IntervalFacts;
}

/** What a program knows of the time between the state before and this one. */
export interface IntervalFacts {
  readonly author: Author;
  readonly during: readonly RanCall[];
  /** Which of these paths, that changed while a command ran, were probably changed by the user. */
  readonly signs?: (changes: readonly PathChange[], before: SnapshotId) => Promise<readonly PathSign[]>;
}

export type IntervalResult =
  | { readonly state: "captured"; readonly snapshot: SnapshotId; readonly facts: IntervalFacts }
  | { readonly state: "failed"; readonly why: string };

/** Captures the workspace inside a turn, and writes down what differs from the state before. A failure stops nothing. */
export async function captureInterval(ground: WritingGround, wish: IntervalWish): Promise<IntervalResult> {
  const { view, files } = ground;
  try {
    const { snapshot } = await files.capture({ look: wish.look, ...patienceOf(wish) });
    const facts = wish.ran();
    if (snapshot === (await lastSnapshot(view))) return { state: "captured", snapshot, facts };
    await files.keep(
      { session: view.id, checkpoint: Math.max(1, view.outline.highestNumber), on: "step" },
      snapshot,
    );
    const { author } = facts;
    const machine = view.sharedFrom === undefined ? {} : { machine: view.sharedFrom };
    const calls = await callsOf(ground, facts, snapshot);
    await view.write([{ draft: { kind: "interval", snapshot, author, ...machine, ...calls } }]);
    return { state: "captured", snapshot, facts };
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return { state: "failed", why: error.message };
  }
}

/** What ran, and what points to the user, as an entry holds it. */
export async function callsOf(
  { view, files }: Pick<WritingGround, "view" | "files">,
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
