import { type CountsTold, counted, outcomeCounts } from "./measures.ts";

export interface Card {
  readonly to: number;
  readonly entries: number;
  readonly tokens: number;
  readonly note: string;
}

export interface Compacted {
  readonly before: number;
  readonly after: number;
  readonly reason: "asked" | "full" | "too-long";
}

export interface Retried {
  readonly attempt: number;
  readonly of: number;
  readonly waitMs: number;
  readonly checkpoint: number;
  readonly message: string;
}

const reasons = {
  asked: "as asked",
  full: "the context was nearly full",
  "too-long": "the provider said that it is too long",
};

const scopes = {
  both: "files and conversation",
  conversation: "the conversation",
  files: "the files",
};

const place = (to: number | undefined) => (to === undefined ? "" : ` to #${to}`);

/** What is said beside an answer of the agent. */
export const agent = {
  mcpUntrusted: (file: string) =>
    `${file} is not trusted yet, so its servers are not started. See what it starts, then: worldline config trust`,
  mcpTrouble: (server: string, message: string, hint: string) => `MCP server ${server}: ${message} ${hint}`,
  unusedInstructions: {
    link: (file: string) =>
      `${file} is a link, which may lead anywhere, so the agent does not read it. Put a file in its place.`,
    "no-file": (file: string) => `${file} is no file, so the agent does not read it.`,
    unreadable: (file: string) => `${file} cannot be read, so the agent works without it.`,
    cut: (file: string) => `${file} is so long that the agent gets only its beginning: 40,000 characters.`,
  },
  silentPipe: (waitedMs: number) =>
    `Nothing came through standard input within ${waitedMs / 1_000} s; going on without it. ` +
    "Give it < /dev/null where nothing is to come.",
  resumed: (session: string) => `Going on with session ${session}`,
  forked: (session: string) => `Going on in a copy, session ${session}`,
  tool: (name: string, about: string) => (about === "" ? name : `${name} ${about}`),
  earlierCall: "A call of before",
  toolFailed: (name: string, why: string) => `${name} failed: ${why}`,
  toolDenied: (name: string, why: string) => `${name} denied: ${why}`,
  toolInterrupted: (name: string) => `${name} interrupted`,
  retry: ({ attempt, of, waitMs, checkpoint, message }: Retried) =>
    `Attempting recovery from last checkpoint (#${checkpoint}), ${attempt} of ${of}, in ` +
    `${Math.ceil(waitMs / 1_000)} s: ${message}`,
  waitingForCapture: "Waiting until the workspace's files are captured",
  backtracked: ({ to, entries, tokens }: Card) =>
    `Backtracked to #${to}: left ${counted(entries, "entry", "entries")} behind, ` +
    `about ${counted(tokens, "token", "tokens")}`,
  backtrackedTo: (prompt: string) => `  to: ${prompt}`,
  backtrackedBecause: (why: string) => `  why: ${why}`,
  backtrackRestored: (counts: CountsTold) => `  files: ${outcomeCounts(counts)}`,
  journeys: {
    rewind: (scope: keyof typeof scopes, to?: number) => `Rewound ${scopes[scope]}${place(to)}`,
    redo: (scope: keyof typeof scopes, to?: number) => `Redone ${scopes[scope]}${place(to)}`,
  },
  compacted: ({ before, after, reason }: Compacted) =>
    `Compacted, because ${reasons[reason]}: about ${before.toLocaleString("en")} tokens are now ` +
    `${after.toLocaleString("en")}`,
  notCompacted: (why: string) => `Not compacted: ${why}`,
  files: (count: number) => `${counted(count, "file", "files")} changed:`,
  changes: { created: "created", changed: "changed", deleted: "deleted" },
  lines: (added: number, removed: number) => `+${added} -${removed}`,
  moreFiles: (count: number) => `and ${count} more`,
  denied: (count: number) => `Denied, because nobody can be asked here: ${counted(count, "call", "calls")}`,
  interrupting: "Interrupting; Ctrl-C once more stops at once",
  interrupted: "Interrupted. What was done so far is kept.",
  resumeWith: (command: string) => `To go on: ${command}`,
  chooseSession: "Which session?",
};

