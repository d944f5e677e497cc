import { counted } from "../measures/counted.ts";
import { sized } from "../measures/sized.ts";

const snapshots = (count: number) => counted(count, "snapshot", "snapshots");

/** `store du`, `store verify` and `store gc`. */
export const store = {
  empty: "Nothing is stored yet.",
  total: (bytes: number, objects: number) => `${sized(bytes)} in ${counted(objects, "object", "objects")}`,
  unreferenced: (bytes: number) =>
    bytes === 0 ? "All of it is needed." : `${sized(bytes)} of it is not needed any more: worldline store gc`,
  perWorkspace: "What each workspace alone needs (most is shared):",
  perSession: "What each session alone needs:",
  row: (count: number, bytes: number) => `${snapshots(count)}, ${sized(bytes)}`,
  limit: (bytes: number) => `The limit is ${sized(bytes)} (snapshots.maxBytes).`,
  damagedSnapshots: (count: number) =>
    `${counted(count, "snapshot cannot", "snapshots cannot")} be read through: worldline store verify`,
  reading: (done: number, of: number) => `Reading ${sized(done)} of ${sized(of)}`,
  walking: (done: number, of: number) =>
    `Walking snapshot ${done.toLocaleString("en")} of ${of.toLocaleString("en")}`,
  sound: (count: number) => `${snapshots(count)}: everything is there and as it was written.`,
  soundOtherwise: (count: number) => `${snapshots(count)}: everything else is there and as it was written.`,
  damage: (file: string, offset: number, why: string) =>
    `${file}, byte ${offset.toLocaleString("en")}: ${why}`,
  problem: (names: string, count: number) =>
    `${names}: ${counted(count, "path cannot", "paths cannot")} be restored`,
  whats: {
    missing: "missing",
    damaged: "damaged",
    "beyond-limits": "more or longer paths than any capture makes",
    newer: "written by a newer Worldline",
    forgotten: "forgotten, as asked",
    "not-in-bundle": "not in the bundle that it came from",
  },
  pathProblem: (path: string, what: string) => `  ${path}: ${what}`,
  refDamage: (session: string, lines: number) =>
    `${session}: ${counted(lines, "reference", "references")} cannot be read; what they may have meant is kept.`,
  damagedKept: (names: string, snapshot: string, why: string) =>
    `The files of ${names} cannot be read through (snapshot ${snapshot}: ${why}) What is left of them is kept; ` +
    "worldline store gc --release-damaged lets go of it.",
  verdict: (problems: number, places: number) =>
    `${counted(problems, "snapshot has", "snapshots have")} problems; ${counted(places, "place", "places")} in the store ${places === 1 ? "is" : "are"} damaged.`,
  willRelease: (count: number) =>
    `${counted(count, "checkpoint or journey", "checkpoints and journeys")} will no longer restore files (the conversation stays):`,
  kept: "No checkpoint loses its files.",
  frees: (objects: number, bytes: number) =>
    objects === 0
      ? "Nothing is to be removed."
      : `${sized(bytes)} in ${counted(objects, "object", "objects")} to be removed`,
  doesNotFit: (limit: number) =>
    `What has to be kept is more than snapshots.maxBytes (${sized(limit)}); nothing more can be let go.`,
  question: (count: number, bytes: number) =>
    count === 0
      ? `Remove ${sized(bytes)}?`
      : `Let go of the files of ${counted(count, "checkpoint or journey", "checkpoints and journeys")}, and remove ${sized(bytes)}?`,
  collected: (bytes: number) => `Removed ${sized(bytes)}.`,
  dryRun: "Nothing was changed: this was a dry run.",
  nothingToDo: "Nothing was changed.",
  releasedCheckpoint: (checkpoint: number, session: string) =>
    `The snapshot store is full: #${checkpoint} of session ${session} keeps its conversation only.`,
  releasedJourney: (at: string, session: string) =>
    `The snapshot store is full: the files around the journey of ${at} in session ${session} are no longer kept.`,
  moreReleased: (count: number) =>
    `The snapshot store is full: ${count.toLocaleString("en")} more keep their conversation only; see worldline checkpoints --all`,
  tidied: (bytes: number, limit: number) =>
    `Removed ${sized(bytes)} from the snapshot store to stay within snapshots.maxBytes (${sized(limit)}).`,
  stillOver: (bytes: number, limit: number) =>
    `The snapshot store has ${sized(bytes)}, more than snapshots.maxBytes (${sized(limit)}), and no more can be let go now. ` +
    "See what needs it: worldline store du",
  notTidied: (bytes: number, limit: number, why: string) =>
    `The snapshot store has ${sized(bytes)}, more than snapshots.maxBytes (${sized(limit)}), and could not be tidied: ${why} ` +
    "When you can: worldline store gc",
  notDropped: (sessions: string, why: string) => `The files of ${sessions} still take room: ${why}`,
  notSwept: (why: string) => `What is left over beside the snapshots is still there: ${why}`,
  swept: (workspace: string) => `Nothing is left of ${workspace}, whose folder is gone.`,
};
