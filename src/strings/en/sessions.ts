import type { CommandText } from "../commands.ts";
import { counted, outcomeCounts, sized } from "./measures.ts";

const deleted = (count: number) => counted(count, "deleted session", "deleted sessions");

/** Messages for `sessions`, except `sessions export` and `sessions import`. */
export const sessions = {
  none: "No sessions found.",
  elsewhere: (count: number, command: CommandText) =>
    `${counted(count, "session", "sessions")} in other workspaces: ${command({ do: "sessions list", all: true })}`,
  messages: (count: number) => counted(count, "message", "messages"),
  checkpoints: (count: number) => counted(count, "checkpoint", "checkpoints"),
  untitled: "(untitled)",
  forkedFrom: (session: string) => `(forked from ${session})`,
  subAgentOf: (session: string) => `(sub-agent of ${session})`,
  withHost: (host: string) => `(host ${host})`,
  damaged: (places: number) => `[${counted(places, "damaged place", "damaged places")}]`,
  unconfirmed: "[unconfirmed]",
  inWorkspace: (workspace: string) => `in ${workspace}`,
  workspaceLost: "(workspace unknown: the first line of the log is missing)",
  broken: (session: string, why: string) => `${session}  cannot be opened: ${why}`,
  inTrash: (count: number, command: CommandText) =>
    `${deleted(count)} in the trash: ${command({ do: "sessions undelete --list" })}`,
  fields: {
    session: "Session",
    title: "Title",
    workspace: "Workspace",
    host: "Host",
    created: "Created",
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
    heldBy: "In use by",
    unfinished: "Unfinished",
    damage: "Damage",
  },
  modes: { agent: "agent", workspace: "workspace", execution: "program" },
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
    dead: (owner: string) =>
      `no program; ${owner} ended without closing the session, and the next program to open it takes over`,
    elsewhere: (owner: string) =>
      `${owner}; Worldline cannot tell from here whether that program is still running`,
    unreadable: "a lock that cannot be read",
  },
  unfinished: (name: string, call: string) =>
    `${name} (${call}) was started but did not finish, so it may or may not have taken effect`,
  nothingFound: "Nothing found.",
  branches: { here: "this branch", left: "other branch" },
  more: (limit: number) => `… more than ${limit} found; --limit 0 shows all`,
  searching: (at: number, all: number) => `Searching session ${at} of ${all}`,
  renamed: (session: string, title: string) => `Session ${session} is now called "${title}".`,
  alreadyNamed: (session: string, title: string) => `Session ${session} is already called "${title}".`,
  trashed: (session: string) => `Deleted ${session}`,
  deletedBefore: (list: string, command: CommandText) =>
    `These sessions were deleted earlier and can be restored with ${command({ do: "sessions undelete" })}: ${list}`,
  wouldTrash: (session: string) => `Would delete ${session}`,
  wouldBeRefused: (session: string, owner: string) =>
    `Session ${session} is in use by ${owner}, so it would not be deleted.`,
  bringBack: (count: number, ids: string, until: string, command: CommandText) =>
    `Kept in the trash until ${until}. To restore ${count === 1 ? "it" : "one"}: ${command({ do: "sessions undelete", session: ids })}`,
  removedForGood: (list: string, days: number) =>
    `Removed for good (deleted more than ${counted(days, "day", "days")} ago): ${list}`,
  wouldRemoveForGood: (list: string, days: number) =>
    `Would remove for good (deleted more than ${counted(days, "day", "days")} ago): ${list}`,
  notRemoved: (why: string) => `Expired sessions in the trash could not be removed: ${why}`,
  dryRun: "Nothing was changed: this was a dry run.",
  trashEmpty: "The trash is empty.",
  inTheTrash: (count: number) => `${deleted(count)} in the trash:`,
  trashRow: {
    deleted: (ago: string) => `deleted ${ago}`,
    until: (day: string) => `kept until ${day}`,
    due: "removed for good at the next cleanup",
  },
  emptyQuestion: (count: number) =>
    `Remove ${deleted(count)} for good? ${count === 1 ? "It" : "They"} cannot be restored.`,
  emptied: (count: number, ids: string) => `Removed ${deleted(count)} for good: ${ids}`,
  wouldEmpty: (count: number) => `Would remove ${deleted(count)} for good.`,
  undeleted: (session: string) => `Restored session ${session}.`,
  lookAt: (session: string, command: CommandText) => `To view it: ${command({ do: "tree", session })}`,
};