const tokens = (count: number): string => counted(count, "token", "tokens");

/** `compact`. */
export const compact = {
  asking: (model: string) => `${model} is writing a summary`,
  done: (before: number, after: number, model: string) =>
    `Compacted: ${before.toLocaleString("en")} -> ${tokens(after)}, with a summary by ${model}.`,
  nothingLost: "Nothing is lost: worldline log shows all of it, and a rewind brings it back.",
  wouldSummarise: (entries: number, count: number) =>
    `A summary would stand for ${counted(entries, "entry", "entries")}, about ${tokens(count)}.`,
  wouldKeep: (exchanges: number, entries: number) =>
    `Kept as they are: the last ${counted(exchanges, "exchange", "exchanges")} (${counted(entries, "entry", "entries")}).`,
  wouldPin: (prompt: string) => `Kept, too: the prompt "${prompt}"`,
  dryRun: "Nothing was changed.",
};

/** What is said of whose agent works here. */
export const hosts = {
  claudeUntrusted:
    "This workspace is not trusted yet, so Claude reads neither its CLAUDE.md nor what is in .claude and .mcp.json. Look at " +
    "them, then: worldline config trust",
  claudeNewer: (version: string, known: string, wanted: string) =>
    `The Claude Agent SDK ${version} is newer than those that Worldline knows (${known}); should it not work: npm install ${wanted}`,
  claudeKeepsItsOwn:
    "--no-session: Worldline keeps nothing, but the Claude Agent SDK keeps its own transcript in its folder (CLAUDE_CONFIG_DIR, else ~/.claude).",
  /** Who keeps checkpoints of files, where settings and variables contradict each other: what holds, and what to do. */
  checkpointing: {
    engineWithoutSdk:
      'snapshots.engine is "sdk", which only the host claude has; Worldline\'s own snapshots are used here. ' +
      "To be rid of this: worldline config set snapshots.engine worldline",
    engineAndVariable: (variable: string) =>
      `snapshots.engine is "sdk", but ${variable} says that the Claude Agent SDK shall keep no checkpoints of files; the ` +
      `setting holds, and it keeps them. Unset ${variable}, or: worldline config set snapshots.engine worldline`,
    engineAndSetting:
      'snapshots.engine is "sdk", but enableFileCheckpointing is false; Worldline captures nothing, and a rewind of files has ' +
      "only the checkpoints of the Claude Agent SDK. To have both: worldline config set enableFileCheckpointing true",
    variableAndSetting: (variable: string) =>
      `${variable} is on, but enableFileCheckpointing is false; the Claude Agent SDK keeps its checkpoints, Worldline captures ` +
      'nothing, and a rewind of files answers "Checkpoint feature not enabled". To rewind with Worldline: worldline config ' +
      "set enableFileCheckpointing true; with the SDK's checkpoints: worldline config set snapshots.engine sdk",
    bothVariables: (enable: string, disable: string) =>
      `${enable} and ${disable} are both on; the second holds, and the Claude Agent SDK keeps no checkpoints of files of its ` +
      "own. Unset one of them.",
    notUnderstood: (variable: string, value: string) =>
      `${variable} is "${value}", which is neither on nor off, so it is passed over. Set it to 1 or 0, or unset it.`,
  },
  sdkReady: (version: string, folder: string) => `The Claude Agent SDK ${version} is in ${folder}`,
  sdkUnknown: (version: string, folder: string) =>
    `The Claude Agent SDK ${version} is in ${folder}; it is another version than Worldline knows.`,
  claudeAnswers:
    "The host is claude: it uses the login of Claude Code, or ANTHROPIC_API_KEY. No key of a provider is needed.",
  keepAnyway: "To keep a key for it all the same: worldline setup anthropic",
};

