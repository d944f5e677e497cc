import { rewindOptions } from "./timeline.ts";

export const sessions = {
  summary: "list, show, search, name, delete, export and import sessions",
  description:
    "Lists the sessions of this workspace; the commands below show, search, name, delete, export and import them. A session is named by its id, the beginning of it, or its title.",
  examples: {
    "worldline sessions": "the sessions of this workspace",
    "worldline sessions list --all": "of all workspaces",
    'worldline sessions search "connection pool"': "where something was said",
    "worldline sessions export k3f9 -o leak.md": "a transcript to read",
  },
};

export const sessionsList = {
  summary: "list sessions, last used first",
  description:
    "Lists the sessions of this workspace, last used first: id, when it was used, messages, checkpoints, and its title or how its first prompt begins. A session that is damaged is marked, one that cannot be opened is named.",
  options: {
    all: "of all workspaces",
    subAgents: "those of sub-agents too, which belong to the session that they worked for",
  },
  examples: {
    "worldline sessions list": "of this workspace",
    "worldline sessions list --all": "of all workspaces",
    "worldline sessions list --json | jq -r '.sessions[0].id'": "the id of the newest",
  },
};

export const sessionsShow = {
  summary: "show everything about one session",
  description:
    "Shows everything about one session: its counts, where its head stands, who holds it, a tool call that did not finish, and what is damaged, with file and line: for that, all of it is read. Changes nothing.",
  arguments: { session: "the session (default: --session, else the one last used here)" },
  examples: {
    "worldline sessions show": "the session last used here",
    "worldline sessions show k3f9": "the one whose id begins like that",
    "worldline sessions show --json | jq .damage": "what cannot be read",
  },
};

export const sessionsSearch = {
  summary: "search all text, branches that were left included",
  description:
    "Searches all text of the sessions of this workspace: prompts, replies, what tools were told and answered, notes, summaries, titles, labels; branches that were left included. Upper and lower case are the same.",
  arguments: { text: "what to look for" },
  options: {
    all: "in the sessions of all workspaces",
    limit: "how many entries to show; 0 shows all (default: 50)",
  },
  examples: {
    'worldline sessions search "connection pool"': "in this workspace",
    "worldline sessions search ECONNRESET --all --limit 0": "everywhere, all of it",
    "worldline sessions search leak --session k3f9": "in one session",
  },
};

export const sessionsRename = {
  summary: "give a session a title",
  description: "Gives a session a title. Earlier titles stay in its log; the last one counts.",
  arguments: { session: "the session: its id, the beginning of it, or its title", title: "its new title" },
  examples: {
    'worldline sessions rename k3f9 "The leak in the pool"': "from now on it is called that",
    'worldline sessions rename "find the leak" "The leak"': "found by what it was called",
  },
};

export const sessionsConfirm = {
  summary: "allow a session that came from elsewhere to be worked on here",
  description:
    "Confirms a session that this Worldline home did not write: an imported one, or another machine's in a shared store. Until then it can only be read, exported and deleted. It then works in the folder that you are in, whatever folder it claims, with a system prompt of this machine. What it grants does not count: you are asked again. Nothing is written to the session.",
  arguments: { session: "its id, the beginning of it, or its title" },
  options: { yes: "do not ask" },
  examples: {
    "worldline sessions confirm k3f9": "it may go on in this folder",
    "worldline sessions confirm k3f9 --workspace ~/work/shop --yes": "in that one, without a question",
  },
};

export const sessionsDelete = {
  summary: "move sessions to the trash, or empty it",
  description:
    "Moves sessions to the trash, where they are kept for trash.days days (30) and can be brought back. What has been there for longer is then removed for good, and named. A session that another program holds is not deleted. Files that the Claude Agent SDK keeps of its own stay where they are.",
  arguments: { sessions: "the sessions: ids, beginnings of them, or titles" },
  options: {
    emptyTrash: "remove everything in the trash for good, now",
    dryRun: "show what would happen, and change nothing",
    yes: "do not ask for agreement, which only --empty-trash needs",
  },
  examples: {
    "worldline sessions delete k3f9": "can be undone: worldline sessions undelete k3f9",
    "worldline sessions delete k3f9 b7qa --dry-run": "what would be deleted",
    "worldline sessions delete --empty-trash --yes": "cannot be undone",
  },
};

