import { rewindOptions } from "./timeline.ts";

export const sessions = {
  summary: "list and manage sessions",
  description:
    "List the sessions in this workspace; the commands below work on them. You can name a session by its id, a prefix of its id, or its title.",
  examples: {
    "worldline sessions": "list the sessions in this workspace",
    "worldline sessions list --all": "list the sessions in all workspaces",
    'worldline sessions search "connection pool"': "find where something was mentioned",
    "worldline sessions export k3f9 -o leak.md": "write a readable transcript",
  },
};

export const sessionsList = {
  summary: "list sessions, last used first",
  description:
    "List the sessions in this workspace, last used first: id, time of last use, messages, checkpoints, and title or beginning of the first prompt. Damaged sessions and sessions that cannot be opened are marked.",
  options: {
    all: "list the sessions in all workspaces",
    subAgents: "include the sessions of sub-agents, which are part of the session that started them",
  },
  examples: {
    "worldline sessions list": "list the sessions in this workspace",
    "worldline sessions list --all": "list the sessions in all workspaces",
    "worldline sessions list --json | jq -r '.sessions[0].id'": "print the id of the session last used",
  },
};

export const sessionsShow = {
  summary: "show details of a session",
  description:
    "Show details of a session: its size, its head, which program has it open, an unfinished tool call, and any damage with file and line. The command reads the whole session and changes nothing.",
  arguments: { session: "session to show (default: --session, else the one last used here)" },
  examples: {
    "worldline sessions show": "show the session last used here",
    "worldline sessions show k3f9": "show the session whose id begins with k3f9",
    "worldline sessions show --json | jq .damage": "list the damaged places",
  },
};

export const sessionsSearch = {
  summary: "search all text in sessions, on all branches",
  description:
    "Search all text in this workspace's sessions, on all branches: prompts, replies, tool calls and their results, notes, summaries, titles and labels. Ignores case.",
  arguments: { text: "text to search for" },
  options: {
    all: "search the sessions in all workspaces",
    limit: "maximum number of entries to show; 0 shows all (default: 50)",
  },
  examples: {
    'worldline sessions search "connection pool"': "search this workspace",
    "worldline sessions search ECONNRESET --all --limit 0": "search all workspaces, and show every match",
    "worldline sessions search leak --session k3f9": "search one session",
  },
};

export const sessionsRename = {
  summary: "change the title of a session",
  description: "Give a session a new title. Earlier titles stay in its log.",
  arguments: { session: "session id, id prefix, or current title", title: "new title" },
  examples: {
    'worldline sessions rename k3f9 "The leak in the pool"': "set the title of a session",
    'worldline sessions rename "find the leak" "The leak"': "identify the session by its current title",
  },
};

export const sessionsConfirm = {
  summary: "allow work on a session that came from elsewhere",
  description:
    "Confirm a session that was not written by this Worldline home: one that was imported, or that another machine wrote to a shared store. Until you confirm it, it can only be read, exported and deleted. Once confirmed, it works in the current folder (or --workspace), regardless of the folder that it names, and uses this machine's system prompt. Permissions granted in the session do not apply; you are asked again. Nothing is written to the session.",
  arguments: { session: "session id, id prefix, or title" },
  options: { yes: "skip confirmation" },
  examples: {
    "worldline sessions confirm k3f9": "allow work on the session in this folder",
    "worldline sessions confirm k3f9 --workspace ~/work/shop --yes":
      "use another folder, without confirmation",
  },
};

export const sessionsDelete = {
  summary: "move sessions to the trash, or empty it",
  description:
    "Move sessions to the trash; they can be restored for trash.days (30) days. The command also permanently removes sessions that have been in the trash longer, and lists them. A session that another program has open is not deleted. Files that the Claude Agent SDK keeps are not removed.",
  arguments: { sessions: "session ids, id prefixes, or titles" },
  options: {
    emptyTrash: "permanently remove everything in the trash now",
    dryRun: "show what would happen, without changing anything",
    yes: "skip confirmation (only --empty-trash asks)",
  },
  examples: {
    "worldline sessions delete k3f9":
      "move a session to the trash; undo with `worldline sessions undelete k3f9`",
    "worldline sessions delete k3f9 b7qa --dry-run": "show what would be deleted",
    "worldline sessions delete --empty-trash --yes": "empty the trash; this cannot be undone",
  },
};

