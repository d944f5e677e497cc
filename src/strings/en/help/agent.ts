/** Help for `worldline` itself. */
export const program = {
  description:
    "A coding agent that can go back. Conversation, files and work state share one timeline, and nothing on it is lost.",
  help: "show help for a command",
  helpOption: "show help",
  version: "show the version",
  examples: {
    worldline: "open the agent in this folder",
    'worldline -p "why does the build fail?"': "ask one question and print the answer",
    'worldline checkpoint "before refactoring"': "create a checkpoint to come back to",
    "worldline ../other-project": "open the agent in another folder",
    "worldline -c": "continue the last session in this folder",
    "worldline tree": "draw the last session with all its branches",
    "worldline rewind 12": "go back to checkpoint 12; nothing is lost",
    "worldline config --explain": "show every setting and where its value comes from",
    "worldline help config": "show help for one command",
  },
};

/** Options that every command accepts. */
export const common = {
  json: "print one JSON document to standard output",
  session: "session to use: an id or id prefix, a title, or the id of an execution",
  workspace:
    "folder to work in (default: the nearest folder with a session or .git, from the current folder up)",
  store:
    "where sessions are stored: files, sqlite:~/sessions.db or postgres://user@host/database; put a password in WORLDLINE_STORE, not here (default: WORLDLINE_STORE, else files)",
  trust: "trust this workspace's settings in their current form",
  setting: "override a setting for this command only (repeatable)",
  takeOver:
    "write to a session that another machine or container has locked, or whose lock is unreadable; safe only if nothing else uses the session, which Worldline cannot check",
};

export const agent = {
  description:
    "Open the agent in the terminal. Its work is recorded on a session's timeline, so you can go back to any point. With -p, or without a terminal, answer one prompt and exit: the answer goes to standard output, progress to standard error, and calls that need permission are denied unless a rule or the permission mode allows them.",
  arguments: {
    prompt: "what the agent should do; piped input is appended; a one-word prompt needs -p or -- before it",
  },
  options: {
    print: "answer once and exit; the prompt can also be piped in",
    continue: "continue the agent session last used in this workspace",
    resume: "resume a session by id, id prefix, or title (default: choose from a list)",
    fork: "with -c or -r: continue in a copy and leave the original session as it is",
    model: "model, as provider/name (see `worldline models`); for the claude host, Claude's own model name",
    permissionMode: "what the agent may do without asking",
    allow: "allow calls that match this rule, such as 'Bash(npm test:*)' (repeatable)",
    deny: "deny calls that match this rule, even if another rule allows them (repeatable)",
    host: "agent to run: native, or claude for the Claude Agent SDK (default: the session's host, else the host setting)",
    maxSteps: "maximum number of model calls per turn",
    noSession: "keep the session in memory and store nothing on disk",
    outputFormat: "output format: json prints one document, stream-json prints one JSON line per event",
    listSessions: "same as `worldline sessions list`",
  },
  examples: {
    'worldline -p "why does the build fail?"': "get an answer without changing any files",
    "worldline -p \"make the tests pass\" --permission-mode accept-edits --allow 'Bash(npm test:*)'":
      "let the agent edit files and run the tests",
    'git diff | worldline -p "review this"': "add another command's output to the prompt",
    "worldline --host claude": "use Claude's agent, with its own login, on the same timeline",
    'worldline -c "now the same for the server"': "continue the last session",
    'worldline -p "list the TODOs" --output-format json | jq -r .answer': "use the answer in a script",
  },
};

export const resume = {
  summary: "show where a session left off and continue it",
  description:
    "Show what is done, what is open and what comes next in a session. If its last turn was interrupted, also show the step and tool call where it stopped, and ask how to continue. Nothing is run again unless you ask for it.",
  arguments: {
    session: "session id, id prefix, or title (default: the agent session last used in this workspace)",
    prompt: "what to do next, instead of continuing the interrupted turn",
  },
  options: {
    continue: "continue the interrupted turn after its last completed step",
    retry:
      "run the interrupted step again; if the provider fails, retry up to recovery.maxRetries more times",
    rewindFiles: "restore the files to their state before the interrupted step",
    yes: "with --rewind-files: skip confirmation",
    model: agent.options.model,
    permissionMode: agent.options.permissionMode,
    allow: agent.options.allow,
    deny: agent.options.deny,
    host: agent.options.host,
    maxSteps: agent.options.maxSteps,
    outputFormat: agent.options.outputFormat,
  },
  examples: {
    "worldline resume": "show where the last session left off and how to continue it",
    "worldline resume k3f9 --continue": "continue the interrupted turn",
    "worldline resume k3f9 --rewind-files": "undo the file changes made by the interrupted step",
    'worldline resume k3f9 "leave that, fix the tests"': "give the agent something else to do",
  },
};

export const models = {
  summary: "list models, and show which ones you can use",
  description:
    "List every provider with its known models, and show whether you can use it and, if not, why. Only model servers on this machine are contacted, to list their models.",
  examples: {
    "worldline models": "list all providers and models",
    "worldline models --json | jq -r '.providers[] | select(.usable == \"yes\") | .name'":
      "print the names of the providers you can use",
  },
};

export const setup = {
  summary: "test and store a provider's API key",
  description:
    "Read a provider's API key from a pipe or a hidden prompt, test it with one small call, and store it in a file that only you can read. A key in the environment takes precedence over a stored one.",
  arguments: {
    provider:
      "provider that the key is for, such as anthropic; see `worldline models` (default: choose from a list)",
  },
  options: {
    model: "model to test the key with (default: the provider's default model)",
    withoutTest: "store the key without testing it, for example when offline",
    remove: "remove the stored key",
  },
  examples: {
    "worldline setup anthropic": "ask for the key and test it",
    "pass show openai | worldline setup openai": "read the key from a password manager",
    "worldline setup anthropic --remove": "remove the stored key",
  },
};