export const sessionsUndelete = {
  summary: "bring a session back from the trash, or list what is in it",
  description: "Brings sessions back from the trash, as they were when they were deleted.",
  arguments: { sessions: "the sessions: ids, or beginnings of them; see --list" },
  options: { list: "list what is in the trash, and until when it is kept" },
  examples: {
    "worldline sessions undelete --list": "what can be brought back",
    "worldline sessions undelete k3f9": "the one whose id begins like that",
  },
};

export const sessionsExport = {
  summary: "write a session as Markdown, JSON or a bundle",
  description:
    "Writes a session as Markdown (to read), JSON (for programs) or a bundle (for another machine or a backup: all of it, as it is). To standard output, or to a file, which is there whole or not at all. Look before you give one away: it may hold secrets that were pasted into the session. A bundle also holds the files of the session's checkpoints; of files that the workspace ignores, such as .env, only names and hashes, unless asked for.",
  arguments: { session: "the session (default: --session, else the one last used here)" },
  options: {
    format: "default: by the file's ending .md, .json or .bundle, else markdown",
    output: "where to write; - is standard output (the default)",
    all: "Markdown: also the branches that were left (JSON and bundles always hold them)",
    includeIgnored: "bundle: also what is in ignored files, which may hold secrets",
    noFiles: "bundle: leave out the files of all checkpoints",
    force: "replace a file that is there",
  },
  examples: {
    "worldline sessions export | less": "the session last used here, as Markdown",
    "worldline sessions export k3f9 -o leak.bundle": "all of it, for another machine",
    "worldline sessions export k3f9 --format bundle | ssh host worldline sessions import -":
      "and over there in one go",
  },
};

export const sessionsImport = {
  summary: "bring in a bundle, or a session of kimi-cli",
  description:
    "Brings in a bundle that `sessions export` made, or a session of kimi-cli with all its earlier files. Everything is checked before anything is written, and the source is only read. The files of a bundle go to the store of snapshots: no workspace is touched. --workspace says which folder the session is to work in (default: the one that it worked in).",
  arguments: { path: "a bundle, a kimi-cli session's folder or its context.jsonl; - is standard input" },
  options: {
    from: "what it is (default: seen from its content)",
    list: "list the sessions of kimi-cli on this machine",
  },
  examples: {
    "worldline sessions import leak.bundle": "a session from another machine",
    "worldline sessions import leak.bundle --workspace .": "to go on with it in this folder",
    "worldline sessions import --list": "what kimi-cli has here",
    "worldline sessions import ~/.kimi/sessions/5a3c/0b1d": "one of them, branches that were left included",
  },
};

export const executions = {
  summary: "list, show, restore and delete the steps of programs and of agents' turns",
  description:
    "Lists the executions of this workspace, newest first: what programs have written down step by step (openExecution), and the turns of agents. The commands below show one, bring one back to a step, and delete one. An execution is named by its id, of which `show` needs only the beginning; a step by its checkpoint, such as ckpt-exec-123-2.",
  options: {
    all: "of all workspaces",
    kind: "only those of programs, or only turns of agents",
    limit: "at most so many (default: 20)",
  },
  examples: {
    "worldline executions": "of this workspace",
    "worldline executions --kind program --all": "of all programs, wherever they ran",
    "worldline executions show exec-123": "its steps, attempts and errors",
    "worldline executions restore exec-123 --step data_processing --dry-run":
      "what going back there would do",
  },
};

export const executionsShow = {
  summary: "show the steps of an execution, or all that one step holds",
  description:
    'Shows the steps of an execution: place, name, attempt, status, time and error. Of one checkpoint it shows all that it holds: state, context, variables, metadata and output. With --json, values that JSON cannot hold stand as an object with one key, such as {"$date": "..."}, {"$map": [[key, value]]}, {"$bytes": base64}; docs/guide/executions.md has all of them. Changes nothing.',
  arguments: {
    id: "the execution, or the beginning of its id, or a checkpoint of it such as ckpt-exec-123-2 or ckpt-exec-123-2@1",
  },
  examples: {
    "worldline executions show exec-123": "its steps",
    "worldline executions show ckpt-exec-123-2": "all that the latest attempt at step 2 holds",
    "worldline executions show exec-123 --json": "everything, for a script",
  },
};

