import { counted, sized } from "./measures.ts";

/** `doctor`. */
export const doctor = {
  statuses: { ok: "ok", note: "note", warning: "warning", error: "error", fixed: "fixed" },
  versions: (worldline: string, node: string, platform: string) =>
    `Worldline ${worldline}, Node.js ${node}, ${platform}`,
  nodeTooOld: (node: string, wanted: string) => `Node.js ${node} is older than ${wanted}.`,
  updateNode: "Install a newer Node.js.",
  store: (kind: string, folder: string) => `Sessions are kept as ${kind} in ${folder}`,
  database: (name: string) => `Sessions are kept in ${name}; the files of checkpoints stay on this machine.`,
  databaseAnswers: (version: number) => `It answers; its schema is of version ${version}.`,
  databaseOpen: (path: string, mode: string) =>
    `Others on this machine may read ${path}, and with it all that is in its sessions (its mode is ${mode}).`,
  closeDatabase: (paths: string) => `If they should not: chmod 600 ${paths}`,
  entriesMissing: (entries: number, sessions: number, since: string, which: string) =>
    `${entries} acknowledged ${entries === 1 ? "entry" : "entries"} of ${sessions} ${sessions === 1 ? "session" : "sessions"} (${which}) ${entries === 1 ? "is" : "are"} missing, the last written at ${since}: the database is older than that.`,
  entriesMissingHint: (path: string) =>
    `Its -wal was removed, or an older copy was put in its place. Put the newer files back while no program uses them. To accept the loss, so that these sessions can be written to again: worldline doctor --fix --store sqlite:${path}`,
  lossAccepted: (entries: number, sessions: number) =>
    `The loss of ${entries} acknowledged ${entries === 1 ? "entry" : "entries"} of ${sessions} ${sessions === 1 ? "session" : "sessions"} was accepted; they can be written to again.`,
  databaseWhole: "Its pages are in order.",
  databaseDamaged: (path: string, what: string) => `${path} is damaged: ${what}`,
  databaseDamagedHint: (path: string) =>
    `Sessions on other pages may still be read: export them. Then restore a backup, or save what can be read: sqlite3 ${path} .recover | sqlite3 saved.db`,
  homeReady: (folder: string) => `${folder} can be written, and only by you.`,
  homeMissing: (folder: string) => `${folder} is not there yet; it is made with the first session.`,
  homeNoFolder: (folder: string) => `${folder} is not a folder.`,
  homeUnwritable: (folder: string) => `${folder} cannot be written.`,
  moveHome: "Set WORLDLINE_HOME to a folder that you may write to, or check who owns this one.",
  homeOpen: (folder: string, mode: string) =>
    `Others on this machine may look into ${folder} (its mode is ${mode}).`,
  closeHome: (folder: string) => `worldline doctor --fix closes it, or: chmod 700 ${folder}`,
  homeClosed: (folder: string) => `${folder} can now be read by you alone (its mode is 0700).`,
  space: (bytes: number) => `${sized(bytes)} free on its disk.`,
  littleSpace: (bytes: number) => `Only ${sized(bytes)} free on its disk.`,
  makeSpace: "Make room: what cannot be written cannot be kept.",
  spaceUnknown: (why: string) => `It is not known how much room there is on its disk: ${why}`,
  settingsValid: (count: number) =>
    count === 0
      ? "There are no settings files; the defaults count."
      : `${counted(count, "settings file", "settings files")} can be read.`,
  examining: (at: number, all: number) => `Reading session ${at} of ${all}`,
  sessionsFine: (count: number) =>
    count === 0
      ? "There are no sessions yet."
      : `${counted(count, "session", "sessions")}: every line and every long text can be read.`,
  about: (session: string, where: string, message: string) =>
    `${session}${where === "" ? "" : ` ${where}`}: ${message}`,
  inUse: (owner: string) => `It is held by ${owner}.`,
  lockOfDead: (owner: string) => `It has a lock of ${owner}, which has died.`,
  lockOfDeadHint: "Whoever opens it next takes over. To remove it now: worldline doctor --fix",
  lockRemoved: (owner: string) => `The lock of ${owner}, which has died, was removed.`,
  lockElsewhere: (owner: string) =>
    `It is locked by ${owner}, and it cannot be seen from here whether that lives.`,
  lockUnreadable: "It has a lock that cannot be read.",
  lockElsewhereHint:
    "If nothing uses the session any more, remove it: worldline doctor --fix --take-over, or use --take-over with any other command.",
  lockUnreadableHint: "No program of ours writes such a lock. To remove it: worldline doctor --fix",
  lockUnreadableRemoved: "The lock that could not be read was removed.",
  lockTakenOver: (owner: string) => `The lock of ${owner} was removed, because --take-over says so.`,
  metadata: {
    missing: "The list of checkpoints is missing.",
    unreadable: "The list of checkpoints cannot be read.",
    stale: "The list of checkpoints is out of date.",
  },
  metadataHint: "The log has them all. To write the list again: worldline doctor --fix, or open the session",
  metadataHeldHint:
    "The log has them all, but the program that has the session open could not write the list. Make sure that the folder checkpoints can be written to and the disk is not full.",
  metadataWritten: "The list of checkpoints was written again.",
  noFiles: "No files of checkpoints are stored yet.",
  filesFine: (sessions: number, bytes: number) =>
    `The files of ${counted(sessions, "session", "sessions")} take ${sized(bytes)}; every snapshot can be walked.`,
  filesDamaged: (count: number) =>
    `${counted(count, "snapshot of files cannot", "snapshots of files cannot")} be read through.`,
  filesDamagedHint:
    "What exactly: worldline store verify. The conversation, and all other snapshots, are not concerned.",
  filesOfNobody: (sessions: string) =>
    `Files are kept for sessions that are neither here nor in the trash: ${sessions}`,
  filesOfNobodyHint:
    "A fork or an import was cut off, or a program keeps these sessions elsewhere. If nobody needs them, let go: worldline doctor --fix",
  filesOfNobodyDropped: (sessions: string) =>
    `Files of sessions that are not there are no longer kept: ${sessions}`,
  restoreCutOff: (workspace: string, count: number) =>
    `${workspace}: ${counted(count, "restore was", "restores were")} cut off.`,
  restoreCutOffHint: "The next command that works on that session finishes it, or: worldline doctor --fix",
  trash: (count: number) =>
    count === 0
      ? "The trash is empty."
      : `${counted(count, "deleted session", "deleted sessions")} in the trash.`,
  trashExpired: (list: string, days: number) =>
    `Deleted more than ${counted(days, "day", "days")} ago, and not needed any more: ${list}`,
  trashExpiredHint: "To remove it for good: worldline doctor --fix",
  trashRemoved: (list: string, days: number) =>
    `Removed for good (deleted more than ${counted(days, "day", "days")} ago): ${list}`,
  trashUntouched:
    "How long the trash is kept is not known while the settings are invalid, so nothing is removed.",
  leftovers: (count: number) =>
    `${counted(count, "folder", "folders")} of a session that was being made or removed when the program was killed, or is right now.`,
  leftoversHint:
    "They hold nothing that was acknowledged. Once they are an hour old, worldline doctor --fix removes them.",
  leftoversRemoved: (count: number) =>
    `Removed ${counted(count, "folder", "folders")} that killed programs had left half made or half removed.`,
  fine: "Everything is in order.",
  summary: (errors: number, warnings: number) =>
    `${counted(errors, "error", "errors")}, ${counted(warnings, "warning", "warnings")}.`,
  canFix: (count: number) => `worldline doctor --fix can mend ${count === 1 ? "one" : count} of these.`,
};