/** What can be asked, and what takes a key to be asked. */
export const models = {
  usable: { yes: "yes", no: "no" },
  chosen: (model: string, window: number) =>
    `Without --model: ${model}, with a window of ${window.toLocaleString("en")} tokens`,
  assumed: "(assumed; set it with the setting models)",
  ofSetting: (setting: string, place: string) =>
    `The model that the setting ${setting} names (${place}) cannot be used`,
  noSummariser: (why: string, hint: string) => `${why} The main model summarises instead. ${hint}`.trim(),
  noneChosen: (why: string) => `Without --model: none. ${why}`,
  more: (count: number) => `and ${count} more`,
  finder: "Needs no key and no network; finds what broke a test.",
};

/** What `setup` asks and says. The key is in none of it. */
export const setup = {
  whichProvider: "Which provider is the key of?",
  keyQuestion: (provider: string) => `Key for ${provider} (it is not shown): `,
  testing: (model: string) => `Asking ${model} for one word`,
  kept: (provider: string, file: string) => `The key for ${provider} is kept in ${file}`,
  works: (model: string) => `It works: ${model} has answered.`,
  notTested: "It was not tried.",
  removed: (provider: string, file: string) => `The key for ${provider} is not in ${file} any more.`,
  wasNotKept: (provider: string) => `No key for ${provider} was kept.`,
  noKeyNeeded: (provider: string) => `${provider} needs no key.`,
  withoutKey: (model: string, does: string) => `Without any key: --model ${model}. ${does}`,
  environmentWins: (variable: string) => `${variable} is set, and goes before the key that is kept.`,
};

/** Where a session stands when it is opened again. */
export const recap = {
  fields: { asked: "asked", done: "done", open: "open", next: "next", elsewhere: "elsewhere" },
  answered: (text: string) => `answered: ${text}`,
  todosDone: (todos: string) => `todos: ${todos}`,
  filesChanged: (paths: string) => `changed: ${paths}`,
  commandsRun: (commands: string) => `ran: ${commands}`,
  outcomes: {
    ok: "",
    error: " (failed)",
    denied: " (not allowed)",
    interrupted: " (interrupted)",
  },
  more: (count: number) => `${count.toLocaleString("en")} more`,
  nothingDone: "nothing yet",
  nothingOpen: "nothing",
  todo: { open: (text: string) => text, doing: (text: string) => `${text} (begun)` },
  cut: {
    "before-first-step": "the last prompt was not answered: the model had not been asked yet",
    replying: (step: number) => `the turn was cut at step #${step}, while the model replied`,
    tools: (step: number) => `the turn was cut at step #${step}, while its tools ran`,
  },
  failed: (step: number) =>
    step === 0 ? "the last prompt was not answered: the turn failed" : `the turn failed at step #${step}`,
  commandCut: (command: string) =>
    `${command} was running when the program ended: it is not known how far it came`,
  by: {
    person: "by you",
    crash: "because the program ended",
    limit: "at the limit of steps",
    unknown: "",
  },
  leftBy: (name: string, pid: number, host: string) =>
    `at work on it was ${name} (pid ${pid} on ${host}), which has not given the session back`,
  because: (why: string) => `what went wrong: ${why}`,
  openCall: (name: string, about: string) =>
    `${[name, about].filter((text) => text !== "").join(" ")} was started and did not end: it is not known whether it took effect`,
  unstarted: (count: number) => `${counted(count, "call was", "calls were")} asked for and not started`,
  finished: (count: number) => `${counted(count, "call of this step has", "calls of this step have")} ended`,
  answer: (prompt: string) => `answer the prompt "${prompt}"`,
  nothingNext: "your next prompt",
  elsewhere: (machine: string, checkpoints: string) =>
    `the files of ${checkpoints} are on ${machine} only: from here, going back there takes the conversation alone`,
};

