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
  asked: "on request",
  full: "the context was nearly full",
  "too-long": "the provider reported that the context was too long",
};

const scopes = {
  both: "files and conversation",
  conversation: "the conversation",
  files: "the files",
};

const place = (to: number | undefined) => (to === undefined ? "" : ` to #${to}`);

/** Messages shown in addition to the agent's answer. */
export const agent = {
  mcpUntrusted: (file: string) =>
    `${file} is not trusted yet, so its servers were not started. Review it, then run: worldline config trust`,
  mcpTrouble: (message: string) =>
    `${message} Check the server's entry in .mcp.json. Everything else works without the server.`,
  unusedInstructions: {
    link: (file: string) =>
      `${file} is a symbolic link, so the agent does not read it. Replace it with a regular file.`,
    "no-file": (file: string) => `${file} is not a regular file, so the agent does not read it.`,
    unreadable: (file: string) => `${file} cannot be read, so the agent works without it.`,
    cut: (file: string) => `${file} is too long, so the agent reads only its first 40,000 characters.`,
  },
  silentPipe: (waitedMs: number) =>
    `Received no data on standard input within ${waitedMs / 1_000} s; continuing without it. ` +
    "If you are not piping in any input, add < /dev/null.",
  resumed: (session: string) => `Resuming session ${session}`,
  forked: (session: string) => `Continuing in a copy: session ${session}`,
  tool: (name: string, about: string) => (about === "" ? name : `${name} ${about}`),
  earlierCall: "An earlier call",
  toolFailed: (name: string, why: string) => `${name} failed: ${why}`,
  toolDenied: (name: string, why: string) => `${name} denied: ${why}`,
  toolInterrupted: (name: string) => `${name} interrupted`,
  retry: ({ attempt, of, waitMs, message }: Retried) =>
    `Retrying in ${Math.ceil(waitMs / 1_000)} s (${attempt} of ${of}): ${message}`,
  waitingForCapture: "Waiting for the workspace's files to be captured",
  backtracked: ({ to, entries, tokens }: Card) =>
    `Backtracked to #${to}: moved ${counted(entries, "entry", "entries")} ` +
    `(about ${counted(tokens, "token", "tokens")}) to another branch`,
  backtrackedTo: (prompt: string) => `  to: ${prompt}`,
  backtrackedBecause: (why: string) => `  why: ${why}`,
  backtrackRestored: (counts: CountsTold) => `  files: ${outcomeCounts(counts)}`,
  journeys: {
    rewind: (scope: keyof typeof scopes, to?: number) => `Rewound ${scopes[scope]}${place(to)}`,
    redo: (scope: keyof typeof scopes, to?: number) => `Redone ${scopes[scope]}${place(to)}`,
  },
  compacted: ({ before, after, reason }: Compacted) =>
    `Compacted (${reasons[reason]}): from about ${before.toLocaleString("en")} tokens to ` +
    `${after.toLocaleString("en")}`,
  notCompacted: (why: string) => `Not compacted: ${why}`,
  files: (count: number) => `${counted(count, "file", "files")} changed:`,
  changes: { created: "created", changed: "changed", deleted: "deleted" },
  lines: (added: number, removed: number) => `+${added} -${removed}`,
  moreFiles: (count: number) => `and ${count} more`,
  denied: (count: number) =>
    `Denied ${counted(count, "call", "calls")}, because this run cannot ask for permission:`,
  interrupting: "Interrupting; press Ctrl-C again to stop immediately",
  interrupted: "Interrupted. All work up to this point is kept.",
  resumeWith: (command: string) => `To continue: ${command}`,
  chooseSession: "Which session?",
};

const tokens = (count: number): string => counted(count, "token", "tokens");

/** Messages for `compact`. */
export const compact = {
  asking: (model: string) => `${model} is writing a summary`,
  done: (before: number, after: number, model: string) =>
    `Compacted: ${before.toLocaleString("en")} -> ${tokens(after)}, with a summary by ${model}.`,
  nothingLost: "Nothing is lost: `worldline log` shows the full conversation, and a rewind restores it.",
  wouldSummarise: (entries: number, count: number) =>
    `A summary would replace ${counted(entries, "entry", "entries")}, about ${tokens(count)}.`,
  wouldKeep: (exchanges: number, entries: number) =>
    `Kept as is: the last ${counted(exchanges, "exchange", "exchanges")} (${counted(entries, "entry", "entries")}).`,
  wouldPin: (prompt: string) => `Also kept: the prompt "${prompt}"`,
  dryRun: "Nothing was changed.",
};

