/** The help of `worldline` itself. */
export const program = {
  description:
    "A coding agent that can go back, and the time machine inside it: conversation, files and the state of the work on one timeline that loses nothing.",
  help: "show what a command takes",
  helpOption: "show help",
  version: "show the version",
  examples: {
    worldline: "open the agent here, in the terminal",
    'worldline -p "why does the build fail?"': "ask the agent, and get its answer",
    'worldline checkpoint "before refactoring"': "mark this place",
    "worldline ../other-project": "open it in another folder",
    "worldline -c": "go on with the session last used here",
    "worldline tree": "the session last used here, with all its branches",
    "worldline rewind 12": "go back to checkpoint 12; nothing is lost",
    "worldline config --explain": "every setting, and where its value comes from",
    "worldline help config": "what a command takes",
  },
};

/** Options of every command. */
export const common = {
  json: "answer with one JSON document on standard output",
  session: "the session to work on: its id, the beginning of it, its title, or the id of an execution",
  workspace: "the workspace to work in (default: the nearest from here up with a session or a .git)",
  store:
    "where sessions are kept: files, sqlite:~/sessions.db, or postgres://user@host/database (default: WORLDLINE_STORE, where a password belongs, else files)",
  trust: "trust this workspace's settings as they are now, from now on",
  setting: "set a setting for this call only; may be given several times",
  takeOver:
    "write to a session although it is locked from another machine or container, or by a lock that cannot be read; only when nothing uses it any more, which cannot be seen from here",
};

export const agent = {
  description:
    "Opens the agent in the terminal. It works on the timeline of a session: everything that it does can be taken back. With -p, or where there is no terminal, it is asked once: the answer goes to standard output, what happens meanwhile to standard error, and what would need your permission is denied, unless rules or the mode allow it.",
  arguments: {
    prompt:
      "what the agent is to do; what is piped in is put behind it; a single word needs -p or -- before it",
  },
  options: {
    print: "answer once and leave; the prompt may also be piped in",
    continue: "go on with the agent's session last used in this workspace",
    resume: "go on with a session: its id, the beginning of it, or its title; without one, choose",
    fork: "with -c or -r: leave that session as it is, and go on in a copy",
    model: "the model, as provider/name (see: worldline models); of the host claude, as Claude calls it",
    permissionMode: "what may be done without asking: manual, accept-edits, plan or auto",
    allow: "allow what the rule names, such as 'Bash(npm test:*)'; may be given several times",
    deny: "deny it, whatever else allows it; may be given several times",
    host: "whose agent it is: native, or claude, the Claude Agent SDK (default: the session's, else the setting host)",
    maxSteps: "the most model calls of a turn",
    noSession: "keep the session in memory only, and nothing on disk",
    outputFormat: "text, json (one document) or stream-json (a line of JSON for each event)",
    listSessions: "the same as: worldline sessions list",
  },
  examples: {
    'worldline -p "why does the build fail?"': "an answer, and nothing changed",
    "worldline -p \"make the tests pass\" --permission-mode accept-edits --allow 'Bash(npm test:*)'":
      "it may edit, and run the tests",
    'git diff | worldline -p "review this"': "with what another program says",
    "worldline --host claude": "Claude's agent on the same timeline, with its own login",
    'worldline -c "now the same for the server"': "go on with the last session",
    'worldline -p "list the TODOs" --output-format json | jq -r .answer': "for a script",
  },
};

export const resume = {
  summary: "say where a session stands, and go on with a turn that was cut",
  description:
    "Says where a session stands: what is done, what is open, what comes next; and, when its last turn was cut, at which step and in which tool call. Then it goes on as you choose. Nothing is run again by itself.",
  arguments: {
    session: "its id, the beginning of it, or its title (default: the agent's session last used here)",
    prompt: "what to do next, instead of going on with the turn that was cut",
  },
  options: {
    continue: "go on with the turn that was cut, from its last good step",
    retry: "do the step that was cut again; where the provider fails, up to recovery.maxRetries times more",
    rewindFiles: "take the files back to how they were before the step that was cut",
    yes: "with --rewind-files: do not ask",
    model: agent.options.model,
    permissionMode: agent.options.permissionMode,
    allow: agent.options.allow,
    deny: agent.options.deny,
    host: agent.options.host,
    maxSteps: agent.options.maxSteps,
    outputFormat: agent.options.outputFormat,
  },
  examples: {
    "worldline resume": "where the last session stands, and what can be done",
    "worldline resume k3f9 --continue": "go on with the turn that was cut",
    "worldline resume k3f9 --rewind-files": "undo what the cut step did to the files",
    'worldline resume k3f9 "leave that, fix the tests"': "something else",
  },
};

export const models = {
  summary: "list the models that can be used, and why others cannot",
  description:
    "Lists every provider: whether it can be used and why not, and the models that are known of it. Servers on this machine are asked what they have; no other address is.",
  examples: {
    "worldline models": "what can be used, and why not",
    "worldline models --json | jq -r '.providers[] | select(.usable == \"yes\") | .name'": "for a script",
  },
};

export const setup = {
  summary: "take a provider's key, try it, and keep it",
  description:
    "Takes a provider's key, from a pipe or typed without showing it, tries it with one small call, and keeps it in a file that only you can read. A key in the environment goes before one that is kept.",
  arguments: {
    provider: "whose key it is, such as anthropic; see: worldline models (default: choose from a list)",
  },
  options: {
    model: "the model to try it with (default: the provider's usual one)",
    withoutTest: "keep it without trying it, such as without a network",
    remove: "remove the key that is kept",
  },
  examples: {
    "worldline setup anthropic": "asks for the key, and tries it",
    "pass show openai | worldline setup openai": "from a password manager",
    "worldline setup anthropic --remove": "forget it here",
  },
};