/** Messages about the session that a command works on, and how it was found. */
export const sessionsHere = {
  chosen: (session: string) => `Session ${session}, the most recent one here.`,
  elsewhere: (session: string, workspace: string) =>
    `Session ${session} works in another folder: ${workspace}`,
  passedOver: (session: string, count: number, command: CommandText) =>
    `Session ${session}${count === 1 ? "" : ` and ${count - 1} more`} came from elsewhere and ${count === 1 ? "is" : "are"} skipped until you confirm ${count === 1 ? "it" : "them"}: ${command({ do: "sessions confirm", session })}`,
  unconfirmed: {
    session: (session: string, title: string) =>
      `Session ${session}${title === "" ? "" : `, "${title}",`} was not created by this Worldline home.`,
    imported: (from: string, name: string) =>
      `It was imported from ${from === "bundle" ? "a bundle of session" : `${from}:`} ${name}`,
    fromStore: (kind: string): string =>
      kind === "files"
        ? "It was copied into this home, or created with another home's key."
        : "It was written to this store from another Worldline home, such as one on your other machine or another user's.",
    claims: (workspace: string) =>
      workspace === "" ? "It does not name a folder." : `It claims to have worked in ${workspace}`,
    worksIn: (workspace: string) => `It would work in the current folder: ${workspace}`,
    means:
      "Its contents are sent to the model as the conversation. Its permissions, its system prompt and files outside this folder are ignored.",
    question: (session: string, workspace: string) => `Work on session ${session} in ${workspace}?`,
    confirmed: (session: string, workspace: string) =>
      `Session ${session} is confirmed, and works in ${workspace}`,
    already: (session: string, workspace: string) =>
      `Session ${session} is already confirmed, and works in ${workspace}`,
    isOwn: (session: string) =>
      `Session ${session} was created by this home, so there is nothing to confirm.`,
  },
  found: (session: string) => `Session ${session}`,
  created: (session: string) => `Created this workspace's own session ${session}`,
  workspacesOwn: "this workspace's own",
  waiting: (owner: string, milliseconds: number) =>
    `Waiting up to ${counted(Math.ceil(milliseconds / 1000), "second", "seconds")} for ${owner}, which has this session open.`,
  owner: (name: string, pid: number, host: string) => `${name} (pid ${pid} on ${host})`,
  entriesMissing: (entries: number, sessions: number) =>
    `The database is in an older state: ${entries} acknowledged ${entries === 1 ? "entry" : "entries"} in ${sessions} ${sessions === 1 ? "session" : "sessions"} ${entries === 1 ? "is" : "are"} missing. See: worldline doctor`,
  setAside: (bytes: number, file: string) =>
    `The last line was incomplete. The part that was written (${counted(bytes, "byte", "bytes")}) is kept in ${file}`,
  listUnwritten: (why: string) =>
    `checkpoints/metadata.json could not be written: ${why} The checkpoints themselves are in the log.`,
  broken: (session: string, why: string) => `Session ${session} cannot be opened, so it is skipped: ${why}`,
  damaged: (session: string, places: number) =>
    `The log of session ${session} has ${counted(places, "damaged place", "damaged places")}; the rest is shown. See: worldline log`,
  damagedSince: (session: string, found: readonly string[]) =>
    `The log of session ${session} has been damaged; the rest is shown. ${found.join(" ")}`,
  foreign: (session: string, entries: number) =>
    `Session ${session} has ${counted(entries, "entry", "entries")} of kinds that this version does not recognize; they are kept but ignored.`,
};

