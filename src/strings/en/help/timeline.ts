/** Options for what happens to files that were changed outside the session. */
const choices = {
  keep: "keep files that were changed outside the session or while commands ran (default in an agent session)",
  take: "overwrite files that were changed outside the session (default in the workspace's own session)",
  merge: "merge changes made outside the session line by line; keep files that do not merge",
};

/** Options shared by all commands that rewind. */
export const rewindOptions = {
  scope:
    "what to rewind (default: both in an agent session, but only files in the workspace's own session or with --only)",
  only: "restore only this file or folder (repeatable)",
  dryRun: "show what would happen, without changing anything",
  yes: "skip confirmation, even if more paths than rewind.confirmDeletes would be deleted",
  ...choices,
};

export const checkpoint = {
  summary: "create a checkpoint",
  description:
    "Create a checkpoint at the current point of the session, and capture the workspace's files. If the workspace has no session, start one for the workspace itself. Files that could not be captured are listed. If no file could be captured, the exit code is 1.",
  arguments: { label: "label for the checkpoint; must not consist only of digits" },
  examples: {
    "worldline checkpoint": "create a checkpoint and print its number",
    'worldline checkpoint "before refactoring"': "create a checkpoint with a label",
  },
};

export const checkpoints = {
  summary: "list checkpoints, newest first",
  description:
    "List the checkpoints of a session on all branches, newest first, with the state of their files: captured, partial (some could not be read), pending, none, or conversation only (no longer stored).",
  options: {
    all: "list the checkpoints of all sessions in the workspace",
    steps: "include the checkpoints before each model call",
  },
  examples: {
    "worldline checkpoints": "list the checkpoints of the last session",
    "worldline checkpoints --all --steps":
      "list the checkpoints of all sessions in the workspace, including step checkpoints",
    "worldline checkpoints --json | jq '.checkpoints[0].number'": "print the number of the newest checkpoint",
  },
};

export const label = {
  summary: "add, change or remove the label of a checkpoint",
  description:
    "Label a checkpoint. Other commands accept the label in place of the number. An empty string removes the label.",
  arguments: {
    cp: "checkpoint: a number, session:number, or its current label",
    text: 'new label, which must not consist only of digits; "" removes the label',
  },
  examples: {
    'worldline label 12 "tests pass"': "label checkpoint 12",
    'worldline label "tests pass" ""': "remove the label",
  },
};

export const rewind = {
  summary: "go back to a checkpoint; nothing is lost",
  description:
    "Go back to a checkpoint: the files, the conversation, or both. The current state is captured first, and `worldline redo` returns to it. You can go back to any checkpoint, even one before a compaction or on another branch. In an agent session, files that were changed outside the session are kept unless you choose otherwise.",
  arguments: { cp: "checkpoint: a number, session:number, or a label (default: choose from a list)" },
  options: rewindOptions,
  examples: {
    "worldline rewind 12 --dry-run": "preview the changes, file by file",
    'worldline rewind "tests pass"': "go back to a label",
    "worldline rewind 12 --only src/main.ts": "restore a single file",
    "worldline rewind 12 --scope conversation": "rewind the conversation, not the files",
    "worldline rewind": "choose a checkpoint from a list",
  },
};

export const redo = {
  summary: "undo a rewind or backtrack",
  description:
    "Return to where you were before your last rewind, including the files it changed. After new work, you can only undo a rewind or backtrack by its id, and the newer work that would be left behind is shown first. In an agent session, files that were changed outside the session are kept unless you choose otherwise.",
  arguments: { journey: "id of the rewind or backtrack, or a prefix of the id (see --list)" },
  options: {
    list: "list every point you can return to, newest first",
    scope: "what to redo (default: what the rewind or backtrack changed)",
    dryRun: "show what would happen, without changing anything",
    yes: "skip confirmation, even if newer work is left behind or many paths would be deleted",
    ...choices,
  },
  examples: {
    "worldline redo": "redo what you last rewound",
    "worldline redo --list": "list every point you can return to",
    "worldline redo k3f9 --dry-run": "preview undoing that rewind or backtrack",
  },
};

export const fork = {
  summary: "start a new session from a point in this one",
  description:
    "Start a new session with a copy of the current branch, in full or up to a checkpoint. The original session does not change. The workspace's files do not change either, unless you pass --files restore; --into puts the checkpoint's files, including ignored ones, into a new folder as the fork's own workspace. Use --here for a session from another machine, or one whose folder no longer exists.",
  arguments: { session: "session to fork (default: --session, else the one last used here)" },
  options: {
    at: "fork at this checkpoint: a number, session:number, or a label (default: the head)",
    files: "keep the workspace's files, or restore them to the checkpoint given with --at (default: keep)",
    into: "new or empty folder to use as the fork's workspace, with the checkpoint's files",
    here: "use the current folder (or --workspace) as the fork's workspace, without changing its files",
    yes: "skip confirmation, even if more paths than rewind.confirmDeletes would be deleted",
    ...choices,
  },
  examples: {
    "worldline fork": "continue from here in a second session",
    "worldline fork --at 12": "continue from checkpoint 12",
    "worldline fork --at 12 --files restore": "also restore the files to checkpoint 12",
    "worldline fork --at 12 --into ../attempt": "work in a separate folder",
    "worldline fork k3f9 --at 3": "continue from checkpoint 3 of another session",
    "worldline fork k3f9 --here": "continue a copy of a session in this folder",
  },
};

export const compact = {
  summary: "summarize the older part of the conversation",
  description:
    "Replace the older part of the conversation with a summary in the model's context. Your prompts (up to a limit), the latest exchanges (compaction.keep), the todos and the list of changed files are kept. The log keeps everything, and rewinding to before the compaction restores it. If three attempts produce no usable summary, the context does not change and the command fails. With the claude host, the Claude Agent SDK compacts in its own way.",
  arguments: { focus: "what the summary should cover in detail" },
  options: {
    model: "model that writes the summary (default: compaction.model, else the main model)",
    dryRun: "show what would be summarized and what would stay, without calling a model",
  },
  examples: {
    "worldline compact": "compact the last session",
    "worldline compact the failing tests": "cover one topic in detail",
    "worldline compact --model anthropic/claude-haiku-4-5": "use another model for the summary",
    "worldline compact --dry-run": "show what would be summarized",
  },
};