/** Messages about the agent's host, such as the Claude Agent SDK. */
export const hosts = {
  claudeUntrusted:
    "This workspace is not trusted yet, so Claude does not read its CLAUDE.md, .claude folder or .mcp.json. Review " +
    "them, then run: worldline config trust",
  claudeNewer: (version: string, known: string, wanted: string) =>
    `The Claude Agent SDK ${version} is newer than the version that Worldline has been tested with (${known}). If it does not work, run: npm install ${wanted}`,
  claudeKeepsItsOwn:
    "With --no-session, Worldline saves nothing, but the Claude Agent SDK still saves its own transcript (in CLAUDE_CONFIG_DIR or ~/.claude).",
  /** Conflicts between settings and environment variables about file checkpoints: which one applies, and the fix. */
  checkpointing: {
    engineWithoutSdk:
      'snapshots.engine is "sdk", which only the claude host supports, so Worldline uses its own snapshots. ' +
      "To silence this warning: worldline config set snapshots.engine worldline",
    engineAndVariable: (variable: string) =>
      `snapshots.engine is "sdk", but ${variable} turns off the Claude Agent SDK's file checkpoints. The ` +
      `setting takes precedence, so the checkpoints stay on. Unset ${variable}, or run: worldline config set snapshots.engine worldline`,
    engineAndSetting:
      'snapshots.engine is "sdk", but enableFileCheckpointing is false. Worldline does not capture files, and rewinding files uses ' +
      "only the Claude Agent SDK's checkpoints. To capture files as well: worldline config set enableFileCheckpointing true",
    variableAndSetting: (variable: string) =>
      `${variable} is on, but enableFileCheckpointing is false. The Claude Agent SDK keeps its checkpoints, Worldline does not ` +
      'capture files, and rewinding files fails with "Checkpoint feature not enabled". To rewind with Worldline: worldline config ' +
      "set enableFileCheckpointing true. To rewind with the SDK's checkpoints: worldline config set snapshots.engine sdk",
    bothVariables: (enable: string, disable: string) =>
      `${enable} and ${disable} are both on. ${disable} takes precedence, so the Claude Agent SDK does not keep its own file ` +
      "checkpoints. Unset one of them.",
    notUnderstood: (variable: string, value: string) =>
      `${variable} is "${value}", which is neither on nor off, so it is ignored. Set it to 1 or 0, or unset it.`,
  },
  sdkReady: (version: string, folder: string) => `Claude Agent SDK ${version} found in ${folder}`,
  sdkUnknown: (version: string, folder: string) =>
    `Claude Agent SDK ${version} found in ${folder}. Worldline has not been tested with this version.`,
  claudeAnswers:
    "The host is claude, which uses your Claude Code login or ANTHROPIC_API_KEY. No provider key is needed.",
  keepAnyway: "To store an Anthropic key anyway: worldline setup anthropic",
};

/** Messages for `models`: which models can be used, and which keys they need. */
export const models = {
  usable: { yes: "yes", no: "no" },
  chosen: (model: string, window: number) =>
    `Default model (without --model): ${model}, context window ${window.toLocaleString("en")} tokens`,
  assumed: "(assumed; set it with the models setting)",
  ofSetting: (setting: string, place: string) =>
    `The model in the ${setting} setting (${place}) cannot be used`,
  noSummariser: (why: string, hint: string) =>
    `${why} The main model writes the summaries instead. ${hint}`.trim(),
  noneChosen: (why: string) => `Default model (without --model): none. ${why}`,
  more: (count: number) => `and ${count} more`,
  finder: "It finds what broke a test, and it works offline and without a key.",
};

/** Questions and messages for `setup`. None of them contains the key. */
export const setup = {
  whichProvider: "Which provider?",
  keyQuestion: (provider: string) => `API key for ${provider} (hidden): `,
  testing: (model: string) => `Testing the key with ${model}`,
  kept: (provider: string, file: string) => `Stored the key for ${provider} in ${file}`,
  works: (model: string) => `The key works: ${model} replied.`,
  notTested: "The key was not tested.",
  removed: (provider: string, file: string) => `Removed the key for ${provider} from ${file}.`,
  wasNotKept: (provider: string) => `No key for ${provider} is stored.`,
  noKeyNeeded: (provider: string) => `${provider} needs no key.`,
  withoutKey: (model: string, does: string) => `Alternatively, use --model ${model}. ${does}`,
  environmentWins: (variable: string) => `${variable} is set and takes precedence over the stored key.`,
};