export const sessionsUndelete = {
  summary: "restore sessions from the trash, or list it",
  description: "Restore sessions from the trash, as they were when they were deleted.",
  arguments: { sessions: "session ids or id prefixes (see --list)" },
  options: { list: "list the sessions in the trash and their expiry dates" },
  examples: {
    "worldline sessions undelete --list": "list what can be restored",
    "worldline sessions undelete k3f9": "restore the session whose id begins with k3f9",
  },
};

export const sessionsExport = {
  summary: "export a session as Markdown, JSON or a bundle",
  description:
    "Write a session to standard output or to a file: as Markdown to read, as JSON for programs, or as a bundle (a complete copy for a backup or another machine). A file is written completely or not at all. A bundle includes the files of the checkpoints, but by default only the names and hashes of ignored files such as .env. Any export may contain secrets from the session; check it before you share it.",
  arguments: { session: "session to export (default: --session, else the one last used here)" },
  options: {
    format: "output format (default: from the file extension .md, .json or .bundle, else markdown)",
    output: "file to write; - is standard output (default: -)",
    all: "Markdown: include other branches, which JSON and bundles always do",
    includeIgnored: "bundle: include the content of ignored files, which may contain secrets",
    noFiles: "bundle: leave out the files of all checkpoints",
    force: "overwrite an existing file",
  },
  examples: {
    "worldline sessions export | less": "read the session last used here as Markdown",
    "worldline sessions export k3f9 -o leak.bundle": "write a complete copy for another machine",
    "worldline sessions export k3f9 --format bundle | ssh host worldline sessions import -":
      "copy a session to another machine in one step",
  },
};

export const sessionsImport = {
  summary: "import a bundle or a kimi-cli session",
  description:
    "Import a bundle made by `sessions export`, or a kimi-cli session with its older context files. Everything is checked before anything is written, and the source is only read. The files of a bundle go to the snapshot store; no workspace is touched. --workspace sets the folder that the session works in (default: the one it worked in).",
  arguments: {
    path: "bundle, folder of a kimi-cli session, or its context.jsonl; - is standard input",
  },
  options: {
    from: "format of the source (default: detected from its content)",
    list: "list the kimi-cli sessions on this machine",
  },
  examples: {
    "worldline sessions import leak.bundle": "import a session from another machine",
    "worldline sessions import leak.bundle --workspace .": "continue it in this folder",
    "worldline sessions import --list": "list the kimi-cli sessions on this machine",
    "worldline sessions import ~/.kimi/sessions/5a3c/0b1d": "import one of them, with all its branches",
  },
};

export const executions = {
  summary: "manage the recorded steps of programs and turns",
  description:
    "List the executions in this workspace, newest first: programs that record their steps (openExecution), and agent turns. An execution is identified by its id (for `show`, a prefix is enough), and a step by its checkpoint, such as ckpt-exec-123-2.",
  options: {
    all: "list the executions in all workspaces",
    kind: "list only programs, or only agent turns",
    limit: "maximum number to list (default: 20)",
  },
  examples: {
    "worldline executions": "list the executions in this workspace",
    "worldline executions --kind program --all": "list the programs in all workspaces",
    "worldline executions show exec-123": "show the steps, attempts and errors of one execution",
    "worldline executions restore exec-123 --step data_processing --dry-run": "preview going back to a step",
  },
};

export const executionsShow = {
  summary: "show the steps of an execution, or one step in full",
  description:
    'Show the steps of an execution: number, name, attempt, status, time and error. For a checkpoint, show everything stored at that step: state, context, variables, metadata and output. With --json, a value that JSON cannot represent is printed as an object with one key, such as {"$date": "..."}, {"$map": [[key, value]]} or {"$bytes": base64}; docs/guide/executions.md lists all of them. Changes nothing.',
  arguments: {
    id: "execution id or id prefix, or a checkpoint such as ckpt-exec-123-2 or ckpt-exec-123-2@1",
  },
  examples: {
    "worldline executions show exec-123": "show its steps",
    "worldline executions show ckpt-exec-123-2": "show everything stored by the latest attempt at step 2",
    "worldline executions show exec-123 --json": "print everything as JSON",
  },
};