/** Messages for `sessions export` and `sessions import`. */
export const exchange = {
  exporting: (bytes: number) => `Exporting: ${sized(bytes)}`,
  exported: (session: string, file: string, bytes: number) =>
    `Exported session ${session} to ${file} (${sized(bytes)})`,
  holdsAll: "It contains everything said in the session, including any secrets.",
  exportedFiles: (snapshots: number) =>
    `Includes the files of ${counted(snapshots, "snapshot", "snapshots")}.`,
  snapshotsGone: (count: number) =>
    `${counted(count, "snapshot is", "snapshots are")} not included, because ${count === 1 ? "it is" : "they are"} no longer stored.`,
  ignoredNotIn: (count: number) =>
    `Ignored files are included by name only: the content of ${counted(count, "file version was", "file versions was")} left out (--include-ignored includes them).`,
  contentsGone: (count: number) =>
    `${counted(count, "file version", "file versions")} could not be included, because the content was lost or forgotten earlier.`,
  importedFiles: (snapshots: number) => `Files from ${counted(snapshots, "snapshot", "snapshots")}`,
  snapshotsNotIn: (count: number) =>
    `${counted(count, "snapshot was", "snapshots were")} removed before the export, so some checkpoints have no files here.`,
  contentsNotIn: (count: number) =>
    `${counted(count, "file version is", "file versions are")} not in the bundle, and cannot be restored here.`,
  filesAdded: (count: number) => `Added ${counted(count, "object", "objects")} from the files in the bundle.`,
  damaged: (places: number) =>
    `${counted(places, "section", "sections")} of the log could not be read and ${places === 1 ? "is" : "are"} not included.`,
  importing: (path: string) => `Importing ${path}`,
  imported: (session: string, from: string) => `Imported as session ${session} from ${from}`,
  bundleName: (session: string) => `a bundle of session ${session}`,
  kimiName: (name: string, files: number) =>
    `the kimi-cli session ${name} (${counted(files, "file", "files")})`,
  alreadyHere: (session: string) =>
    `Session ${session} is already here, with everything in the bundle. Nothing was changed.`,
  alreadyHereButFiles: (session: string) => `Session ${session} is already here.`,
  newId: (original: string) =>
    `Another session here has the id ${original}, so the imported session got a new id.`,
  workspace: (folder: string) => `Workspace: ${folder}`,
  bundleCounts: (entries: number, blobs: number) =>
    `${counted(entries, "entry", "entries")}, ${counted(blobs, "long text", "long texts")}`,
  kimiCounts: (count: { prompts: number; replies: number; results: number; branchesLeft: number }) =>
    [
      counted(count.prompts, "prompt", "prompts"),
      counted(count.replies, "reply", "replies"),
      counted(count.results, "tool result", "tool results"),
      counted(count.branchesLeft, "other branch", "other branches"),
    ].join(", "),
  renumbered: (count: number, again: number) =>
    `${counted(count, "checkpoint", "checkpoints")}, renumbered${again === 0 ? "" : `; ${counted(again, "number", "numbers")} had been used twice`} (--json lists them all)`,
  damagedLine: (file: string, line: number, why: string) => `${file}:${line}: not imported: ${why}`,
  damagedInPart: (file: string, line: number, why: string) => `${file}:${line}: partly imported: ${why}`,
  importedBefore: (sessions: string) => `This session was already imported as ${sessions}`,
  toConfirm: (session: string, command: CommandText) =>
    `It is inactive until you confirm it. In the folder where it should work, run: ${command({ do: "sessions confirm", session })}`,
  untouched: "The source was not changed.",
  noneOfKimi: (folder: string) => `No kimi-cli sessions found in ${folder}`,
  kimiFiles: (count: number) => counted(count, "file", "files"),
  kimiImportedAs: (sessions: string) => `[imported as ${sessions}]`,
  kimiImport: (command: CommandText) =>
    `To import one: ${command({ do: "sessions import", from: { any: "path" } })}`,
};

/** Messages for `executions`, and the rows for executions in the lists of `rewind`. */
export const executions = {
  none: "No executions found.",
  elsewhere: (command: CommandText) =>
    `To see the executions in all workspaces: ${command({ do: "executions", all: true })}`,
  more: (count: number) => `Showing the newest ${count}. To see more: --limit ${count * 5}`,
  kinds: { program: "program", turn: "turn" },
  statuses: {
    running: "running",
    waiting: "open, between steps",
    done: "done",
    failed: "failed",
    interrupted: "interrupted",
    stopped: "stopped",
    empty: "empty",
  },
  stoppedAfter: (step: number) => `stopped after step ${step}`,
  stepStatuses: { pending: "pending", success: "success", failed: "failed" },
  steps: (count: number) => counted(count, "step", "steps"),
  stepOf: (execution: string, step: string) => `${execution}, step ${step}`,
  /** Row for an execution in the list of places to rewind to. */
  restoreRow: (execution: string, step: string) => `Restore ${execution}, step ${step}`,
  restoreHeading: "Program executions in this workspace",
  /** A program's changes to files cannot be distinguished from the user's. */
  takesAll: (command: string) =>
    `All later changes are reverted too, including yours; ${command} restores them.`,
  /** Shown after an execution is forked. */
  forkIsForLooking:
    "This is a fork of an execution. You can view and rewind it, but a program cannot open and continue it.",
  /** A program has no conversation, so the text names the execution instead. */
  back: (count: number) => `Restored to the execution: ${counted(count, "entry", "entries")}`,
  forward: (command: string) => `${command} undoes this`,
  attempt: (attempt: number) => `attempt ${attempt}`,
  left: "(left by a rollback)",
  decisions: { retry: "(decided: retry)", skip: "(decided: skip)", fail: "(decided: fail)" },
  noSteps: "No steps yet.",
  inWorkspace: (workspace: string) => `in ${workspace}`,
  fields: {
    execution: "execution",
    kind: "kind",
    session: "session",
    workspace: "workspace",
    title: "title",
    status: "status",
    used: "last used",
    step: "step",
    attempt: "attempt",
    time: "time",
    checkpoint: "checkpoint",
    error: "error",
    state: "state",
    context: "context",
    variables: "variables",
    metadata: "metadata",
    output: "output",
    unstored: "not stored",
  },
  /** Descriptions of values that could not be stored, printed after their paths. */
  unstored: {
    function: "function",
    symbol: "symbol",
    promise: "promise",
    class: "class",
    fields: "extra field",
    live: "live object",
    unreadable: "cannot be read",
    nested: "nested too deeply",
    size: "too large",
  },
  showStep: (id: string, command: CommandText) =>
    `To show one step with its values: ${command({ do: "executions show", execution: id })}`,
  deleteQuestion: (execution: string, steps: number) =>
    `Move ${execution} with ${counted(steps, "step", "steps")} to the trash?`,
  deleted: (execution: string) => `Moved to the trash: ${execution}`,
  wouldDelete: (execution: string) => `Would be moved to the trash: ${execution}`,
  deleteCheckpointQuestion: (checkpoint: string, name: string) =>
    `Delete checkpoint ${checkpoint} (${name}) with its values? This cannot be undone.`,
  checkpointDeleted: (checkpoint: string) => `Deleted: ${checkpoint}`,
  wouldDeleteCheckpoint: (checkpoint: string) => `Would be deleted: ${checkpoint}`,
  bringBack: (session: string, command: CommandText) =>
    `To restore it: ${command({ do: "sessions undelete", session })}`,
};