export interface RetriedStep {
  readonly attempt: number;
  readonly of: number;
  readonly waitMs: number;
  readonly message: string;
}

/** How a session can go on. */
export const resume = {
  session: (name: string) => `Session ${name}`,
  workedOn: (owner: string) =>
    `${owner} is at work on it right now. Wait until that has ended, or interrupt it there.`,
  lease: (until: string) =>
    `Its lease runs until ${until} and is renewed while it lives: if it died, the session is free after that.`,
  copy: (command: string) => `Or go on in a copy: ${command}`,
  ended: (commands: readonly string[]) =>
    `Ended what the killed run had left running: ${commands.join("; ")}`,
  choices: "To go on:",
  choice: {
    continue: "go on from the last good step",
    retry: "do the cut step again",
    rewindFiles: "take the files back to before the cut step",
    prompt: "say what to do next",
  },
  question: "[c]ontinue, [r]etry the step, rewind the [f]iles, or leave it (default: leave it)? ",
  retrying: ({ attempt, of, waitMs, message }: RetriedStep) =>
    `The step is done again, ${attempt} of ${of}, in ${waitMs / 1_000} s: ${message}`,
  notUnderstood: (typed: string) => `"${typed}" is none of c, r and f.`,
};

const whole = (count: number): string => count.toLocaleString("en");

/** Made where it is needed: the data for it costs every start more than all other words together. */
function inDollars(amount: number): string {
  return new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: 4 }).format(
    amount,
  );
}

/** `stats`. */
export const stats = {
  fields: {
    sessions: "sessions",
    prompts: "prompts",
    steps: "steps",
    replies: "replies",
    tokens: "tokens",
    cache: "cache",
    cost: "cost",
    tools: "tool calls",
    backtracks: "backtracks",
    saved: "saved",
    journeys: "rewinds",
    compactions: "compactions",
  },
  replies: (count: number, models: string) => (models === "" ? whole(count) : `${whole(count)} (${models})`),
  ofModel: (model: string, count: number) => `${model}: ${whole(count)}`,
  tokens: (input: number, output: number) => `${whole(input)} in, ${whole(output)} out`,
  uncounted: (count: number) => `without ${counted(count, "reply", "replies")} whose provider did not count`,
  cache: (read: number, written: number, rate: number) =>
    `${whole(read)} read, ${whole(written)} written: ${Math.round(100 * rate)} % of what was sent came from it`,
  nothingCounted: "no provider has counted anything",
  dollars: (amount: number) => inDollars(amount),
  priceUnknown: (models: string) => `not known: no price for ${models} (give one with the setting models)`,
  withoutPrice: (cost: string, models: string) =>
    `${cost}, without ${models}, whose price is not known (give one with the setting models)`,
  tool: (calls: number, troubles: readonly string[]) => [whole(calls), ...troubles].join(", "),
  failed: (count: number) => `${whole(count)} failed`,
  denied: (count: number) => `${whole(count)} denied`,
  interrupted: (count: number) => `${whole(count)} interrupted`,
  backtracks: (count: number, entries: number, tokens: number) =>
    count === 0
      ? "0"
      : `${whole(count)}: ${counted(entries, "entry", "entries")} and ${counted(tokens, "token", "tokens")} left behind`,
  saved: (tokens: number, cost: string | undefined) =>
    `about ${counted(tokens, "token", "tokens")}${cost === undefined ? "" : `, ${cost}`}: an estimate`,
  savedBasis:
    "Tokens: what backtracks took out of the context, counted once. Dollars: what later requests would have paid to carry it, at " +
    "the price of cached tokens. Neither says how the work would have gone otherwise.",
  journeys: (rewinds: number, redos: number) =>
    redos === 0 ? whole(rewinds) : `${whole(rewinds)}, ${counted(redos, "redo", "redos")}`,
  compactions: (count: number, before: number, after: number) =>
    count === 0 ? "0" : `${whole(count)}: ${whole(before)} -> ${counted(after, "token", "tokens")}`,
};
