import { type Entry, type EntryOf, FORMAT_VERSION } from "../../../record/entry.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { EntryId } from "../../../record/ids.ts";
import { blobsOf } from "../../../record/spill.ts";
import { bundleInvalid } from "./bundle-error.ts";
import { keptIn } from "./named-snapshots.ts";
import type { Bundle } from "./read-bundle.ts";

/** An empty or odd tag would turn up in ordinary text, which is then shown broken to the model. */
const TAG = /^[0-9a-z]{8,40}$/;

const MOST_LOST = 1_000_000;

/** Checks that the records fit together; returns the first entry. */
export function checkBundle(bundle: Bundle): EntryOf<"session"> {
  const first = checkFirst(bundle);
  checkLines(bundle);
  checkPlaces(bundle.entries, bundle.header.lost.length > 0 ? "some" : "none");
  checkBlobs(bundle);
  checkFiles(bundle, first.session);
  return first;
}

function checkFirst({ header, entries }: Bundle): EntryOf<"session"> {
  const [first] = entries;
  if (first?.kind !== "session" || first.seq !== 1)
    throw bundleInvalid("its log does not begin with a session");
  if (first.session !== header.session) throw bundleInvalid("its header and its log name different sessions");
  if (first.version > FORMAT_VERSION) {
    throw new WorldlineError("FORMAT_NEWER", `Session ${first.session} was written by a newer Worldline.`, {
      hint: "Nothing was imported. Update Worldline, then import it again.",
    });
  }
  if (!TAG.test(first.tag)) throw bundleInvalid("the tag of its session is not one that Worldline makes");
  // What every view reads at once is never spilled.
  if (typeof first.workspace !== "string" || typeof first.system !== "string") {
    throw bundleInvalid("its first entry is not whole");
  }
  return first;
}

function checkLines({ header, entries }: Bundle): void {
  if (entries.length !== header.entries) {
    throw bundleInvalid(`it announces ${header.entries} entries and holds ${entries.length}`);
  }
  checkLost(header.lost);
  const lost = new Set(header.lost);
  let next = 1;
  const skipLost = (): void => {
    while (lost.delete(next)) next += 1;
  };
  for (const entry of entries) {
    skipLost();
    if (entry.seq !== next)
      throw bundleInvalid(`line ${next} of its log is missing, line ${entry.seq} comes instead`);
    next += 1;
  }
  skipLost();
  if (lost.size > 0) throw bundleInvalid("it names lost lines that its log does not lack");
}

/** A few bytes here become an entry each, so there is an end to how many are believed. */
function checkLost(lost: readonly number[]): void {
  if (lost.length > MOST_LOST)
    throw bundleInvalid(`it names ${lost.length} lost lines, which no session has`);
  if (lost.some((line, at) => line <= (lost[at - 1] ?? 0)))
    throw bundleInvalid("the lost lines that it names are not in order");
}

/** Every entry hangs on an earlier one. Where lines are lost, what hung on them is attached by its origin. */
function checkPlaces(entries: readonly Entry[], gaps: "some" | "none"): void {
  const earlier = new Set<EntryId>();
  for (const entry of entries) {
    const fault = placeFault(entry, earlier, gaps);
    if (fault !== undefined) throw bundleInvalid(`line ${entry.seq} of its log ${fault}`);
    earlier.add(entry.id);
  }
}

function placeFault(entry: Entry, earlier: ReadonlySet<EntryId>, gaps: "some" | "none"): string | undefined {
  const { seq, id, parent, origin, kind } = entry;
  if (earlier.has(id)) return "has the id of an earlier line";
  if (parent === null) return seq === 1 ? undefined : "has no place";
  if (kind === "session") return "begins a second session";
  if (!earlier.has(parent) && gaps === "none") return "follows an entry that is not there";
  const isForward = origin !== undefined && (origin[0] >= seq || origin[1] > seq);
  return isForward ? "comes from a place behind itself" : undefined;
}

function checkBlobs({ header, entries, blobs }: Bundle): void {
  const wanted = new Set(entries.flatMap(blobsOf));
  const lost = new Set(header.lostBlobs);
  if (blobs.size !== header.blobs)
    throw bundleInvalid(`it announces ${header.blobs} blobs and holds ${blobs.size}`);
  for (const hash of wanted) {
    if (!blobs.has(hash) && !lost.has(hash)) throw bundleInvalid(`blob ${hash} is missing`);
  }
  for (const hash of [...blobs.keys(), ...lost]) {
    if (!wanted.has(hash)) throw bundleInvalid(`nothing in it points to blob ${hash}`);
  }
}

/** Nothing may be kept that no entry speaks of: nobody could ever let it go. */
function checkFiles({ entries, blobs, files }: Bundle, session: EntryOf<"session">["session"]): void {
  if (files === undefined) return;
  const named = new Set(keptIn({ entries, blobs, session }).map(({ snapshot }) => snapshot));
  for (const id of files.snapshots) {
    if (!named.has(id)) throw bundleInvalid(`nothing in it points to snapshot ${id}`);
  }
}
