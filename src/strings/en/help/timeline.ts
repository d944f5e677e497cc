const choices = {
  keep: "what somebody else changed since stays as it is (the default in an agent's session), and so does what changed while commands ran",
  take: "what somebody else changed since is restored too (the default in the workspace's own session)",
  merge: "what somebody else changed since is merged line by line; what does not fit stays",
};

/** Shared by all commands that rewind. */
export const rewindOptions = {
  scope:
    "what goes back (default: both in an agent's session, files in the workspace's own, and with --only)",
  only: "restore only this file or folder; may be given several times",
  dryRun: "show what would happen, and change nothing",
  yes: "do not ask, also where more paths are deleted than rewind.confirmDeletes says",
  ...choices,
};

export const checkpoint = {
  summary: "make a checkpoint here",
  description:
    "Makes a checkpoint where the session stands now, and captures the workspace's files. In a workspace without a session, its own session is begun. What could not be captured is named; where no file could be, the exit code is 1.",
  arguments: { label: "a name for it; not only digits" },
  examples: {
    "worldline checkpoint": "make a checkpoint; prints its number",
    'worldline checkpoint "before refactoring"': "make one that can be named later",
  },
};

export const checkpoints = {
  summary: "list checkpoints, newest first",
  description:
    "Lists the checkpoints of a session, newest first, also those on branches that were left, and what is known of their files: captured, partial (something could not be read), pending, none, or conversation only (no longer kept).",
  options: { all: "of all sessions of the workspace", steps: "also the checkpoints before each model call" },
  examples: {
    "worldline checkpoints": "of the session last used here",
    "worldline checkpoints --all --steps": "of all sessions of the workspace, steps included",
    "worldline checkpoints --json | jq '.checkpoints[0].number'": "the newest one's number",
  },
};

export const label = {
  summary: "name a checkpoint",
  description:
    "Names a checkpoint, so that it can be called by that name; an empty text takes the name away.",
  arguments: {
    cp: "the checkpoint: a number, session:number, or its label so far",
    text: 'the label, not only digits; "" takes it away',
  },
  examples: {
    'worldline label 12 "tests pass"': "name checkpoint 12",
    'worldline label "tests pass" ""': "take the name away",
  },
};

export const rewind = {
  summary: "go back to a checkpoint; nothing is lost",
  description:
    "Goes back to a checkpoint: files, conversation, or both. Nothing is lost: the present is captured first, what is left behind stays on the timeline, and `worldline redo` goes forward again. Works for any checkpoint, also before a compaction or on a branch that was left. What somebody else changed since is kept, unless you say otherwise.",
  arguments: { cp: "the checkpoint: a number, session:number, or a label (default: choose from a list)" },
  options: rewindOptions,
  examples: {
    "worldline rewind 12 --dry-run": "what would change, file by file",
    'worldline rewind "tests pass"': "back to where that label stands",
    "worldline rewind 12 --only src/main.ts": "one file as it was there",
    "worldline rewind 12 --scope conversation": "files stay as they are",
    "worldline rewind": "choose from a list",
  },
};

export const redo = {
  summary: "go forward again to where a rewind or backtrack left from",
  description:
    "Redoes what you last rewound, with the files that it took along. It applies while nothing new has happened since: after new work there is nothing to redo, and an older rewind or backtrack is undone only by its id, after showing what that leaves. What somebody else changed since is kept, unless you say otherwise.",
  arguments: { journey: "a journey's id, or the beginning of it; --list shows them" },
  options: {
    list: "show every place that you can return to, newest first",
    scope: "what goes (default: what the rewind or backtrack took along)",
    dryRun: "show what would happen, and change nothing",
    yes: "do not ask, also where newer work is left or many paths are deleted",
    ...choices,
  },
  examples: {
    "worldline redo": "redo what you last rewound",
    "worldline redo --list": "every place that you can return to",
    "worldline redo k3f9 --dry-run": "what undoing that journey would bring back, and leave",
  },
};

export const fork = {
  summary: "begin a new session from a place in this one",
  description:
    "Begins a new session with a copy of a branch, as it stands or up to a checkpoint. The source stays as it is. Files stay as they are, unless --files restore takes the workspace to where the fork begins, or --into gives the fork a workspace of its own: a new folder with the files of that checkpoint, ignored ones included. --here is for a session from another machine, or of a folder that is gone.",
  arguments: { session: "the session to fork (default: --session, else the one last used here)" },
  options: {
    at: "up to this checkpoint: a number, session:number, or a label (default: the head)",
    files: "keep (the default), or take the files to the checkpoint of --at",
    into: "a new or empty folder to be the fork's workspace, with the checkpoint's files",
    here: "the fork works in the folder that you are in, or --workspace, whose files stay as they are",
    yes: "do not ask, also where more paths are deleted than rewind.confirmDeletes says",
    ...choices,
  },
  examples: {
    "worldline fork": "a second session that goes on from here",
    "worldline fork --at 12": "one that goes on from checkpoint 12",
    "worldline fork --at 12 --files restore": "and takes the files back, too",
    "worldline fork --at 12 --into ../attempt": "in a folder of its own",
    "worldline fork k3f9 --at 3": "from checkpoint 3 of another session",
    "worldline fork k3f9 --here": "a copy that goes on in this folder",
  },
};

export const compact = {
  summary: "let a summary stand for the older part of a conversation",
  description:
    "Lets a summary stand for the older part of a conversation, in what the model sees. The last prompt, the last exchanges (the setting compaction.keep), todos, the list of changed files and what the person has said stay. The log keeps all of it, and going back before the compaction brings it back. Where no usable summary comes about in three attempts, the context stays as it was, and that is said. Where the session's host is claude, the Claude Agent SDK makes the summary its own way.",
  arguments: { focus: "what the summary should keep in particular detail" },
  options: {
    model: "the model that writes the summary, whatever the settings say",
    dryRun: "say what would be summarised and what kept, ask no model, and change nothing",
  },
  examples: {
    "worldline compact": "the session last used here",
    "worldline compact the failing tests": "with a focus",
    "worldline compact --model anthropic/claude-haiku-4-5": "with a summary by that model",
    "worldline compact --dry-run": "what would be summarised",
  },
};
