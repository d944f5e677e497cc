import { leftOutReasons, neverCaptured, segmentFault } from "./errors/files.ts";
import { type CountsTold, counted, outcomeCounts, sized } from "./measures.ts";

const paths = (count: number) => counted(count, "path", "paths");
const files_ = (count: number) => counted(count, "file", "files");

/** Files of the workspace: `checkpoint`, `rewind`, `diff`, `show`, `export-files` and `why`. */
export const files = {
  capturing: (files: number, bytes: number) => `Capturing files: looked at ${files_(files)}, ${sized(bytes)}`,
  storing: (files: number, ofFiles: number, bytes: number) =>
    `Capturing files: ${files.toLocaleString("en")} of ${files_(ofFiles)}, ${sized(bytes)}`,
  restoring: (done: number, of: number) => `Restoring ${done.toLocaleString("en")} of ${paths(of)}`,
  exporting: (done: number, of: number) => `Exporting ${done.toLocaleString("en")} of ${paths(of)}`,
  sized,
  unknown: (why: string) => `What became of files is only known from the log: ${why}`,
  without: (why: string) => `Without files: ${why}`,
  counts: outcomeCounts,
  settled: (session: string, outcome: string) =>
    `A restore of session ${session} that was cut off is finished: ${outcome}.`,
  settledUnlogged: (session: string, outcome: string) =>
    `A restore of session ${session}, which is not here, was cut off and is finished: ${outcome}. There was no log to write that into.`,
  discarded: (session: string) =>
    `A restore of session ${session} that was cut off had not begun; nothing of it was done.`,
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
  more: (count: number) => `and ${count.toLocaleString("en")} more; --json has all of them`,
  noLines: (path: string) => `${path}: no text, or too large to compare line by line`,
  leftOut: leftOutReasons,
  neverCaptured,
  captured: (news: string) => `Its files are captured: ${news}`,
  capturedPartly: (news: string, gaps: number) =>
    `Its files are captured in part${news === "" ? "" : `: ${news}`}, but ${counted(gaps, "path is", "paths are")} missing:`,
  read: (files: number) => `${files === 0 ? "no file had to be" : files_(files)} read`,
  changedFiles: (files: number, checkpoint: number) =>
    `${files === 0 ? "no file" : files_(files)} changed since #${checkpoint}`,
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
    `${counted(count, "ignored file was", "ignored files were")} left out; --include-ignored takes them too.`,
  notInSnapshot: (count: number) =>
    `${counted(count, "path is", "paths are")} not in the snapshot, and so not in the export:`,
  nothingToRestore: "No file would change.",
  wouldRestore: ({ created, deleted, changed }: { created: number; deleted: number; changed: number }) =>
    `Files: ${created.toLocaleString("en")} to create, ${changed.toLocaleString("en")} to change, ${deleted.toLocaleString("en")} to delete`,
  keptPath: (path: string, why: string) => `stays as it is  ${path}  (${why})`,
  notRestorable: (path: string, why: string) => `not restorable  ${path}  (${why})`,
  conflict: (path: string, fate: string) => `${path} was changed by somebody else since: ${fate}`,
  during: {
    title: (commands: string) => `Changed while ${commands} ran; goes back too, and may hold edits of yours:`,
    late: "The files could not be captured before it began: earlier changes may be among these.",
    moreLines: (count: number) => `… ${counted(count, "more line", "more lines")}`,
    kept: (commands: string, sign: string) => `yours: ${sign}; changed while ${commands} ran`,
    question: (count: number) =>
      `${count === 1 ? "This one" : "These"} may hold edits of yours: [t]ake back or [k]eep? (default t) `,
  },
  signs: {
    "read-only": () => "the command only reads",
    "editor-file": () => "it is an editor's own file",
    "swap-file": ({ file }: { readonly file: string }) => `an editor has it open (${file})`,
    "after-end": () => "it was written after the command had ended",
    "open-elsewhere": ({ program }: { readonly program: string }) => `${program} has it open`,
  },
  choices: {
    keep: "it stays as it is",
    take: "the checkpoint's content takes its place",
    merge: "both are merged",
  },
  gitMoved: (then: string, now: string) =>
    `git: ${then} then, ${now} now; files only go onto what is checked out, and git is not touched.`,
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
  touchedOnly: "This folder is not captured: only files that tools have touched are tracked.",
  through: {
    by: (name: string) => `Files go back by the ${name}'s own checkpoints (snapshots.engine):`,
    limits: {
      overwrites: "what others changed since in these files is overwritten",
      commands: "what commands did stays, but for files that its editing tools wrote too",
      "sub-agents": "what sub-agents did stays",
      folders: "folders stay",
    },
    rest: "What stays, Worldline's own snapshots take back: worldline config set snapshots.engine worldline; then go back again.",
    noUndo: "Worldline captures no files here: redo cannot bring back those of now.",
  },
  stay: (why: string) => `Files stay as they are: ${why}`,
  differ: (count: number, place: string) =>
    count === 0
      ? `The files are as they were at ${place}`
      : `Files stay as they are: ${counted(count, "path differs", "paths differ")} from ${place}`,
  conflictQuestion: (path: string, merge: "clean" | "unclean" | "untried") =>
    merge === "unclean"
      ? `${path} was changed by somebody else since, and does not merge cleanly: [k]eep or [t]ake back? (K, T: all; default k) `
      : `${path} was changed by somebody else since: [k]eep, [t]ake back or [m]erge? (K, T, M: all; default k) `,
  conflictNotUnderstood: (typed: string, merge: "clean" | "unclean" | "untried") =>
    `"${typed}" is none of these: type ${merge === "unclean" ? "k or t" : "k, t or m"}.`,
  keptHint: "What somebody else changed stays; --take restores it too, --merge merges both.",
  scopeTitle: "What goes back?",
  nothingGoesBack: "nothing: stay here",
  scopes: { both: "files and conversation", conversation: "conversation", files: "files" },
  coverage: {
    captured: "captured",
    "left-out": "not covered",
    unknown: "nothing has been captured here yet: worldline checkpoint",
    new: "not captured yet: it is newer than the newest checkpoint",
    absent: "not there, and not in the newest capture",
  },
  isCaptured: (what: string) => `captured (${what})`,
  isLeftOut: (path: string, why: string) => `not captured: ${path} is left out (${why})`,
  fileOf: (mode: string, bytes: number) => `file ${mode}, ${sized(bytes)}`,
  ignoredAndCaptured: "It is ignored, and captured all the same; exports leave it out unless asked.",
  changedIn: "It changed, newest first:",
  happened: { created: "came", deleted: "went", changed: "changed" },
  authors: { timeline: "in the timeline", outside: "from outside", journey: "by a journey" },
  neverCovered:
    "Never covered: .git itself, node_modules, large ignored folders (above 2,000 files or 32 MiB), files over " +
    "snapshots.maxFileBytes, FIFOs, sockets and devices, Worldline's own store, running processes, databases that are written " +
    "while they are captured, and the network.",
  restoredInPart: (place: string) => `Restored in part: ${place}`,
  restoreFailed: (place: string) => `Restore failed: ${place}`,
  filesKept: (place: string) => `No file was restored to checkpoint: ${place}`,
  talkRestored: (place: string) => `Conversation restored to checkpoint, no file: ${place}`,
};

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
  /** What is wrong at a place of a segment. */
  fault: segmentFault,
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

