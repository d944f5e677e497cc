import type { CommandText } from "../commands.ts";
import { leftOutReasons, neverCaptured, segmentFault } from "./errors/files.ts";
import { type CountsTold, counted, outcomeCounts, sized } from "./measures.ts";

const paths = (count: number) => counted(count, "path", "paths");
const files_ = (count: number) => counted(count, "file", "files");

/** Messages about the workspace's files, for `checkpoint`, `rewind`, `diff`, `show`, `export-files` and `why`. */
export const files = {
  capturing: (files: number, bytes: number) => `Capturing files: scanned ${files_(files)}, ${sized(bytes)}`,
  storing: (files: number, ofFiles: number, bytes: number) =>
    `Capturing files: ${files.toLocaleString("en")} of ${files_(ofFiles)}, ${sized(bytes)}`,
  restoring: (done: number, of: number) => `Restoring ${done.toLocaleString("en")} of ${paths(of)}`,
  exporting: (done: number, of: number) => `Exporting ${done.toLocaleString("en")} of ${paths(of)}`,
  sized,
  unknown: (why: string) => `Only what the log recorded about the files can be shown: ${why}`,
  without: (why: string) => `No file checkpoints: ${why}`,
  counts: outcomeCounts,
  settled: (session: string, outcome: string) =>
    `Finished an interrupted restore in session ${session}: ${outcome}.`,
  settledUnlogged: (session: string, outcome: string) =>
    `Finished an interrupted restore in session ${session}: ${outcome}. The session was not found, so this was not logged.`,
  discarded: (session: string) =>
    `Discarded an interrupted restore in session ${session}: it had not started, so nothing was changed.`,
  states: {
    complete: "captured",
    partial: "partial",
    pending: "pending",
    none: "none",
    gone: "conversation only",
  },
  changedSince: (count: number) =>
    count === 0 ? "no changes since" : `${counted(count, "change", "changes")} since`,
  changes: {
    created: "create",
    deleted: "delete",
    changed: "change",
    mode: "mode",
    kind: "replace",
    uncovered: "not covered",
  },
  kinds: { file: "file", folder: "folder", link: "link" },
  nothing: "nothing",
  linkTo: (target: string) => `link to ${target}`,
  lines: (added: number, removed: number) =>
    `+${added.toLocaleString("en")} -${removed.toLocaleString("en")}`,
  modes: (before: string, after: string) => `mode ${before} -> ${after}`,
  more: (count: number) => `and ${count.toLocaleString("en")} more; --json lists all of them`,
  noLines: (path: string) => `${path}: binary, or too large to diff`,
  leftOut: leftOutReasons,
  neverCaptured,
  captured: (news: string) => `Files captured: ${news}`,
  capturedPartly: (news: string, gaps: number) =>
    `Files partly captured${news === "" ? "" : `: ${news}`}, but ${counted(gaps, "path is", "paths are")} missing:`,
  read: (files: number) => `${files === 0 ? "no files" : files_(files)} read`,
  changedFiles: (files: number, checkpoint: number) =>
    `${files === 0 ? "no files" : files_(files)} changed since #${checkpoint}`,
  gap: (path: string, why: string) => `  ${path}: ${why}`,
  same: "No differences.",
  stat: (counts: Readonly<Record<"created" | "deleted" | "changed" | "uncovered", number>>) => {
    const [created, deleted, changed, uncovered] = [
      counts.created,
      counts.deleted,
      counts.changed,
      counts.uncovered,
    ].map((count) => count.toLocaleString("en"));
    const more = counts.uncovered === 0 ? "" : `, ${uncovered} not covered`;
    return `${created} created, ${deleted} deleted, ${changed} changed${more}`;
  },
  between: (before: string, after: string) => `From ${before} to ${after}:`,
  now: "now",
  exported: (count: number, folder: string) => `Exported ${paths(count)} to ${folder}`,
  wouldExport: (count: number, folder: string) => `Would export ${paths(count)} to ${folder}`,
  ignoredLeftOut: (count: number) =>
    `${counted(count, "ignored file was", "ignored files were")} left out; --include-ignored includes them.`,
  notInSnapshot: (count: number) =>
    `${counted(count, "path is", "paths are")} missing from the snapshot, and therefore from the export:`,
  nothingToRestore: "No files would change.",
  wouldRestore: ({ created, deleted, changed }: { created: number; deleted: number; changed: number }) =>
    `Files: ${created.toLocaleString("en")} to create, ${changed.toLocaleString("en")} to change, ${deleted.toLocaleString("en")} to delete`,
  keptPath: (path: string, why: string) => `kept  ${path}  (${why})`,
  notRestorable: (path: string, why: string) => `not restorable  ${path}  (${why})`,
  conflict: (path: string, fate: string) => `${path} was edited outside this session: ${fate}`,
  during: {
    title: (commands: string) =>
      `Files changed while ${commands} ran will also be reverted, but may contain your own edits:`,
    late: "The files could not be captured before the command started, so these changes may include earlier ones.",
    moreLines: (count: number) => `… ${counted(count, "more line", "more lines")}`,
    kept: (commands: string, sign: string) =>
      `treated as your edit, because ${sign}; changed while ${commands} ran`,
    question: (count: number) =>
      `${count === 1 ? "This file" : "These files"} may contain your own edits: [t]ake the checkpoint's version or [k]eep yours? (default t) `,
  },
  signs: {
    "read-only": () => "the command only reads",
    "editor-file": () => "it is an editor's swap or lock file",
    "swap-file": ({ file }: { readonly file: string }) => `an editor has it open (${file})`,
    "after-end": () => "it was written after the command had ended",
    "open-elsewhere": ({ program }: { readonly program: string }) => `${program} has it open`,
  },
  choices: {
    keep: "keep it",
    take: "overwrite with the checkpoint's version",
    merge: "merge both",
  },
  gitMoved: (then: string, now: string) =>
    `git has moved from ${then} to ${now}. Only files are restored; git itself does not change.`,
  deleteQuestion: (count: number) => `Delete ${paths(count)}?`,
  outcome: (counts: CountsTold) => `Files: ${outcomeCounts(counts)}`,
  outcomes: {
    restored: "restored",
    created: "created",
    removed: "removed",
    merged: "merged",
    kept: "kept",
    "not-restorable": "not restorable",
    "parent-changed": "folder replaced",
    failed: "failed",
  },
  pathOutcome: (outcome: string, path: string, why: string) =>
    why === "" ? `${outcome}  ${path}` : `${outcome}  ${path}  (${why})`,
  touchedOnly: "This folder is not captured. Only files that tools have changed are tracked.",
  through: {
    by: (name: string) => `Restored from the ${name}'s own checkpoints (snapshots.engine):`,
    limits: {
      overwrites: "outside edits to these files are overwritten",
      commands: "changes made by commands stay, except in files that the agent's editing tools also wrote",
      "sub-agents": "changes made by sub-agents stay",
      folders: "folders stay",
    },
    rest: "To restore these as well, use Worldline's own snapshots: worldline config set snapshots.engine worldline, then rewind again.",
    noUndo: "Files are not captured here, so redo cannot restore their current state.",
  },
  stay: (why: string) => `Files stay as they are: ${why}`,
  differ: (count: number, place: string) =>
    count === 0
      ? `The files match ${place}`
      : `Files stay as they are: ${counted(count, "path differs", "paths differ")} from ${place}`,
  conflictQuestion: (path: string, merge: "clean" | "unclean" | "untried") =>
    merge === "unclean"
      ? `${path} was edited outside this session and does not merge cleanly: [k]eep or [t]ake the checkpoint's version? (K, T: all; default k) `
      : `${path} was edited outside this session: [k]eep, [t]ake the checkpoint's version or [m]erge? (K, T, M: all; default k) `,
  conflictNotUnderstood: (typed: string, merge: "clean" | "unclean" | "untried") =>
    `"${typed}" is not an option: type ${merge === "unclean" ? "k or t" : "k, t or m"}.`,
  keptHint: "Outside edits are kept. --take overwrites them; --merge merges both versions.",
  scopeTitle: "Restore what?",
  nothingGoesBack: "nothing: cancel",
  scopes: { both: "files and conversation", conversation: "conversation", files: "files" },
  coverage: {
    captured: "captured",
    "left-out": "not covered",
    unknown: "nothing has been captured here yet; run: worldline checkpoint",
    new: "not captured yet: it is newer than the newest checkpoint",
    absent: "does not exist, and is not in the newest snapshot",
  },
  isCaptured: (what: string) => `captured (${what})`,
  isLeftOut: (path: string, why: string) => `not captured: ${path} is left out (${why})`,
  fileOf: (mode: string, bytes: number) => `file ${mode}, ${sized(bytes)}`,
  ignoredAndCaptured: "This path is ignored but captured anyway. Exports leave it out by default.",
  changedIn: "Changes, newest first:",
  happened: { created: "created", deleted: "deleted", changed: "changed" },
  authors: { timeline: "in the timeline", outside: "outside this session", journey: "by a journey" },
  neverCovered:
    "Never covered: .git itself, node_modules, large ignored folders (over 2,000 files or 32 MiB), files over " +
    "snapshots.maxFileBytes, FIFOs, sockets and devices, Worldline's own store, running processes, databases being written " +
    "during a capture, and the network.",
  restoredInPart: (place: string) => `Restored in part: ${place}`,
  restoreFailed: (place: string) => `Restore failed: ${place}`,
  filesKept: (place: string) => `No files were restored to checkpoint: ${place}`,
  talkRestored: (place: string) => `Conversation (but no files) restored to checkpoint: ${place}`,
};

