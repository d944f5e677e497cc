import { counted } from "./measures/counted.ts";

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