const entries = (count: number) => counted(count, "entry", "entries");
const tokens = (count: number) => counted(count, "token", "tokens");

/** `rewind`, `redo` and `fork`. */
export const journeys = {
  current: "(current)",
  pickTitle: "Rewind to:",
  pickMore: (count: number, command: (words: string) => string) =>
    `${counted(count, "more checkpoint", "more checkpoints")}: ${command("checkpoints --all")}`,
  pickQuestion: (last: number) => `Row (0-${last}, default 0): `,
  notARow: (typed: string, last: number) =>
    `"${typed}" is not a row of the list: type a number from 0 to ${last}.`,
  stillRunning: (commands: readonly string[]) =>
    `Still running from a run of this session that was killed: ${commands.join("; ")}. It may change files again; ` +
    "the next turn of the session ends it, and so does worldline resume --rewind-files.",
  runningNow: (commands: readonly string[]) =>
    `Running now in this session: ${commands.join("; ")}. It may change more files before you go back.`,
  stayed: "Nothing was changed.",
  restored: (place: string) => `Restored to checkpoint: ${place}`,
  wouldRestore: (place: string) => `Would restore to checkpoint: ${place}`,
  redone: (journey: string) => `Undid ${journey}`,
  wouldRedo: (journey: string) => `Would undo ${journey}`,
  left: (count: number) => `Left behind, and kept: ${entries(count)}`,
  back: (count: number) => `Back in the conversation: ${entries(count)}`,
  context: (before: number, after: number) => `Context: ${before.toLocaleString("en")} -> ${tokens(after)}`,
  redoWith: (command: string) => `To undo this: ${command}`,
  promptBack: "The prompt that comes back:",
  dryRun: "Nothing was changed: this was a dry run.",
  noJourneys: "No journeys found.",
  returnTo: "Return to:",
  leftBy: (ago: string, kind: string, to: number | undefined) =>
    `left ${ago} by a ${kind}${to === undefined ? "" : ` to #${to}`}`,
  undoQuestion: (kind: "backtrack" | "rewind" | "redo", to: number | undefined, leaves: number) =>
    `Undo the ${kind}${to === undefined ? "" : ` ${kind === "backtrack" ? "at" : "to"} #${to}`}? Leaves #${leaves}`,
  leavesNewer: (checkpoint: number) => `Leaves newer work, up to #${checkpoint}; it stays in worldline tree`,
  to: (number: number) => `to #${number}`,
  fromLine: (line: number) => `from line ${line}`,
  fromElsewhere: "from the session that this one was forked from",
  ofJourney: (kind: string, id: string) => `of the ${kind} ${id}`,
  ofJourneyElsewhere: "of a journey of another session",
  states: { next: "next redo", open: "", undone: "undone" },
  kinds: { backtrack: "backtrack", rewind: "rewind", redo: "redo" },
  described: (kind: string, id: string, to: string) => `the ${kind} ${id} ${to}`,
  forked: (session: string, from: string) => `New session ${session}, forked from ${from}`,
  forkHolds: (count: number, at: number | undefined) =>
    at === undefined
      ? `It holds the whole branch: ${entries(count)}`
      : `It holds the branch up to #${at}: ${entries(count)}`,
  openForkIn: (command: string) => `Its workspace is that folder. To work there: ${command}`,
  openFork: (session: string) =>
    `It is the one last used here now. To name it: --session ${session}; in a program: openSession({ resume: "${session}" })`,
};

/** `checkpoint`, `checkpoints` and `label`. */
export const checkpoints = {
  none: "No checkpoints found.",
  atTime: (time: string) => `Checkpoint at ${time}`,
  kinds: { prompt: "prompt", manual: "manual", step: "step", command: "command" },
  left: "(on a branch that was left)",
  made: (number: number, session: string) => `Checkpoint #${number} in session ${session}`,
  madeWithLabel: (number: number, label: string, session: string) =>
    `Checkpoint #${number} "${label}" in session ${session}`,
  labelled: (reference: string, label: string) => `Checkpoint ${reference} is now called "${label}".`,
  unlabelled: (reference: string, label: string) =>
    `Checkpoint ${reference} is not called "${label}" any more.`,
  alreadyLabelled: (reference: string, label: string) =>
    `Checkpoint ${reference} is called "${label}" already.`,
  lookalike: (label: string, other: string) =>
    `"${label}" looks like "${other}", the label of another checkpoint.`,
  hadNoLabel: (reference: string) => `Checkpoint ${reference} has no label.`,
};
