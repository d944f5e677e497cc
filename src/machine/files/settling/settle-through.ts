import type { PathOutcome } from "../../../ports/workspace-files.ts";
import type { EntryOf } from "../../../record/entry.ts";
import { keptText } from "../../../travel/files/kept.ts";
import { detailOf } from "../../../travel/files/outcome-lines.ts";
import { filesAt } from "../files-at.ts";
import { type WritingGround, writeRestored } from "../perform.ts";
import type { SettledRestore } from "../requests.ts";
import { differing } from "../through/look-through.ts";
import { toldOfOutcomes } from "../told.ts";

/**
 * Rewinds whose files another agent was to take back, and whose end is not in the log. They cannot be gone on with here: what
 * came of them is looked at and written down, so that nobody waits for them, and redo brings back what they left.
 */
export async function settleThrough(ground: WritingGround): Promise<readonly SettledRestore[]> {
  const { view } = ground;
  const settled: SettledRestore[] = [];
  for (const journey of await openJourneys(ground)) {
    const beside = await ground.outside.finish(journey);
    const { paths, snapshot } = await foundBehind(ground, journey);
    const outcomes = [...paths, ...beside];
    const text = toldOfOutcomes("A rewind of files was cut off, and is as far as it came.", outcomes);
    await writeRestored(ground, { journey: journey.id, paths: outcomes, snapshot, text });
    settled.push({ session: view.id, journey: journey.id, paths: outcomes });
  }
  return settled;
}

/** No journey takes files along before those above it have ended, so only the ones behind the last end can be open. */
async function openJourneys({ view }: WritingGround): Promise<readonly EntryOf<"rewind">[]> {
  const lastEnd = view.outline.linesOf("restored").at(-1) ?? 0;
  const lines = view.outline.linesOf("rewind").filter((line) => line > lastEnd);
  const entries = await view.entries(lines);
  return entries.filter((entry) => entry.kind === "rewind").filter(({ through }) => through !== undefined);
}

interface Found {
  readonly paths: readonly PathOutcome[];
  /** Undefined where others may have changed files since the crash: their edits must not be taken for the timeline's. */
  readonly snapshot: Awaited<ReturnType<WritingGround["files"]["capture"]>>["snapshot"] | undefined;
}

async function foundBehind({ view, files }: WritingGround, journey: EntryOf<"rewind">): Promise<Found> {
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
      ...differ.map(({ path }): PathOutcome => ({ path, outcome: "kept", why: keptText["cut-off"] })),
    ],
    snapshot: own.length === changed.length ? snapshot : undefined,
  };
}
