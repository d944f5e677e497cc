/** The description of each setting, by name. Each ends with a period, which the table in the guide omits. */
export const settingDescriptions = {
  enableFileCheckpointing:
    "Whether checkpoints include the workspace's files. If not, they only mark points in the conversation, and files are neither captured nor restored.",
  checkpointKeepCount:
    "Number of a session's newest checkpoints that always keep their files and are listed in its metadata.json; the log keeps all checkpoints.",
  "snapshots.maxFileBytes":
    "Maximum size, in bytes, of a file that is captured; larger files are reported as not covered.",
  "snapshots.maxBytes":
    "Size limit of the snapshot store; beyond it, Worldline removes the files of old checkpoints, as `worldline store gc` does.",
  "rewind.confirmDeletes": "Ask for confirmation before a rewind or redo that deletes more paths than this.",
  "watch.quietMs":
    "Time, in milliseconds, that files must stay unchanged before `worldline watch` and `worldline run` create a checkpoint.",
  "watch.maxMs":
    "Maximum time, in milliseconds, between the checkpoints that `worldline watch` and `worldline run` create while files keep changing.",
  "lock.waitMs":
    "Maximum time, in milliseconds, that a command waits for another program that is writing to the session.",
  "lock.leaseMs":
    "Time, in milliseconds, that a session in a database stays locked after the program that locked it from another machine stops responding.",
  "log.rotateBytes": "Size, in bytes, at which a session's log continues in a new file.",
  "log.blobBytes":
    "Maximum length of a string in a log line; a longer string is stored in a separate file next to the log.",
  "trash.days": "Number of days that a deleted session can be restored.",
  "context.window": "Size of the context window in tokens; 0 means the model's own context window.",
  model:
    "Model that the agent uses, as provider/name; if empty, the choice depends on the API keys in the environment.",
  models:
    "Properties of models that are not in the built-in table, by provider/name: window and maxOutput in tokens; input, output, cacheRead and cacheWrite in dollars per million tokens.",
  providers:
    "Providers in addition to the built-in ones, by name: kind, baseUrl, keyVariable (the environment variable with the API key) and model.",
  "permissions.mode": "What the agent may do without asking: plan, manual, accept-edits or auto.",
  "permissions.allow": "Rules for calls that the agent may make without asking.",
  "permissions.ask": "Rules for calls that the agent must ask about in every mode.",
  "permissions.deny": "Rules for calls that the agent may not make in any mode.",
  "backtrack.enabled": "Whether new sessions have the Backtrack tool.",
  "backtrack.maxPerTurn": "Maximum number of backtracks per turn.",
  "backtrack.display":
    "How a backtrack is shown: card, line or off; the log and JSON output always include it.",
  "backtrack.mention": "Whether the model may tell you that it went back: allowed or never.",
  "compaction.ratio": "Fraction of the context window that can fill up before the context is compacted.",
  "compaction.reserve":
    "Number of tokens that compaction keeps free in the window for a reply and the results of its tool calls, at most half of the window; auto is 50000 or a quarter of the window, whichever is less.",
  "compaction.keep":
    "Number of most recent exchanges (each is a reply with its tool results) that a compaction keeps word for word.",
  "compaction.model": "Model that writes summaries, as provider/name; if empty, the model in use.",
  "compaction.auto": "Whether the context is compacted automatically when it is full.",
  "recovery.maxRetries": "Maximum number of times that a failed model call is retried.",
  "snapshots.firstWaitMs":
    "Maximum time, in milliseconds, that file-changing tools wait for the first capture of a workspace.",
  "agent.maxSteps": "Maximum number of model calls per turn; calls that a backtrack undid are not counted.",
  "agent.silenceMs":
    "Time, in milliseconds, that a model can go without sending anything before its reply counts as interrupted; pings and empty deltas do not count as activity.",
  host: "Agent that works on the timeline: native (Worldline's own agent) or claude (the Claude Agent SDK). An existing session keeps its agent.",
  "claude.sdk":
    "Folder where the Claude Agent SDK is installed; if empty, Worldline looks next to its own installation.",
  "claude.model": "Model for the claude host, as the Claude Agent SDK names it; if empty, the SDK chooses.",
  "snapshots.engine":
    "Engine that restores files when a session that uses the claude host is rewound: worldline, or sdk for the Claude Agent SDK's own checkpoints, which cover only its editing tools.",
  language:
    "Language that Worldline uses: en, zh-CN, or auto, which follows LC_ALL, LC_MESSAGES and LANG; a workspace cannot set the language.",
  "ui.doubleEscapeMs":
    "Maximum time, in milliseconds, between two presses of Esc for them to count as Esc Esc.",
  "ui.theme": "Screen colors: light, dark, or auto, which asks the terminal for its background color.",
  "ui.mouse": "Whether the mouse wheel scrolls the conversation.",
};
