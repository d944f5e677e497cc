export const config = {
  summary: "show and change settings, and say where each comes from",
  description:
    "Shows every setting, with the value that counts here. Layers, each stronger than the one before: default, ~/.worldline/settings.json, .worldline/settings.json and .worldline/settings.local.json in the workspace, the environment, --setting.",
  options: {
    explain: "say for each value where it comes from, what it overrode, and what is ignored until trusted",
  },
  examples: {
    "worldline config": "all settings",
    "worldline config --explain": "and where each value comes from",
    "worldline config get lock.waitMs": "one value, for a script",
    "worldline config set trash.days 90": "in your own settings",
    "worldline config trust": "accept what this workspace's settings say",
  },
};

export const configGet = {
  summary: "print one setting's value",
  arguments: { key: "the setting's name, such as lock.waitMs" },
  examples: {
    "worldline config get lock.waitMs": "prints the value that counts here, and nothing else",
    "worldline config get trash.days --json": 'as {"key": ..., "value": ...}',
  },
};

export const configSet = {
  summary: "write one setting to a file",
  description:
    "Writes one setting to a file, and keeps the file's comments. Nothing is written that would not be valid.",
  arguments: { key: "the setting's name, such as lock.waitMs", value: "its value" },
  options: {
    where: "yours everywhere, everybody's in this workspace, or yours in this workspace (default: user)",
  },
  examples: {
    "worldline config set trash.days 90": "in ~/.worldline/settings.json",
    "worldline config set checkpointKeepCount 50 --where workspace":
      "in .worldline/settings.json, to be shared with the others who work here",
  },
};

export const configTrust = {
  summary: "accept this workspace's settings as they are now",
  description:
    "Until you trust them, a workspace's own settings can only make Worldline more careful, and the servers of its .mcp.json are not started; nor does the host claude read its CLAUDE.md and its .claude. Trust is given to this folder and exactly this content: when the files change, it ends.",
  examples: {
    "worldline config --explain": "look first at what is ignored until trusted",
    "worldline config trust": "then accept it",
  },
};

export const configUntrust = {
  summary: "take that back",
  description: "From now on this workspace's own settings can only make Worldline more careful.",
  examples: {
    "worldline config untrust": "for the workspace of the current folder",
  },
};

export const doctor = {
  summary: "look whether everything is in order, and mend what can be mended",
  description:
    "Looks whether everything is in order: the home folder, the settings, the trash, every line and every long text of every session (or of the one that --session names), and whether every snapshot of files can be walked (worldline store verify also reads their contents). Changes nothing without --fix. Exit code 1 when an error remains.",
  options: {
    fix: "mend what can be mended: permissions, locks, torn bytes and unfinished restores that a crash left behind, what is in the trash for too long",
  },
  examples: {
    "worldline doctor": "look, and change nothing",
    "worldline doctor --fix": "mend what can be mended, and say what was done",
    "worldline doctor --session k3f9 --json": "one session, as data",
  },
};

export const store = {
  summary: "how large the store of files is, whether it is sound, and what may go",
  description: "Looks after the store in which the files of all checkpoints of all workspaces are kept.",
  examples: {
    "worldline store du": "how much room it takes, and for whom",
    "worldline store verify": "read everything, and say what is damaged",
    "worldline store gc --dry-run": "what could go",
  },
};

export const storeDu = {
  summary: "how much room the files of checkpoints take",
  description:
    "Says how much room the files of all checkpoints take. Most is shared: of each workspace and session it says what nobody else needs, which is exactly what letting go of that one alone would free.",
  examples: {
    "worldline store du": "how much room, and for whom",
    "worldline store du --json": "as data",
  },
};

export const storeVerify = {
  summary: "read everything that is stored, and say what is damaged",
  description:
    "Reads everything that is stored, compares it with what was written, and walks every snapshot down to the last file. Changes nothing. Exit code 1 when something is damaged: then it says which checkpoints cannot restore which paths. What was forgotten on purpose is named, and is no damage.",
  examples: {
    "worldline store verify": "look, and change nothing",
    "worldline store verify --json": "as data",
  },
};

export const storeGc = {
  summary: "remove what nothing needs, and let old checkpoints' files go where there is too much",
  description:
    "Removes what no checkpoint and no journey needs. Where the store is over snapshots.maxBytes, it also lets go of the files of old checkpoints, oldest first; their conversation stays. Kept in any case: the newest checkpointKeepCount (10) of each session, every label, and what the last 10 journeys left. Says what goes, and asks. What is left of a damaged snapshot stays, with all that may be its own, unless --release-damaged gives it up.",
  options: {
    dryRun: "show what would go, and change nothing",
    releaseDamaged: "also let go of the files of checkpoints that cannot be read through",
    yes: "do not ask",
  },
  examples: {
    "worldline store gc --dry-run": "what would go",
    "worldline store gc --yes": "without being asked",
    "worldline store gc --setting snapshots.maxBytes=1000000000": "down to 1 GB, as far as that can be done",
  },
};

export const forget = {
  summary: "remove a leaked secret from all sessions, for good",
  description:
    "Removes a leaked secret from all sessions, branches that were left and the trash included, and leaves [forgotten] in its place; and erases every version of a file that has it from all snapshots, whole, so that it cannot be restored any more. The one command that changes what was written; it cannot be undone. A text is forgotten exactly as it is given; of a file or folder (--path), what tools were told and have told about it, and what snapshots have of it. Files that the Claude Agent SDK keeps of its own are named, and left alone.",
  arguments: { text: "the text to forget; - reads it from a pipe, so that it is in no shell's history" },
  options: {
    text: "the text to forget, also when it looks like a file",
    path: "the file to forget",
    dryRun: "show where it is, and change nothing",
    yes: "do not ask for agreement",
  },
  examples: {
    "worldline forget --path .env --dry-run": "which sessions have it from a tool",
    'worldline forget "hunter2, my password"': "a text; asks before it does it",
    'read -rs S; printf %s "$S" | worldline forget - --yes': "a secret, typed without showing it",
  },
};