const snapshots = (count: number) => counted(count, "snapshot", "snapshots");

/** Messages for `store du`, `store verify` and `store gc`. */
export const store = {
  empty: "Nothing is stored yet.",
  total: (bytes: number, objects: number) => `${sized(bytes)} in ${counted(objects, "object", "objects")}`,
  unreferenced: (bytes: number) =>
    bytes === 0
      ? "All of this data is needed."
      : `${sized(bytes)} is no longer needed; to remove it: worldline store gc`,
  perWorkspace: "Unshared data per workspace (most data is shared):",
  perSession: "Unshared data per session:",
  row: (count: number, bytes: number) => `${snapshots(count)}, ${sized(bytes)}`,
  limit: (bytes: number) => `The limit is ${sized(bytes)} (snapshots.maxBytes).`,
  damagedSnapshots: (count: number) =>
    `${counted(count, "snapshot cannot", "snapshots cannot")} be read completely; for details: worldline store verify`,
  reading: (done: number, of: number) => `Reading ${sized(done)} of ${sized(of)}`,
  walking: (done: number, of: number) =>
    `Checking snapshot ${done.toLocaleString("en")} of ${of.toLocaleString("en")}`,
  sound: (count: number) => `${snapshots(count)}: complete and intact.`,
  soundOtherwise: (count: number) => `${snapshots(count)} checked. Everything else is complete and intact.`,
  /** Descriptions of the kinds of damage in a segment. */
  fault: segmentFault,
  damage: (file: string, offset: number, why: string) =>
    `${file}, byte ${offset.toLocaleString("en")}: ${why}`,
  problem: (names: string, count: number) =>
    `${names}: ${counted(count, "path cannot", "paths cannot")} be restored`,
  whats: {
    missing: "missing",
    damaged: "damaged",
    "beyond-limits": "more paths or longer paths than a snapshot can contain",
    newer: "written by a newer Worldline",
    forgotten: "forgotten on request",
    "not-in-bundle": "missing from the bundle it came from",
  },
  pathProblem: (path: string, what: string) => `  ${path}: ${what}`,
  refDamage: (session: string, lines: number) =>
    `${session}: ${counted(lines, "reference", "references")} cannot be read; anything they may refer to is kept.`,
  damagedKept: (names: string, snapshot: string, why: string) =>
    `The files of ${names} cannot be read completely (snapshot ${snapshot}: ${why}) Their readable parts are kept; ` +
    "to remove these files: worldline store gc --release-damaged",
  verdict: (problems: number, places: number) =>
    `${counted(problems, "snapshot has", "snapshots have")} problems; ${counted(places, "place", "places")} in the store ${places === 1 ? "is" : "are"} damaged.`,
  willRelease: (count: number) =>
    `${counted(count, "checkpoint or journey", "checkpoints and journeys")} will no longer restore files (the conversation is kept):`,
  kept: "No checkpoint loses its files.",
  frees: (objects: number, bytes: number) =>
    objects === 0
      ? "Nothing to remove."
      : `${sized(bytes)} in ${counted(objects, "object", "objects")} to remove`,
  doesNotFit: (limit: number) =>
    `The data that must be kept exceeds snapshots.maxBytes (${sized(limit)}); nothing more can be released.`,
  question: (count: number, bytes: number) =>
    count === 0
      ? `Remove ${sized(bytes)}?`
      : `Release the files of ${counted(count, "checkpoint or journey", "checkpoints and journeys")}, and remove ${sized(bytes)}?`,
  collected: (bytes: number) => `Removed ${sized(bytes)}.`,
  dryRun: "Nothing was changed: this was a dry run.",
  nothingToDo: "Nothing was changed.",
  releasedCheckpoint: (checkpoint: number, session: string) =>
    `The snapshot store is full, so #${checkpoint} of session ${session} now keeps only its conversation.`,
  releasedJourney: (at: string, session: string) =>
    `The snapshot store is full, so the files captured for the journey at ${at} in session ${session} are no longer kept.`,
  moreReleased: (count: number) =>
    `The snapshot store is full, so ${counted(count, "more checkpoint or journey now keeps", "more checkpoints or journeys now keep")} only the conversation; see worldline checkpoints --all`,
  tidied: (bytes: number, limit: number) =>
    `Removed ${sized(bytes)} from the snapshot store to stay within snapshots.maxBytes (${sized(limit)}).`,
  stillOver: (bytes: number, limit: number) =>
    `The snapshot store holds ${sized(bytes)}, more than snapshots.maxBytes (${sized(limit)}), and nothing more can be released now. ` +
    "To see what uses the space: worldline store du",
  notTidied: (bytes: number, limit: number, why: string) =>
    `The snapshot store holds ${sized(bytes)}, more than snapshots.maxBytes (${sized(limit)}), and could not be cleaned up: ${why} ` +
    "Try again later: worldline store gc",
  notDropped: (sessions: string, why: string) => `The files of ${sessions} still take up space: ${why}`,
  notSwept: (why: string) => `Leftover data next to the snapshots could not be removed: ${why}`,
  swept: (workspace: string) => `Removed all data of ${workspace}, because its folder no longer exists.`,
};

