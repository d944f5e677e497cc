import { choice, flag, list, maybe, text, whole } from "../../command/parameters.ts";

/** What `worldline [prompt]` takes besides what every command takes. Loaded at every start, so it imports nothing heavy. */
export const agentOptions = {
  print: { ...flag("answer once and leave; the prompt may also be piped in"), short: "p" },
  continue: { ...flag("go on with the agent's session last used in this workspace"), short: "c" },
  resume: {
    ...maybe(
      "[session]",
      "go on with a session: its id, the beginning of it, or its title; without one, choose",
    ),
    short: "r",
  },
  fork: flag("with -c or -r: leave that session as it is, and go on in a copy"),
  model: text(
    "<model>",
    "the model, as provider/name (see: worldline models); of the host claude, as Claude calls it",
  ),
  permissionMode: choice(
    ["manual", "accept-edits", "plan", "auto"],
    "what may be done without asking: manual, accept-edits, plan or auto",
  ),
  allow: list("<rule>", "allow what the rule names, such as 'Bash(npm test:*)'; may be given several times"),
  deny: list("<rule>", "deny it, whatever else allows it; may be given several times"),
  host: text(
    "<host>",
    "whose agent it is: native, or claude, the Claude Agent SDK (default: the session's, else the setting host)",
  ),
  maxSteps: whole("<number>", "the most model calls of a turn"),
  noSession: flag("keep the session in memory only, and nothing on disk"),
  outputFormat: choice(
    ["text", "json", "stream-json"],
    "text, json (one document) or stream-json (a line of JSON for each event)",
  ),
  listSessions: flag("the same as: worldline sessions list"),
};
