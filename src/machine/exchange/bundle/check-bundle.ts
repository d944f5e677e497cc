import { type Entry, type EntryOf, FORMAT_VERSION } from "../../../record/entry.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { EntryId } from "../../../record/ids.ts";
import { blobsOf } from "../../../record/shape.ts";
import { keptIn } from "./named-snapshots.ts";
import type { Bundle } from "./read-bundle.ts";
import { type BundleFault, bundleInvalid } from "./records.ts";

/**
 * Matches valid tags. An empty or unusual tag could occur in normal text, and that text would then be garbled for the
 * model.
 */
const TAG = /^[0-9a-z]{8,40}$/;

const MAX_LOST = 1_000_000;

/** Checks that the records of a bundle are consistent with each other. Returns the first entry. */
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
  if (first?.kind !== "session" || first.seq !== 1) throw bundleInvalid({ why: "no-session" });
  if (first.session !== header.session) throw bundleInvalid({ why: "other-session" });
  if (first.version > FORMAT_VERSION) {
    throw new WorldlineError("bundled-session-newer", { session: first.session });
  }
  if (!TAG.test(first.tag)) throw bundleInvalid({ why: "tag" });
  // These fields must not be stored in blobs, because every view reads them directly.
  if (typeof first.workspace !== "string" || typeof first.system !== "string") {
    throw bundleInvalid({ why: "first-entry" });
  }
  return first;
}

function checkLines({ header, entries }: Bundle): void {
  if (entries.length !== header.entries) {
    throw bundleInvalid({ why: "entries-count", announced: header.entries, held: entries.length });
  }
  checkLost(header.lost);
  const lost = new Set(header.lost);
  let next = 1;
  const skipLost = (): void => {
    while (lost.delete(next)) next += 1;
  };
  for (const entry of entries) {
    skipLost();
    if (entry.seq !== next) throw bundleInvalid({ why: "line-missing", line: next, instead: entry.seq });
    next += 1;
  }
  skipLost();
  if (lost.size > 0) throw bundleInvalid({ why: "lost-not-lacking" });
}

/** Limits the number of lost lines, because each one becomes an entry but takes up only a few bytes in the bundle. */
function checkLost(lost: readonly number[]): void {
  if (lost.length > MAX_LOST) throw bundleInvalid({ why: "lost-count", count: lost.length });
  if (lost.some((line, at) => line <= (lost[at - 1] ?? 0))) throw bundleInvalid({ why: "lost-order" });
}

/**
 * Requires that the parent of every entry is an earlier entry. If lines are lost, entries without a known parent are
 * placed by their origin.
 */
function checkPlaces(entries: readonly Entry[], gaps: "some" | "none"): void {
  const earlier = new Set<EntryId>();
  for (const entry of entries) {
    const fault = placeFault(entry, earlier, gaps);
    if (fault !== undefined) throw bundleInvalid({ why: "place", line: entry.seq, fault });
    earlier.add(entry.id);
  }
}

function placeFault(
  entry: Entry,
  earlier: ReadonlySet<EntryId>,
  gaps: "some" | "none",
): Extract<BundleFault, { readonly why: "place" }>["fault"] | undefined {
  const { seq, id, parent, origin, kind } = entry;
  if (earlier.has(id)) return "same-id";
  if (parent === null) return seq === 1 ? undefined : "no-place";
  if (kind === "session") return "second-session";
  if (!earlier.has(parent) && gaps === "none") return "parent-missing";
  const isForward = origin !== undefined && (origin[0] >= seq || origin[1] > seq);
  return isForward ? "from-behind" : undefined;
}

function checkBlobs({ header, entries, blobs }: Bundle): void {
  const wanted = new Set(entries.flatMap(blobsOf));
  const lost = new Set(header.lostBlobs);
  if (blobs.size !== header.blobs)
    throw bundleInvalid({ why: "blobs-count", announced: header.blobs, held: blobs.size });
  for (const hash of wanted) {
    if (!blobs.has(hash) && !lost.has(hash)) throw bundleInvalid({ why: "blob-missing", hash });
  }
  for (const hash of [...blobs.keys(), ...lost]) {
    if (!wanted.has(hash)) throw bundleInvalid({ why: "blob-unused", hash });
  }
}

/**
 * Requires that an entry refers to every snapshot, because the files of an unreferenced snapshot would never be
 * released.
 */
function checkFiles({ entries, blobs, files }: Bundle, session: EntryOf<"session">["session"]): void {
  if (files === undefined) return;
  const named = new Set(keptIn({ entries, blobs, session }).map(({ snapshot }) => snapshot));
  for (const id of files.snapshots) {
    if (!named.has(id)) throw bundleInvalid({ why: "snapshot-unused", snapshot: id });
  }
}