export const executionsRestore = {
  summary: "bring an execution and its files back to a step",
  description:
    "Brings an execution back to a step: its steps go on from there, and the files of the workspace are as they were, where the execution has them. It is the rewind of its session. Nobody can tell what a program changed from what a person did: what anybody changed since is taken back too, without a question for each file, and `worldline redo --session` brings it back. (In a turn of an agent, what others changed is asked about as by `worldline rewind`.) A program's step is gone back to as it had ended; an agent's step, or its whole turn, as it began. The program itself takes its state up when it is started again.",
  arguments: { id: "the whole id of the execution, or of a checkpoint of it such as ckpt-exec-123-2" },
  options: {
    step: "the step to go back to (default: the newest that succeeded; of a turn where it began)",
    ...rewindOptions,
  },
  examples: {
    "worldline executions restore exec-123 --dry-run": "what would change",
    "worldline executions restore exec-123 --step data_processing": "as that step had ended",
    "worldline executions restore ckpt-exec-123-2 --yes": "without a question",
  },
};

export const executionsDelete = {
  summary: "move the execution of a program to the trash",
  description:
    "Moves the execution of a program with all its steps to the trash, where it is kept for trash.days days (30). A program that is started again under that id begins anew. With --checkpoint it deletes a single checkpoint for good, with the values that it holds: it is no longer listed, and cannot be restored; its step is not run again by itself. What a program holds is not deleted. Files stay as they are.",
  arguments: { id: "the whole id of the execution" },
  options: {
    checkpoint: "delete only this checkpoint, such as ckpt-exec-123-2 or ckpt-exec-123-2@1",
    dryRun: "show what would happen, and change nothing",
    yes: "do not ask",
  },
  examples: {
    "worldline executions delete exec-123": "asks first",
    "worldline executions delete exec-123 --yes": "for a script",
    "worldline executions delete exec-123 --checkpoint ckpt-exec-123-2": "only the latest attempt at step 2",
  },
};

export const log = {
  summary: "show the entries of a session",
  description:
    "Shows the entries of a session in the order they were written, branches that were left included. Lines that cannot be read are shown at their place.",
  options: {
    branch: "only the branch of the head",
    kind: "only entries of this kind",
    limit: "only the last n; 0 for all (default: 50, with --json all)",
    full: "the whole text of each entry, not only how it begins",
  },
  examples: {
    "worldline log": "the last 50 entries",
    "worldline log --branch --kind prompt --limit 0 --full": "all prompts that led here",
    "worldline log --json | jq '.entries[].kind'": "the entries as data",
  },
};

export const tree = {
  summary: "draw a session with all its branches",
  description:
    "Draws the whole session as a tree: the branch of the head down the left, branches that were left beside it. Shows prompts, manual and named checkpoints, journeys and the places they left, and compactions. A row with a number is reached with `worldline rewind <number>`, the end of a branch that was left with the `worldline redo` command beside it.",
  options: { all: "every entry" },
  examples: {
    "worldline tree": "of the session last used here",
    "worldline tree --all --session k3f9": "every entry of another session",
  },
};

export const context = {
  summary: "show exactly what the model would see",
  description:
    "Shows exactly what the model would see, now or at a checkpoint: every part, markers and notes included, and how full that makes the model's window, where the setting context.window says how much that holds.",
  options: { at: "at this checkpoint: a number, session:number, or a label (default: the head)" },
  examples: {
    "worldline context": "what the model would see now",
    "worldline context --at 12": "what it saw at checkpoint 12",
    "worldline context --json | jq '.messages | length'": "as data, in no provider's format",
  },
};

export const stats = {
  summary: "show what a session has done and used: tokens, cost, cache, backtracks",
  description:
    "Shows what a session has done and used, on all its branches: prompts, model calls, tool calls, tokens, what came from the provider's cache, what that cost, what backtracks left behind and saved, and compactions. Tokens are what providers counted; prices are those of the built-in table and the setting models, and where there is none, that is said. Calls that failed are not counted. What a fork copied is counted in the session that it comes from; what its sub-agents did is counted with a session.",
  options: { all: "of all sessions of all workspaces, added up" },
  examples: {
    "worldline stats": "of the session last used here",
    "worldline stats --session k3f9": "of the session whose id begins like that",
    "worldline stats --all": "of all sessions together",
    "worldline stats --json | jq .cost": "in dollars, as a number",
  },
};

export const story = {
  summary: "play a scripted story on a real timeline, and prove what it promises",
  description:
    "Plays a scripted story on a real timeline in a temporary folder: a dead end and a backtrack, a compaction, a rewind, a redo, a fork, a killed process, a torn line. Then draws the tree and checks each claim against the files; exits with 1 if one does not hold. No model is called and nothing of yours is touched.",
  examples: {
    "worldline story": "play it",
    "worldline story --json | jq '.claims[] | select(.holds | not)'": "claims that do not hold",
  },
};
