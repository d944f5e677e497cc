import { counted, sized } from "./measures.ts";

/** Messages for `doctor`. */
export const doctor = {
  statuses: { ok: "ok", note: "note", warning: "warning", error: "error", fixed: "fixed" },
  versions: (worldline: string, node: string, platform: string) =>
    `Worldline ${worldline}, Node.js ${node}, ${platform}`,
  nodeTooOld: (node: string, wanted: string) => `Node.js ${node} is older than ${wanted}.`,
  updateNode: "Install a newer Node.js.",
  store: (kind: string, folder: string) => `Sessions are stored as ${kind} in ${folder}`,
  database: (name: string) => `Sessions are stored in ${name}. Checkpoint files stay on this machine.`,
  databaseAnswers: (version: number) => `The database responds. Its schema version is ${version}.`,
  databaseOpen: (path: string, mode: string) =>
    `Other users on this machine can read ${path}, including everything in its sessions (mode ${mode}).`,
  closeDatabase: (paths: string) => `To prevent that: chmod 600 ${paths}`,
  entriesMissing: (entries: number, sessions: number, since: string, which: string) =>
    `${entries} acknowledged ${entries === 1 ? "entry" : "entries"} in ${sessions} ${sessions === 1 ? "session" : "sessions"} (${which}) ${entries === 1 ? "is" : "are"} missing. The last one was written at ${since}, but the database is older than that.`,
  entriesMissingHint: (path: string) =>
    `The database's -wal file was removed, or an older copy replaced the database. Put the newer files back while no program is using them. To accept the loss and make these sessions writable again: worldline doctor --fix --store sqlite:${path}`,
  lossAccepted: (entries: number, sessions: number) =>
    `The loss of ${entries} acknowledged ${entries === 1 ? "entry" : "entries"} in ${sessions} ${sessions === 1 ? "session" : "sessions"} was accepted; ${sessions === 1 ? "the session" : "the sessions"} can be written to again.`,
  databaseWhole: "The database pages are intact.",
  databaseDamaged: (path: string, what: string) => `${path} is damaged: ${what}`,
  databaseDamagedHint: (path: string) =>
    `Sessions on undamaged pages may still be readable. Export them. Then restore a backup, or recover the readable data: sqlite3 ${path} .recover | sqlite3 saved.db`,
  homeReady: (folder: string) => `${folder} is writable only by you.`,
  homeMissing: (folder: string) => `${folder} does not exist yet; the first session creates it.`,
  homeNoFolder: (folder: string) => `${folder} is not a folder.`,
  homeUnwritable: (folder: string) => `${folder} is not writable.`,
  moveHome: "Set WORLDLINE_HOME to a folder you can write to, or check who owns this one.",
  homeOpen: (folder: string, mode: string) =>
    `Other users on this machine can read ${folder} (mode ${mode}).`,
  closeHome: (folder: string) => `To make it private: worldline doctor --fix, or: chmod 700 ${folder}`,
  homeClosed: (folder: string) => `${folder} is now private to you (mode 0700).`,
  space: (bytes: number) => `The disk has ${sized(bytes)} free.`,
  littleSpace: (bytes: number) => `The disk has only ${sized(bytes)} free.`,
  makeSpace: "Free some space. Nothing can be saved on a full disk.",
  spaceUnknown: (why: string) => `The free space on the disk is unknown: ${why}`,
  settingsValid: (count: number) =>
    count === 0
      ? "There are no settings files; the defaults apply."
      : `${counted(count, "settings file", "settings files")} can be read.`,
  examining: (at: number, all: number) => `Reading session ${at} of ${all}`,
  sessionsFine: (count: number) =>
    count === 0
      ? "There are no sessions yet."
      : `${counted(count, "session", "sessions")}: every line and every long text can be read.`,
  about: (
    session: string,
    { file, line, step }: { readonly file?: string; readonly line?: number; readonly step?: number },
    message: string,
  ) => {
    const place = [
      ...(file === undefined ? [] : [file]),
      ...(line === undefined ? [] : [`line ${line}`]),
      ...(step === undefined ? [] : [`step ${step}`]),
    ].join(", ");
    return `${session}${place === "" ? "" : ` ${place}`}: ${message}`;
  },
  betweenSentences: " ",
  inUse: (owner: string) => `In use by ${owner}.`,
  lockOfDead: (owner: string) => `Locked by ${owner}, which is no longer running.`,
  lockOfDeadHint:
    "The next program to open the session takes over. To remove the lock now: worldline doctor --fix",
  lockRemoved: (owner: string) => `Removed the lock left by ${owner}, which is no longer running.`,
  lockElsewhere: (owner: string) =>
    `Locked by ${owner}; Worldline cannot tell from here whether that program is still running.`,
  lockUnreadable: "The lock cannot be read.",
  lockElsewhereHint:
    "If nothing is using the session, remove the lock: worldline doctor --fix --take-over, or use --take-over with any other command.",
  lockUnreadableHint: "Worldline does not write locks like this one. To remove it: worldline doctor --fix",
  lockUnreadableRemoved: "Removed the lock that could not be read.",
  lockTakenOver: (owner: string) => `Removed the lock held by ${owner} (--take-over).`,
  metadata: {
    missing: "The list of checkpoints is missing.",
    unreadable: "The list of checkpoints cannot be read.",
    stale: "The list of checkpoints is out of date.",
  },
  metadataHint:
    "The log has all checkpoints. To rebuild the list: worldline doctor --fix, or open the session",
  metadataHeldHint:
    "The log has all checkpoints, but the program that has the session open could not write the list. Make sure that the checkpoints folder is writable and the disk is not full.",
  metadataWritten: "Rebuilt the list of checkpoints.",
  noFiles: "No checkpoint files are stored yet.",
  filesFine: (sessions: number, bytes: number) =>
    `The files of ${counted(sessions, "session", "sessions")} take up ${sized(bytes)}; every snapshot can be read.`,
  filesDamaged: (count: number) =>
    `${counted(count, "file snapshot cannot", "file snapshots cannot")} be read completely.`,
  filesDamagedHint:
    "Details: worldline store verify. The conversation and all other snapshots are not affected.",
  filesOfNobody: (sessions: string) =>
    `Files are stored for sessions that are neither here nor in the trash: ${sessions}`,
  filesOfNobodyHint:
    "A fork or an import was interrupted, or a program stores these sessions elsewhere. If the files are not needed, release them: worldline doctor --fix",
  filesOfNobodyDropped: (sessions: string) =>
    `Released the files of sessions that no longer exist: ${sessions}`,
  restoreCutOff: (workspace: string, count: number) =>
    `${workspace}: ${counted(count, "restore was", "restores were")} interrupted.`,
  restoreCutOffHint:
    "The next command that works on the session finishes the restore. To finish it now: worldline doctor --fix",
  trash: (count: number) =>
    count === 0
      ? "The trash is empty."
      : `${counted(count, "deleted session", "deleted sessions")} in the trash.`,
  trashExpired: (list: string, days: number) =>
    `Deleted more than ${counted(days, "day", "days")} ago, and due for removal: ${list}`,
  trashExpiredHint: "To remove these for good: worldline doctor --fix",
  trashRemoved: (list: string, days: number) =>
    `Removed for good (deleted more than ${counted(days, "day", "days")} ago): ${list}`,
  trashUntouched:
    "While the settings are invalid, the trash retention time is unknown, so nothing is removed.",
  leftovers: (count: number) =>
    `${counted(count, "folder belongs", "folders belong")} to sessions whose creation or removal was interrupted, or is still in progress.`,
  leftoversHint:
    "They do not contain any acknowledged data. Once they are an hour old, worldline doctor --fix removes them.",
  leftoversRemoved: (count: number) =>
    `Removed ${counted(count, "folder", "folders")} left incomplete by killed programs.`,
  fine: "No problems found.",
  summary: (errors: number, warnings: number) =>
    `${counted(errors, "error", "errors")}, ${counted(warnings, "warning", "warnings")}.`,
  canFix: (count: number) => `worldline doctor --fix can repair ${count === 1 ? "one" : count} of these.`,
};

