import { counted } from "../measures/counted.ts";
import { sized } from "../measures/sized.ts";

const deleted = (count: number) => counted(count, "deleted session", "deleted sessions");

/** `sessions`, except for what comes from or goes to a file. */
export const sessions = {
  none: "No sessions found.",
  elsewhere: (count: number, command: (words: string) => string) =>
    `${counted(count, "session", "sessions")} in other workspaces: ${command("sessions list --all")}`,
  messages: (count: number) => counted(count, "message", "messages"),
  checkpoints: (count: number) => counted(count, "checkpoint", "checkpoints"),
  untitled: "(without a title)",
  forkedFrom: (session: string) => `(forked from ${session})`,
  subAgentOf: (session: string) => `(sub-agent of ${session})`,
  withHost: (host: string) => `(host ${host})`,
  damaged: (places: number) => `[${counted(places, "damaged place", "damaged places")}]`,
  unconfirmed: "[unconfirmed]",
  inWorkspace: (workspace: string) => `in ${workspace}`,
  workspaceLost: "(its workspace is not known: its first line is lost)",
  broken: (session: string, why: string) => `${session}  cannot be opened: ${why}`,
  inTrash: (count: number, command: (words: string) => string) =>
    `${deleted(count)} in the trash: ${command("sessions undelete --list")}`,
  fields: {
    session: "Session",
    title: "Title",
    workspace: "Workspace",
    host: "Host",
    created: "Begun",
    used: "Last used",
    entries: "Entries",
    context: "Context",
    head: "Head",
    checkpoints: "Checkpoints",
    labels: "Labels",
    journeys: "Journeys",
    forkedFrom: "Forked from",
    imported: "Imported",
    files: "Files",
    store: "Store",
    heldBy: "Held by",
    unfinished: "Unfinished",
    damage: "Damage",
  },
  modes: { agent: "an agent's", workspace: "the workspace's own", execution: "a program's execution" },
  entries: (count: { entries: number; prompts: number; replies: number; toolCalls: number }) =>
    `${count.entries.toLocaleString("en")} (${counted(count.prompts, "prompt", "prompts")}, ${counted(count.replies, "reply", "replies")}, ${counted(count.toolCalls, "tool call", "tool calls")})`,
  tokens: (count: number) => counted(count, "token", "tokens"),
  head: (line: number, kind: string, ago: string) => `line ${line}, ${kind}, ${ago}`,
  noHead: "(empty)",
  checkpointKinds: ({ prompt, manual, step }: { prompt: number; manual: number; step: number }) =>
    `${(prompt + manual + step).toLocaleString("en")} (${prompt} prompt, ${manual} manual, ${step} step)`,
  journeyKinds: (all: number, undone: number) =>
    all === 0 ? "0" : `${all.toLocaleString("en")} (${undone} undone)`,
  forkedAt: (session: string, entry: string) => `${session} at entry ${entry}`,
  importedFrom: (from: string, name: string) => `from ${from} (${name})`,
  files: (count: number, bytes: number, folder: string) =>
    `${counted(count, "file", "files")}, ${sized(bytes)} in ${folder}`,
  keptIn: (bytes: number, kind: string, place: string) => `${sized(bytes)} in ${place} (${kind})`,
  holders: {
    living: (owner: string, since: string) => `${owner}, since ${since}`,
    dead: (owner: string) => `nobody; ${owner} died while it held it, and whoever opens it next takes over`,
    elsewhere: (owner: string) => `${owner}; it cannot be seen from here whether that lives`,
    unreadable: "a lock that cannot be read",
  },
  unfinished: (name: string, call: string) =>
    `${name} (${call}) was started and did not finish: it is not known whether it took effect`,
  nothingFound: "Nothing found.",
  branches: { here: "here", left: "left" },
  more: (limit: number) => `… and more than these ${limit}: --limit 0 shows all`,
  searching: (at: number, all: number) => `Searching session ${at} of ${all}`,
  renamed: (session: string, title: string) => `Session ${session} is now called "${title}".`,
  alreadyNamed: (session: string, title: string) => `Session ${session} is called "${title}" already.`,
  trashed: (session: string) => `Deleted ${session}`,
  deletedBefore: (list: string, command: (words: string) => string) =>
    `These were deleted before that, and come back with ${command("sessions undelete")}: ${list}`,
  wouldTrash: (session: string) => `Would delete ${session}`,
  wouldBeRefused: (session: string, owner: string) =>
    `Session ${session} is held by ${owner}; deleting it would be refused.`,
  bringBack: (count: number, ids: string, until: string, command: (words: string) => string) =>
    `Kept in the trash until ${until}. To bring ${count === 1 ? "it" : "one"} back: ${command(`sessions undelete ${ids}`)}`,
  removedForGood: (list: string, days: number) =>
    `Removed for good (deleted more than ${counted(days, "day", "days")} ago): ${list}`,
  wouldRemoveForGood: (list: string, days: number) =>
    `Would remove for good (deleted more than ${counted(days, "day", "days")} ago): ${list}`,
  notRemoved: (why: string) => `What has been in the trash for too long could not be removed: ${why}`,
  dryRun: "Nothing was changed: this was a dry run.",
  trashEmpty: "The trash is empty.",
  inTheTrash: (count: number) => `${deleted(count)} in the trash:`,
  trashRow: {
    deleted: (ago: string) => `deleted ${ago}`,
    until: (day: string) => `kept until ${day}`,
    due: "removed for good when you next tidy up",
  },
  emptyQuestion: (count: number) =>
    `Remove ${deleted(count)} for good? ${count === 1 ? "It" : "They"} cannot be brought back.`,
  emptied: (count: number, ids: string) => `Removed ${deleted(count)} for good: ${ids}`,
  wouldEmpty: (count: number) => `Would remove ${deleted(count)} for good.`,
  undeleted: (session: string) => `Session ${session} is back.`,
  lookAt: (session: string, command: (words: string) => string) =>
    `To look at it: ${command(`tree --session ${session}`)}`,
};