export const executionsRestore = {
  summary: "restore an execution and its files to a step",
  description:
    "Restore an execution to a step, along with the workspace's captured files. For a program, the state at the end of the step is restored; for an agent, the state at the beginning of the step or of the whole turn. For a program, all later changes to files are undone, including yours, because Worldline cannot tell your changes from the program's. For a turn, outside changes are handled as in `worldline rewind`. `worldline redo --session` restores everything. The program reads the restored state when it next starts.",
  arguments: { id: "full id of the execution, or one of its checkpoints, such as ckpt-exec-123-2" },
  options: {
    step: "step to go back to (default: the last one that succeeded; for a turn, its beginning)",
    ...rewindOptions,
  },
  examples: {
    "worldline executions restore exec-123 --dry-run": "preview what would change",
    "worldline executions restore exec-123 --step data_processing": "go back to the end of that step",
    "worldline executions restore ckpt-exec-123-2 --yes": "go back without confirmation",
  },
};

export const executionsDelete = {
  summary: "move a program's execution to the trash",
  description:
    "Move a program's execution, with all its steps, to the trash, where it is kept for trash.days (30) days. If a program later uses the same id, it starts from the beginning. With --checkpoint, permanently delete a single checkpoint and the values in it: it can no longer be listed or restored, and its step does not run again automatically. An execution that a program has open is not deleted. The workspace's files do not change.",
  arguments: { id: "full id of the execution" },
  options: {
    checkpoint: "delete only this checkpoint, such as ckpt-exec-123-2 or ckpt-exec-123-2@1",
    dryRun: "show what would happen, without changing anything",
    yes: "skip confirmation",
  },
  examples: {
    "worldline executions delete exec-123": "delete it after confirmation",
    "worldline executions delete exec-123 --yes": "delete it from a script",
    "worldline executions delete exec-123 --checkpoint ckpt-exec-123-2":
      "delete only the latest attempt at step 2",
  },
};

export const log = {
  summary: "show the entries of a session",
  description:
    "Show the entries of a session in the order they were written, on all branches. Lines that cannot be read are marked.",
  options: {
    branch: "show only the current branch",
    kind: "show only entries of this kind",
    limit: "show only the last n entries; 0 shows all (default: 50, or all with --json)",
    full: "show the full text of each entry, not just its beginning",
  },
  examples: {
    "worldline log": "show the last 50 entries",
    "worldline log --branch --kind prompt --limit 0 --full": "show all prompts on the current branch in full",
    "worldline log --json | jq '.entries[].kind'": "print the kind of each entry",
  },
};

export const tree = {
  summary: "draw a session with all its branches",
  description:
    "Draw a session as a tree, with the current branch on the left and other branches beside it. The tree shows prompts, manual and labeled checkpoints, rewinds and backtracks with the places they left, and compactions. To go to a numbered row, use `worldline rewind <number>`; to return to the end of another branch, use the `worldline redo` command shown there.",
  options: { all: "draw every entry" },
  examples: {
    "worldline tree": "draw the session last used here",
    "worldline tree --all --session k3f9": "draw every entry in another session",
  },
};

export const context = {
  summary: "show exactly what the model sees",
  description:
    "Show exactly what the model sees, now or at a checkpoint, including markers and notes, and how much of the context window it fills if the window is known (setting context.window).",
  options: { at: "show this checkpoint: a number, session:number, or a label (default: the head)" },
  examples: {
    "worldline context": "show what the model sees now",
    "worldline context --at 12": "show what it saw at checkpoint 12",
    "worldline context --json | jq '.messages | length'":
      "count the messages, in Worldline's own JSON format",
  },
};

export const stats = {
  summary: "show tokens, cost, cache use and backtracks",
  description:
    "Show what a session did and used on all its branches: prompts, model calls, tool calls, tokens, cache use, cost, backtracks and what they saved, and compactions. Token counts come from the providers; prices come from a built-in table and the models setting, and missing prices are reported. Failed calls are not counted. Entries that a fork copied count toward the original session; sub-agents count toward the session that started them.",
  options: { all: "add up all sessions in all workspaces" },
  examples: {
    "worldline stats": "show the session last used here",
    "worldline stats --session k3f9": "show the session whose id begins with k3f9",
    "worldline stats --all": "add up all sessions",
    "worldline stats --json | jq .cost": "print the cost in dollars as a number",
  },
};

export const story = {
  summary: "play a scripted story and check its claims",
  description:
    "Play a scripted story on a real timeline in a temporary folder: a dead end and a backtrack, a compaction, a rewind, a redo, a fork, a killed process and a torn line. Then draw the tree and check each claim against the files; the exit code is 1 if any claim is false. No model is called and none of your files are touched.",
  examples: {
    "worldline story": "play the story",
    "worldline story --json | jq '.claims[] | select(.holds | not)'": "print the claims that are false",
  },
};