const sessions = (count: number) => counted(count, "session", "sessions");
const versions = (count: number) => counted(count, "file version", "file versions");
const places = (count: number) => counted(count, "place", "places");

/** Messages for `forget`. They never contain the forgotten text, which may be a secret. */
export const forget = {
  searching: "Searching all sessions and snapshots",
  found: (session: string, entries: number, times: number) =>
    entries === 0
      ? `${session}: ${places(times)} outside its entries`
      : `${session}: ${places(times)} in ${counted(entries, "entry", "entries")}`,
  typed: (lines: number) => `Forgotten: ${counted(lines, "line", "lines")} in the input history.`,
  inTyped: (lines: number) => `${counted(lines, "line", "lines")} in the input history.`,
  inOutputs: (count: number) =>
    `${counted(count, "long command output", "long command outputs")}, stored next to a database.`,
  removedOutputs: (count: number) =>
    `Removed ${counted(count, "long command output", "long command outputs")}.`,
  inLabels: (count: number) => `${counted(count, "label", "labels")} stored next to the snapshots.`,
  erasedLabels: (count: number) =>
    `Forgotten in ${counted(count, "label", "labels")} stored next to the snapshots.`,
  inOthers: (list: string) =>
    `Also found in these files, which \`forget\` does not change. Edit or remove them yourself: ${list}`,
  unreadableInHome: (list: string) => `These files cannot be read or searched: ${list}`,
  otherDatabases: (list: string) =>
    `These databases were not searched. If they may contain the text, run the same command with --store sqlite:<file>, or remove them: ${list}`,
  foundNowhere: "Not found in any session or in any file in a snapshot.",
  inFiles: (count: number, snapshots: number) =>
    `${versions(count)} in ${counted(snapshots, "snapshot", "snapshots")}, to be permanently erased:`,
  place: (path: string) => `  ${path}`,
  more: (count: number) => `and ${count} more`,
  alsoAt: "The same content is also at:",
  inWorkspace: (list: string) =>
    `Still in the workspace, where the next checkpoint will capture it again: ${list}`,
  inNames: (count: number) =>
    `${counted(count, "path", "paths")} in snapshots ${count === 1 ? "contains it in its name" : "contain it in their names"}; names cannot be forgotten.`,
  unreadableFiles: (count: number) =>
    `${counted(count, "part", "parts")} of snapshots cannot be read or searched; for details: worldline store verify`,
  unlisted: (snapshots: string) =>
    `These snapshots contain it in more places than can be listed (all of them are erased anyway): ${snapshots}`,
  erased: (count: number, snapshots: number) =>
    `Erased ${versions(count)} from ${counted(snapshots, "snapshot", "snapshots")}.`,
  held: (count: number, by: string) =>
    `${versions(count)} could not be erased, because ${by} is using ${count === 1 ? "it" : "them"}. Run this command again when that program has ended.`,
  damagedBeside: (count: number) =>
    `${versions(count)} could not be erased, because data stored next to ${count === 1 ? "it" : "them"} is damaged; for details: worldline store verify`,
  trashToo: (count: number) => `${sessions(count)} in the trash will be searched too.`,
  unseen: (list: string) => `These sessions have parts that cannot be read or searched: ${list}`,
  question: (found: {
    sessions: number;
    times: number;
    inTrash: number;
    contents: number;
    labels: number;
    typed: number;
    outputs: number;
  }) =>
    `Permanently forget it in ${[
      ...(found.sessions === 0 && found.contents + found.labels + found.typed + found.outputs > 0
        ? []
        : [`${places(found.times)} in ${sessions(found.sessions)}`]),
      ...(found.contents === 0 ? [] : [versions(found.contents)]),
      ...(found.labels === 0 ? [] : [counted(found.labels, "label", "labels")]),
      ...(found.typed === 0 ? [] : [`${counted(found.typed, "line", "lines")} in the input history`]),
      ...(found.outputs === 0 ? [] : [counted(found.outputs, "long command output", "long command outputs")]),
      ...(found.inTrash === 0 ? [] : [`everywhere in the trash (${sessions(found.inTrash)})`]),
    ].join(" and ")}?`,
  dryRun: "Nothing was changed: this was a dry run.",
  forgotten: (times: number, count: number) =>
    `Forgotten in ${places(times)} in ${sessions(count)}: permanently replaced with [forgotten].`,
  inTrash: (line: string) => `${line} (in the trash)`,
  left: (list: string) =>
    `Another program has written it again in ${list}. Stop that program, then run this command again.`,
  keptInTrash: (list: string) =>
    `Sessions in the trash that still contain it in ids, names or the workspace, or that cannot be read: ${list}. To remove them, empty the trash: worldline sessions delete --empty-trash`,
  notScrubbed: (why: string) =>
    `It was removed from every session, but may remain in unused space in the store, which could not be cleaned up now: ${why} Run this command again when no program is using the store.`,
  keptByClaude: (home: string) =>
    `The Claude Agent SDK was used here too, and its own files in ${home} may still contain it. Worldline does not change these files, and does not continue the conversations in them. Remove them yourself:`,
  notKeptByClaude: (home: string, list: string) =>
    `The Claude Agent SDK was used here too. None of its files are in ${home}, but files that the SDK keeps elsewhere (CLAUDE_CONFIG_DIR) may still contain it. Remove them yourself: ${list}`,
  outOfReach:
    "Not covered: what was sent to a model's provider, exports and bundles, backups of Worldline's folder, " +
    "your shell's history, and the files themselves. If a secret leaked, change it.",
};