const sessions = (count: number) => counted(count, "session", "sessions");
const contents = (count: number) => counted(count, "content", "contents");
const places = (count: number) => counted(count, "place", "places");

/** `forget`. It never says what is forgotten: that may be a secret. */
export const forget = {
  searching: "Searching all sessions and snapshots",
  found: (session: string, entries: number, times: number) =>
    entries === 0
      ? `${session}: ${places(times)} in bytes that are no entry`
      : `${session}: ${places(times)} in ${counted(entries, "entry", "entries")}`,
  typed: (lines: number) => `Forgotten: ${counted(lines, "line", "lines")} in the history of what was typed.`,
  inTyped: (lines: number) => `${counted(lines, "line", "lines")} in the history of what was typed.`,
  inOutputs: (count: number) =>
    `${counted(count, "long output", "long outputs")} of commands, kept beside a database.`,
  removedOutputs: (count: number) => `Removed ${counted(count, "long output", "long outputs")} of commands.`,
  inLabels: (count: number) => `${counted(count, "label", "labels")} beside the snapshots.`,
  erasedLabels: (count: number) => `Forgotten in ${counted(count, "label", "labels")} beside the snapshots.`,
  inOthers: (list: string) =>
    `Also in these files, which forget leaves as they are. Edit or remove them yourself: ${list}`,
  unreadableInHome: (list: string) => `These files cannot be read, and so cannot be searched: ${list}`,
  otherDatabases: (list: string) =>
    `These databases were not searched. If they may have it, do the same with --store sqlite:<file>, or remove them: ${list}`,
  foundNowhere: "It was found in no session and in no file of a snapshot.",
  inFiles: (count: number, snapshots: number) =>
    `Files: ${contents(count)} in ${counted(snapshots, "snapshot", "snapshots")}, to be erased whole, and not to be restored any more:`,
  place: (path: string) => `  ${path}`,
  more: (count: number) => `and ${count} more`,
  alsoAt: "The same contents are also at:",
  inWorkspace: (list: string) =>
    `Still in the workspace, to be captured again by the next checkpoint: ${list}`,
  inNames: (count: number) =>
    `${counted(count, "path", "paths")} in snapshots ${count === 1 ? "has" : "have"} it as a part of the name, which cannot be forgotten.`,
  unreadableFiles: (count: number) =>
    `${counted(count, "part", "parts")} of snapshots cannot be read, and so cannot be searched: worldline store verify`,
  unlisted: (snapshots: string) =>
    `These snapshots have more places than can be listed (what they hold is erased all the same): ${snapshots}`,
  erased: (count: number, snapshots: number) =>
    `Erased ${contents(count)} from ${counted(snapshots, "snapshot", "snapshots")}.`,
  held: (count: number, by: string) =>
    `${contents(count)} could not be erased, because ${by} holds ${count === 1 ? "it" : "them"}. Run it again when that program has ended.`,
  damagedBeside: (count: number) =>
    `${contents(count)} could not be erased, because something stored beside ${count === 1 ? "it" : "them"} is damaged: worldline store verify`,
  trashToo: (count: number) => `${sessions(count)} in the trash will be searched too.`,
  unseen: (list: string) =>
    `These sessions have parts that cannot be read, and so cannot be searched: ${list}`,
  question: (found: {
    sessions: number;
    times: number;
    inTrash: number;
    contents: number;
    labels: number;
    typed: number;
    outputs: number;
  }) =>
    `Forget it for good, in ${[
      ...(found.sessions === 0 && found.contents + found.labels + found.typed + found.outputs > 0
        ? []
        : [`${places(found.times)} of ${sessions(found.sessions)}`]),
      ...(found.contents === 0 ? [] : [`${contents(found.contents)} of files`]),
      ...(found.labels === 0 ? [] : [counted(found.labels, "label", "labels")]),
      ...(found.typed === 0 ? [] : [`${counted(found.typed, "line", "lines")} of what was typed`]),
      ...(found.outputs === 0 ? [] : [counted(found.outputs, "long output", "long outputs")]),
      ...(found.inTrash === 0 ? [] : [`wherever it is in the trash (${sessions(found.inTrash)})`]),
    ].join(" and ")}?`,
  dryRun: "Nothing was changed: this was a dry run.",
  forgotten: (times: number, count: number) =>
    `Forgotten in ${places(times)} of ${sessions(count)}: [forgotten] stands there now, for good.`,
  inTrash: (line: string) => `${line} (in the trash)`,
  left: (list: string) =>
    `Another program wrote it again meanwhile, in ${list}. Stop that program, then do the same again.`,
  keptInTrash: (list: string) =>
    `Sessions in the trash that still have it, as a part of ids, names or the workspace, or that cannot be read: ${list}. Remove what is in the trash: worldline sessions delete --empty-trash`,
  notScrubbed: (why: string) =>
    `It is out of every session, but may still stand in free room of the store itself, which could not be cleaned now: ${why} When nobody uses the store, do the same again.`,
  keptByClaude: (home: string) =>
    `The Claude Agent SDK worked on this too, and keeps files of its own in ${home}, which may still hold it. Worldline does not go on with those conversations, and does not touch the files. They are yours to remove:`,
  notKeptByClaude: (home: string, list: string) =>
    `The Claude Agent SDK worked on this too. None of its files are in ${home}; should it have kept them elsewhere (CLAUDE_CONFIG_DIR), those may still hold it, and are yours to remove: ${list}`,
  outOfReach:
    "Out of reach are: what was sent to a model's provider, exports and bundles, backups of Worldline's folder, " +
    "your shell's history, and the files themselves. Change a secret that leaked.",
};
