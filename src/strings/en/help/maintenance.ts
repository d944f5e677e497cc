export const config = {
  summary: "show and change settings",
  description:
    "Show every setting with the value in effect here. Each of these sources overrides the ones before it: defaults, ~/.worldline/settings.json, the workspace's .worldline/settings.json and .worldline/settings.local.json, the environment, --setting.",
  options: {
    explain:
      "also show where each value comes from, what it overrides, and what is ignored until you trust the workspace",
  },
  examples: {
    "worldline config": "show all settings",
    "worldline config --explain": "also show where each value comes from",
    "worldline config get lock.waitMs": "print one value, for a script",
    "worldline config set trash.days 90": "change your own settings",
    "worldline config trust": "trust this workspace's settings",
  },
};

export const configGet = {
  summary: "print the value of a setting",
  description: "Print the value that a setting has here, and nothing else.",
  arguments: { key: "name of the setting, such as lock.waitMs" },
  examples: {
    "worldline config get lock.waitMs": "print the value",
    "worldline config get trash.days --json": 'print {"key": ..., "value": ...}',
  },
};

export const configSet = {
  summary: "change a setting in a settings file",
  description:
    "Write a setting to a settings file, and keep the comments in the file. Invalid values are rejected.",
  arguments: { key: "name of the setting, such as lock.waitMs", value: "new value" },
  options: {
    where:
      "user: for you, everywhere; workspace: for everyone who works here; local: for you, in this workspace (default: user)",
  },
  examples: {
    "worldline config set trash.days 90": "write to ~/.worldline/settings.json",
    "worldline config set checkpointKeepCount 50 --where workspace":
      "write to .worldline/settings.json, shared with everyone who works here",
  },
};

export const configTrust = {
  summary: "trust this workspace's current settings",
  description:
    "Trust this folder with the current content of its settings files, .mcp.json and .claude. Until you trust it, its settings can only make Worldline more restrictive, the servers in .mcp.json are not started, and the claude host reads neither CLAUDE.md nor .claude. Trust ends when these files change.",
  examples: {
    "worldline config --explain": "review what is ignored until you trust the workspace",
    "worldline config trust": "then trust it",
  },
};

export const configUntrust = {
  summary: "stop trusting this workspace's settings",
  description:
    "Stop trusting this workspace's settings. From then on, these settings can only make Worldline more restrictive.",
  examples: {
    "worldline config untrust": "stop trusting the workspace of the current folder",
  },
};

export const doctor = {
  summary: "check for problems; --fix repairs what it can",
  description:
    "Check the home folder, the settings, the trash, every line and long text of every session (or of the one named by --session), and the structure of every snapshot (`worldline store verify` also reads the contents). Nothing is changed without --fix. The exit code is 1 if an error remains.",
  options: {
    fix: "repair what can be repaired: permissions, locks, torn lines and unfinished restores left by a crash, expired sessions in the trash",
  },
  examples: {
    "worldline doctor": "check, without changing anything",
    "worldline doctor --fix": "repair what can be repaired, and report it",
    "worldline doctor --session k3f9 --json": "check one session, and print JSON",
  },
};

export const store = {
  summary: "measure, verify and clean up the snapshot store",
  description: "Maintain the snapshot store, which holds the files of all checkpoints in all workspaces.",
  examples: {
    "worldline store du": "show how much space the store uses",
    "worldline store verify": "check the whole store for damage",
    "worldline store gc --dry-run": "show what can be removed",
  },
};

export const storeDu = {
  summary: "show how much space checkpoint files use",
  description:
    "Show how much space the files of all checkpoints use. Most data is shared, so the size listed for each workspace and session is the space that you would free by removing only that one.",
  examples: {
    "worldline store du": "show the space used by each workspace and session",
    "worldline store du --json": "print JSON",
  },
};

export const storeVerify = {
  summary: "check the whole snapshot store for damage",
  description:
    "Read everything in the store, compare it with what was written, and walk every snapshot down to the last file. Nothing is changed. If something is damaged, list which paths in which checkpoints cannot be restored; the exit code is then 1. Content removed by `worldline forget` is listed, but does not count as damage.",
  examples: {
    "worldline store verify": "check, without changing anything",
    "worldline store verify --json": "print JSON",
  },
};

export const storeGc = {
  summary: "remove unused data, and old files if the store is over its limit",
  description:
    "Remove data that no checkpoint, rewind or redo needs. If the store is larger than snapshots.maxBytes, also remove the files of old checkpoints, oldest first; their conversations are kept. For each session, these are always kept: the newest checkpointKeepCount (10) checkpoints, every checkpoint with a label, and the files that the last 10 rewinds and redos replaced. The command first shows what would be removed and asks for confirmation. The readable parts of damaged snapshots are kept, unless you pass --release-damaged.",
  options: {
    dryRun: "show what would be removed, without removing it",
    releaseDamaged: "also remove the files of checkpoints that cannot be read completely",
    yes: "skip confirmation",
  },
  examples: {
    "worldline store gc --dry-run": "show what would be removed",
    "worldline store gc --yes": "clean up without confirmation",
    "worldline store gc --setting snapshots.maxBytes=1000000000": "shrink the store to 1 GB, if possible",
  },
};

export const forget = {
  summary: "permanently remove a secret from all sessions",
  description:
    "Replace a leaked secret with [forgotten] in all sessions, including other branches and the trash, and erase every version of a file that contains it from all snapshots. This is the only command that changes data that is already stored, and it cannot be undone. The text must match exactly. With --path, everything that tools read from or wrote to that file or folder is removed, along with its contents in snapshots. Files that the Claude Agent SDK keeps are listed, but not changed.",
  arguments: {
    text: "text to remove; - reads it from a pipe, which keeps it out of your shell history",
  },
  options: {
    text: "text to remove, even if it looks like a file name",
    path: "file or folder to remove",
    dryRun: "show where the text or path occurs, without changing anything",
    yes: "skip confirmation",
  },
  examples: {
    "worldline forget --path .env --dry-run": "list the sessions in which a tool read or wrote .env",
    'worldline forget "hunter2, my password"': "remove text after confirmation",
    'read -rs S; printf %s "$S" | worldline forget - --yes': "type the secret without displaying it",
  },
};