/** Messages for `log`, `tree` and `context`. */
export const looking = {
  earlier: (count: number, command: CommandText) =>
    `${counted(count, "earlier entry", "earlier entries")}: ${command({ do: "log", limit: 0 })}`,
  noEntries: "No entries found.",
  damaged: {
    file: (file: string, why: string) => `${file}: ${why}`,
    line: (file: string, line: number, why: string) => `${file} line ${line} cannot be read: ${why}`,
    at: (file: string, line: number, why: string) => `${file} line ${line}: ${why}`,
  },
  toLine: (line: number) => `to line ${line}`,
  inWorkspace: (mode: string, workspace: string) => `${mode} session in ${workspace}`,
  modes: { agent: "agent", workspace: "workspace", execution: "program" },
  forkedFrom: (session: string) => `forked from ${session}`,
  importedFrom: (from: string, name: string) => `imported from ${from} (${name})`,
  image: (mediaType: string) => `[image ${mediaType}]`,
  thinking: "[thinking]",
  calls: (names: string) => `calls ${names}`,
  rationale: (why: string) => `Why: ${why}`,
  returnedTo: (prompt: string) => `Back to: ${prompt}`,
  contextFill: (percent: number) => `${percent}% context`,
  snapshotOf: (number: number, state: string) => `of #${number}: ${state}`,
  changedOutside: "files changed while no tool ran",
  changedDuring: (calls: string) => `files changed while this ran: ${calls}`,
  restored: outcomeCounts,
  compacted: (before: number) => `at ${counted(before, "token", "tokens")}`,
  todos: (open: number, doing: number, done: number) => `${open} open, ${doing} in progress, ${done} done`,
  unnamed: (place: string) => `${place} no longer has a label`,
  executionNamed: (id: string) => `execution ${id}`,
  stepSaved: (index: number, name: string, attempt: number) => `step ${index} ${name}, attempt ${attempt}`,
  stepStatus: { pending: "started", success: "done", failed: "failed" },
  stepDeleted: (index: number, attempt: number) => `checkpoint of step ${index}, attempt ${attempt} deleted`,
  executionFinished: "the program finished",
  stepDecided: { retry: "to be retried", skip: "skipped", fail: "given up" },
  interruptedBy: (who: string) => `by ${who}`,
  rotated: (file: number) => `file ${file} starts`,
  foreign: "from a newer version; ignored",
  forgotten: "partly forgotten",
  head: "head",
  tip: (kind: string, line: number, count: number) =>
    `${kind}, line ${line}: ${counted(count, "entry", "entries")} on another branch`,
  damagedLines: (count: number) =>
    `${counted(count, "line", "lines")} in the log cannot be read; for details: worldline log`,
  roles: { system: "system", user: "user", assistant: "assistant", tool: "tool" },
  breakpoint: "cache breakpoint",
  empty: "(empty)",
  toolCall: (name: string, call: string) => `[call ${name} ${call}]`,
  malformedCall: (text: string) => `not JSON: ${text}`,
  contextSize: (messages: number, tokens: number, basis: string) =>
    `${counted(messages, "message", "messages")}, ${counted(tokens, "token", "tokens")} (${basis})`,
  tokenBasis: { counted: "partly counted by the provider, partly estimated", estimated: "estimated" },
  windowFill: (size: string, percent: number, window: number) =>
    `${size}, ${percent}% of ${window.toLocaleString("en")}`,
  windowUnknown: (why: string) => `Context usage is unknown: ${why}`,
};
