import type { CommandEntry } from "./command/command.ts";

/** All commands, in the order of the help. A new one is a file under commands/ and a row here. */
export const commands: readonly CommandEntry[] = [
  {
    name: "checkpoint",
    summary: "make a checkpoint here",
    group: "Timeline:",
    load: async () => (await import("./commands/checkpoints/checkpoint.ts")).checkpoint,
  },
  {
    name: "checkpoints",
    summary: "list checkpoints, newest first",
    group: "Timeline:",
    load: async () => (await import("./commands/checkpoints/checkpoints.ts")).checkpoints,
  },
  {
    name: "label",
    summary: "name a checkpoint",
    group: "Timeline:",
    load: async () => (await import("./commands/checkpoints/label.ts")).label,
  },
  {
    name: "rewind",
    aliases: ["restore"],
    summary: "go back to a checkpoint; nothing is lost",
    group: "Timeline:",
    load: async () => (await import("./commands/journeys/rewind.ts")).rewind,
  },
  {
    name: "redo",
    summary: "go forward again to where a rewind or backtrack left from",
    group: "Timeline:",
    load: async () => (await import("./commands/journeys/redo.ts")).redo,
  },
  {
    name: "fork",
    summary: "begin a new session from a place in this one",
    group: "Timeline:",
    load: async () => (await import("./commands/journeys/fork.ts")).fork,
  },
  {
    name: "diff",
    summary: "show which files differ between two checkpoints, or since one",
    group: "Files:",
    load: async () => (await import("./commands/files/diff.ts")).diff,
  },
  {
    name: "show",
    summary: "write a file as it was at a checkpoint",
    group: "Files:",
    load: async () => (await import("./commands/files/show.ts")).show,
  },
  {
    name: "export-files",
    summary: "write the files of a checkpoint into a new folder",
    group: "Files:",
    load: async () => (await import("./commands/files/export-files.ts")).exportFiles,
  },
  {
    name: "why",
    summary: "say whether a path is captured, and who changed it when",
    group: "Files:",
    load: async () => (await import("./commands/files/why.ts")).why,
  },
  {
    name: "watch",
    summary: "make checkpoints by itself, whenever files have changed",
    group: "Files:",
    load: async () => (await import("./commands/watch/watch.ts")).watch,
  },
  {
    name: "run",
    summary: "run any command between two checkpoints, and go back if it did harm",
    group: "Files:",
    load: async () => (await import("./commands/run/run.ts")).run,
  },
  {
    name: "prove",
    summary: "attack a copy of a folder, and prove that everything comes back",
    group: "Files:",
    load: async () => (await import("./commands/prove/prove.ts")).prove,
  },
  {
    name: "log",
    summary: "show the entries of a session",
    group: "Looking:",
    load: async () => (await import("./commands/looking/log.ts")).log,
  },
  {
    name: "tree",
    summary: "draw a session with all its branches",
    group: "Looking:",
    load: async () => (await import("./commands/looking/tree.ts")).tree,
  },
  {
    name: "context",
    summary: "show exactly what the model would see",
    group: "Looking:",
    load: async () => (await import("./commands/looking/context.ts")).context,
  },
  {
    name: "story",
    summary: "play a scripted story on a real timeline, and prove what it promises",
    group: "Looking:",
    load: async () => (await import("./commands/story/story.ts")).story,
  },
  {
    name: "sessions",
    summary: "list, show, search, name, delete, export and import sessions",
    group: "Sessions:",
    load: async () => (await import("./commands/sessions/sessions.ts")).sessions,
  },
  {
    name: "config",
    summary: "show and change settings, and say where each comes from",
    group: "Upkeep:",
    load: async () => (await import("./commands/config/config.ts")).config,
  },
  {
    name: "doctor",
    summary: "look whether everything is in order, and mend what can be mended",
    group: "Upkeep:",
    load: async () => (await import("./commands/upkeep/doctor/doctor.ts")).doctor,
  },
  {
    name: "store",
    summary: "how large the store of files is, whether it is sound, and what may go",
    group: "Upkeep:",
    load: async () => (await import("./commands/store/store.ts")).store,
  },
  {
    name: "forget",
    summary: "remove a leaked secret from all sessions, for good",
    group: "Upkeep:",
    load: async () => (await import("./commands/upkeep/forget/forget.ts")).forget,
  },
];