/** Strings for the recap that is shown when a session is reopened. */
export const recap = {
  fields: { asked: "asked", done: "done", open: "open", next: "next", elsewhere: "elsewhere" },
  answered: (text: string) => `answered: ${text}`,
  todosDone: (todos: string) => `todos: ${todos}`,
  filesChanged: (paths: string) => `changed: ${paths}`,
  commandsRun: (commands: string) => `ran: ${commands}`,
  outcomes: {
    ok: "",
    error: " (failed)",
    denied: " (denied)",
    interrupted: " (interrupted)",
  },
  more: (count: number) => `${count.toLocaleString("en")} more`,
  nothingDone: "nothing yet",
  nothingOpen: "nothing",
  todo: { open: (text: string) => text, doing: (text: string) => `${text} (in progress)` },
  cut: {
    "before-first-step": "the last prompt was not answered, because the model had not been called yet",
    replying: (step: number) => `the turn was interrupted at step #${step}, while the model was replying`,
    tools: (step: number) => `the turn was interrupted at step #${step}, while its tools were running`,
  },
  failed: (step: number) =>
    step === 0
      ? "the last prompt was not answered, because the turn failed"
      : `the turn failed at step #${step}`,
  commandCut: (command: string) =>
    `${command} was running when the program ended, so it may not have finished`,
  by: {
    person: "by you",
    crash: "because the program ended",
    limit: "at the step limit",
    unknown: "",
  },
  leftBy: (name: string, pid: number, host: string) =>
    `last opened by ${name} (pid ${pid} on ${host}) and not closed properly`,
  because: (why: string) => `what went wrong: ${why}`,
  openCall: (name: string, about: string) =>
    `${[name, about].filter((text) => text !== "").join(" ")} was started but did not finish, so it may or may not have taken effect`,
  unstarted: (count: number) => `${counted(count, "call was", "calls were")} requested but not started`,
  finished: (count: number) =>
    `${counted(count, "call in this step has", "calls in this step have")} finished`,
  answer: (prompt: string) => `answer the prompt "${prompt}"`,
  nothingNext: "your next prompt",
  elsewhere: (machine: string, checkpoints: string) =>
    `the files of ${checkpoints} are only on ${machine}; a rewind to ${checkpoints} on this machine restores only the conversation`,
};

export interface RetriedStep {
  readonly attempt: number;
  readonly of: number;
  readonly waitMs: number;
  readonly message: string;
}

/** Messages about how to continue a session. */
export const resume = {
  session: (name: string) => `Session ${name}`,
  workedOn: (owner: string) =>
    `${owner} is working on this session right now. Wait until that program finishes, or interrupt it.`,
  lease: (until: string) =>
    `Its lease lasts until ${until} and is renewed while that program is running. If the program has crashed, you can use the session after the lease expires.`,
  copy: (command: string) => `Or continue in a copy: ${command}`,
  ended: (commands: readonly string[]) =>
    `Stopped the commands that a killed run had left running: ${commands.join("; ")}`,
  choices: "To continue:",
  choice: {
    continue: "continue from the last completed step",
    retry: "retry the interrupted step",
    rewindFiles: "restore the files to their state before that step",
    prompt: "say what to do next",
  },
  question: "[c]ontinue, [r]etry the step, rewind the [f]iles, or do nothing (default)? ",
  retrying: ({ attempt, of, waitMs, message }: RetriedStep) =>
    `Retrying the step in ${waitMs / 1_000} s (${attempt} of ${of}): ${message}`,
  notUnderstood: (typed: string) => `"${typed}" is not an option: type c, r or f.`,
};

const whole = (count: number): string => count.toLocaleString("en");

/** Creates the formatter only when it is needed, because loading its data takes longer than loading all strings. */
function inDollars(amount: number): string {
  return new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: 4 }).format(
    amount,
  );
}

/** Messages for `stats`. */
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
  uncounted: (count: number) =>
    `excluding ${counted(count, "reply", "replies")} for which the provider reported no usage`,
  cache: (read: number, written: number, rate: number) =>
    `${whole(read)} read, ${whole(written)} written: ${Math.round(100 * rate)}% of the input came from the cache`,
  nothingCounted: "no provider reported any usage",
  dollars: (amount: number) => inDollars(amount),
  priceUnknown: (models: string) => `unknown: no price for ${models} (set one with the models setting)`,
  withoutPrice: (cost: string, models: string) =>
    `${cost}, excluding ${models}, whose price is unknown (set one with the models setting)`,
  tool: (calls: number, troubles: readonly string[]) => [whole(calls), ...troubles].join(", "),
  failed: (count: number) => `${whole(count)} failed`,
  denied: (count: number) => `${whole(count)} denied`,
  interrupted: (count: number) => `${whole(count)} interrupted`,
  backtracks: (count: number, entries: number, tokens: number) =>
    count === 0
      ? "0"
      : `${whole(count)}: ${counted(entries, "entry", "entries")} and ${counted(tokens, "token", "tokens")} moved to other branches`,
  saved: (tokens: number, cost: string | undefined) =>
    `about ${counted(tokens, "token", "tokens")}${cost === undefined ? "" : `, ${cost}`} (estimated)`,
  savedBasis:
    "Tokens: what backtracks removed from the context, counted once. Dollars: what it would have cost to send those tokens again " +
    "with later requests, at the price of cached tokens. Neither number predicts how the work would have gone without backtracks.",
  journeys: (rewinds: number, redos: number) =>
    redos === 0 ? whole(rewinds) : `${whole(rewinds)}, ${counted(redos, "redo", "redos")}`,
  compactions: (count: number, before: number, after: number) =>
    count === 0 ? "0" : `${whole(count)}: ${whole(before)} -> ${counted(after, "token", "tokens")}`,
};