const entries = (count: number) => counted(count, "entry", "entries");
const tokens = (count: number) => counted(count, "token", "tokens");

/** Messages for `rewind`, `redo` and `fork`. */
export const journeys = {
  current: "(current)",
  pickTitle: "Rewind to:",
  pickMore: (count: number, command: CommandText) =>
    `${counted(count, "more checkpoint", "more checkpoints")}: ${command({ do: "checkpoints", all: true })}`,
  pickQuestion: (last: number) => `Number (0-${last}, default 0): `,
  notARow: (typed: string, last: number) => `"${typed}" is not on the list: type a number from 0 to ${last}.`,
  stillRunning: (commands: readonly string[]) =>
    `Still running from a killed run of this session: ${commands.join("; ")}. ${commands.length === 1 ? "It" : "They"} may change files again ` +
    `until the session's next turn, or worldline resume --rewind-files, stops ${commands.length === 1 ? "it" : "them"}.`,
  runningNow: (commands: readonly string[]) =>
    `Running now in this session: ${commands.join("; ")}. ${commands.length === 1 ? "It" : "They"} may change more files before you go back.`,
  stayed: "Nothing was changed.",
  restored: (place: string) => `Restored to checkpoint: ${place}`,
  wouldRestore: (place: string) => `Would restore to checkpoint: ${place}`,
  redone: (journey: string) => `Undid ${journey}`,
  wouldRedo: (journey: string) => `Would undo ${journey}`,
  left: (count: number) => `${entries(count)} moved to another branch`,
  back: (count: number) => `Back in the conversation: ${entries(count)}`,
  context: (before: number, after: number) => `Context: ${before.toLocaleString("en")} -> ${tokens(after)}`,
  redoWith: (command: string) => `Undo this: ${command}`,
  promptBack: "Prompt to edit and send again:",
  dryRun: "Nothing was changed: this was a dry run.",
  noJourneys: "No journeys found.",
  returnTo: "Return to:",
  leftBy: (ago: string, kind: string, to: number | undefined) =>
    `left ${ago} by a ${kind}${to === undefined ? "" : ` to #${to}`}`,
  undoQuestion: (kind: "backtrack" | "rewind" | "redo", to: number | undefined, leaves: number) =>
    `Undo the ${kind}${to === undefined ? "" : ` ${kind === "backtrack" ? "at" : "to"} #${to}`}? This leaves #${leaves} behind.`,
  leavesNewer: (checkpoint: number) =>
    `Leaves newer work behind, up to #${checkpoint} (still shown by worldline tree)`,
  to: (number: number) => `to #${number}`,
  fromLine: (line: number) => `from line ${line}`,
  fromElsewhere: "from the session this one was forked from",
  ofJourney: (kind: string, id: string) => `of the ${kind} ${id}`,
  ofJourneyElsewhere: "of a journey in another session",
  states: { next: "next redo", open: "", undone: "undone" },
  kinds: { backtrack: "backtrack", rewind: "rewind", redo: "redo" },
  described: (kind: string, id: string, to: string) => `the ${kind} ${id} ${to}`,
  forked: (session: string, from: string) => `New session ${session}, forked from ${from}`,
  forkHolds: (count: number, at: number | undefined) =>
    at === undefined
      ? `The fork contains the whole branch: ${entries(count)}`
      : `The fork contains the branch up to #${at}: ${entries(count)}`,
  openForkIn: (command: string) => `The fork's workspace is the new folder. To work there: ${command}`,
  openFork: (session: string) =>
    `The fork is now the most recent session here. To select it, pass --session ${session} or, in a program, call openSession({ resume: "${session}" })`,
};

/** Messages for `checkpoint`, `checkpoints` and `label`. */
export const checkpoints = {
  none: "No checkpoints found.",
  atTime: (time: string) => `Checkpoint at ${time}`,
  kinds: { prompt: "prompt", manual: "manual", step: "step", command: "command" },
  left: "(on another branch)",
  made: (number: number, session: string) => `Checkpoint #${number} in session ${session}`,
  madeWithLabel: (number: number, label: string, session: string) =>
    `Checkpoint #${number} "${label}" in session ${session}`,
  labelled: (reference: string, label: string) => `Checkpoint ${reference} is now labeled "${label}".`,
  unlabelled: (reference: string, label: string) =>
    `Checkpoint ${reference} is no longer labeled "${label}".`,
  alreadyLabelled: (reference: string, label: string) =>
    `Checkpoint ${reference} is already labeled "${label}".`,
  lookalike: (label: string, other: string) =>
    `"${label}" looks like "${other}", the label of another checkpoint.`,
  hadNoLabel: (reference: string) => `Checkpoint ${reference} has no label.`,
};
