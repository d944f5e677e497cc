/** The description of each setting, by its name. Each ends with a period, which the table in the guide drops. */
export const settingDescriptions = {
  enableFileCheckpointing:
    "Whether checkpoints include the workspace's files. If not, they only mark places in the conversation, and files are neither captured nor restored.",
  checkpointKeepCount:
    "How many of a session's newest checkpoints always keep their files, and are listed in its metadata.json; the log keeps all checkpoints.",
  "snapshots.maxFileBytes": "Files larger than this, in bytes, are not captured but reported as not covered.",
  "snapshots.maxBytes":
    "Size limit of the snapshot store; beyond it, Worldline removes the files of old checkpoints, as `worldline store gc` does.",
  "rewind.confirmDeletes": "Ask for confirmation before a rewind or redo that deletes more paths than this.",
  "watch.quietMs":
    "How long files must stay unchanged before `worldline watch` and `worldline run` create a checkpoint, in milliseconds.",
  "watch.maxMs":
    "Longest time between checkpoints of `worldline watch` and `worldline run` while files keep changing, in milliseconds.",
  "lock.waitMs":
    "How long a command waits for another program that is writing to the session, in milliseconds.",
  "lock.leaseMs":
    "With a database: how long a session stays locked by a program on another machine that stopped responding, in milliseconds.",
  "log.rotateBytes": "Size at which a session's log continues in a new file.",
  "log.blobBytes": "Text longer than this is stored in separate files next to the log.",
  "trash.days": "How long a deleted session can be restored, in days.",
  "context.window": "Size of the context window in tokens; 0 means the model's own.",
  model:
    "Model that the agent uses, as provider/name; if empty, it depends on the API keys in the environment.",
  models:
    "Facts about models that are not in the built-in table, by provider/name: window and maxOutput in tokens; input, output, cacheRead and cacheWrite in dollars per million tokens.",
  providers:
    "Providers in addition to the built-in ones, by name: kind, baseUrl, keyVariable (the environment variable with the API key) and model.",
  "permissions.mode": "What the agent may do without asking: plan, manual, accept-edits or auto.",
  "permissions.allow": "Rules for what the agent may do without asking.",
  "permissions.ask": "Rules for what the agent asks about in every mode.",
  "permissions.deny": "Rules for what the agent may never do, in any mode.",
  "backtrack.enabled": "Whether new sessions have the Backtrack tool.",
  "backtrack.maxPerTurn": "Maximum number of backtracks per turn.",
  "backtrack.display":
    "How a backtrack is shown: card, line or off; the log and JSON output always include it.",
  "backtrack.mention": "Whether the model may tell you that it went back: allowed or never.",
  "compaction.ratio": "How full the context window gets before it is compacted, as a fraction of the window.",
  "compaction.reserve":
    "Tokens of the window to keep free for a reply and the results of its tool calls before compacting; auto is 50000 or a quarter of the window, whichever is less. At most half of the window.",
  "compaction.keep":
    "How many of the latest exchanges (a reply and its tool results) a compaction keeps word for word.",
  "compaction.model": "Model that writes summaries, as provider/name; if empty, the one in use.",
  "compaction.auto": "Whether the context is compacted automatically when it is full.",
  "recovery.maxRetries": "How many times a failed model call is retried.",
  "snapshots.firstWaitMs":
    "How long tools that change files wait for the first capture of a workspace, in milliseconds.",
  "agent.maxSteps": "Maximum number of model calls per turn; calls that a backtrack undid are not counted.",
  "agent.silenceMs":
    "How long a model may send nothing before its reply counts as interrupted, in milliseconds; pings and empty deltas do not count.",
  host: "Agent that works on the timeline: native, which is Worldline's own, or claude, which is the Claude Agent SDK. An existing session keeps its agent.",
  "claude.sdk":
    "Folder where the Claude Agent SDK is installed; if empty, Worldline looks next to its own installation.",
  "claude.model": "Model for the claude host, as the Claude Agent SDK names it; if empty, the SDK chooses.",
  "snapshots.engine":
    "What restores files when a session of the claude host is rewound: worldline, or sdk for the Claude Agent SDK's own checkpoints, which only cover its editing tools.",
  language:
    "Language of Worldline: en, zh-CN, or auto, which follows LC_ALL, LC_MESSAGES and LANG; a workspace cannot set it.",
  "ui.doubleEscapeMs": "How quickly a second Esc must follow the first to count as Esc Esc, in milliseconds.",
  "ui.theme": "Colors of the screen: light, dark, or auto, which asks the terminal for its background color.",
  "ui.mouse": "Whether the mouse wheel scrolls the conversation.",
};
