/** A word that the reader replaces. `{ any: "number" }` is shown as `<number>`. */
interface Placeholder {
  readonly any: string;
}

type Value = string | Placeholder;

/** Commands that texts can name, keyed by their names on the command line. Each front end can render all of them. */
interface Commands {
  /** Any command, suggested by name when the user mistyped it. */
  readonly command: { readonly name: string };
  /** Starts the agent with a new session. */
  readonly start: {
    readonly folder?: string;
    readonly host?: string;
    readonly model?: Value;
    readonly prompt?: string;
  };
  /** The agent answers once; `prompt` is an example. */
  readonly print: { readonly prompt: string };
  /** Reopens a session, opens a copy of it, or sends a prompt to it. */
  readonly open: { readonly session: string; readonly how?: "fork" | "prompt" };
  /** Continues a session whose last turn was interrupted. */
  readonly resume: {
    readonly session?: string;
    readonly how?: "continue" | "retry" | "rewindFiles" | "prompt";
  };
  readonly checkpoint: { readonly label: Value };
  readonly checkpoints: { readonly all?: true };
  readonly rewind: {
    readonly to?: Placeholder | { readonly session?: string; readonly checkpoint: number };
    readonly scope?: "conversation" | "files";
  };
  readonly redo: { readonly session?: string; readonly journey?: string; readonly scope?: "files" };
  readonly "redo --list": Record<never, never>;
  readonly fork: {
    readonly session?: string;
    readonly at?: number;
    readonly into?: string;
    readonly here?: true;
  };
  readonly compact: Record<never, never>;
  readonly tree: { readonly session?: string };
  readonly log: { readonly session?: string; readonly limit?: number };
  readonly "sessions list": { readonly all?: true; readonly workspace?: string };
  readonly "sessions show": { readonly session: string };
  readonly "sessions search": { readonly text: string };
  readonly "sessions confirm": { readonly session: string };
  readonly "sessions import": { readonly from: Placeholder | "list" | "pipe" };
  readonly "sessions export": {
    readonly session?: string;
    readonly file?: string;
    readonly includeIgnored?: true;
  };
  readonly "sessions delete": { readonly session: string };
  readonly "sessions delete --empty-trash": Record<never, never>;
  readonly "sessions undelete": { readonly session?: string };
  readonly "sessions undelete --list": Record<never, never>;
  readonly executions: { readonly all?: true };
  readonly "executions show": { readonly execution: string };
  readonly "executions delete": { readonly execution: string };
  readonly diff: { readonly since?: Placeholder };
  /** If `file` is absent, `…` is shown in its place. */
  readonly show: { readonly file?: string; readonly into?: string };
  readonly "export-files": Record<never, never>;
  readonly why: { readonly path: string };
  /** `command`: in shell syntax. */
  readonly run: { readonly command: string };
  /** `test`: in shell syntax. */
  readonly find: { readonly test: string };
  readonly "find --sample": Record<never, never>;
  readonly help: { readonly of: "find" | "compact" };
  readonly prove: { readonly limit?: number };
  readonly forget: { readonly what?: Placeholder | "pipe" };
  readonly doctor: { readonly fix?: true };
  readonly "store verify": Record<never, never>;
  readonly "store gc": { readonly dryRun?: true };
  readonly config: Record<never, never>;
  readonly "config set": { readonly key: string; readonly value: Value };
  readonly "config trust": Record<never, never>;
  /** `key`: where the key is read from. */
  readonly setup: { readonly provider?: Value; readonly model?: Value; readonly key?: "file" };
  readonly models: { readonly json?: true };
}

type CommandName = keyof Commands;

/** A command as data. Texts refer to it, and each front end shows it as the user would type it there. */
export type Command<Name extends CommandName = CommandName> = {
  readonly [Each in Name]: { readonly do: Each } & Commands[Each];
}[Name];

/** Renders a command as the reader would type it. */
export type CommandText = (command: Command) => string;

/** A command rendered for a shell. */
export interface ShellCommand {
  /** The words after `worldline`, each quoted. */
  readonly words: readonly string[];
  /**
   * What the command looks up in the store: nothing, sessions, or the most recently used session here (if the command
   * names no session).
   */
  readonly finds: "nothing" | "sessions" | "latest-session";
}

type Words = readonly (string | false | undefined)[];

const plain = (...words: Words): ShellCommand => ({ words: words.filter(isWord), finds: "nothing" });
const stored = (...words: Words): ShellCommand => ({ words: words.filter(isWord), finds: "sessions" });

/** Renders a command that uses the most recently used session unless it names another. */
function ofSession(session: string | undefined, ...words: Words): ShellCommand {
  if (session === undefined) return { words: words.filter(isWord), finds: "latest-session" };
  return stored(...words, "--session", quoted(session));
}

const PROMPT = '"..."';
const OPEN_WAYS = { fork: "--fork", prompt: PROMPT } as const;
const RESUME_WAYS = {
  continue: "--continue",
  retry: "--retry",
  rewindFiles: "--rewind-files",
  prompt: PROMPT,
} as const;

const IN_SHELL: { readonly [Name in CommandName]: (command: Command<Name>) => ShellCommand } = {
  command: ({ name }) => stored(name),
  start: ({ folder, host, model, prompt }) =>
    stored(
      folder !== undefined && quoted(folder),
      ...option("--host", host),
      ...option("--model", model),
      ...option("--", prompt),
    ),
  print: ({ prompt }) => stored("-p", `"${prompt}"`),
  open: ({ session, how }) => stored("-r", quoted(session), how !== undefined && OPEN_WAYS[how]),
  resume: ({ session, how }) =>
    stored("resume", session !== undefined && quoted(session), how !== undefined && RESUME_WAYS[how]),
  checkpoint: ({ label }) => stored("checkpoint", word(label)),
  checkpoints: ({ all }) => ofSession(undefined, "checkpoints", all && "--all"),
  rewind: ({ to, scope }) => stored("rewind", to !== undefined && place(to), ...option("--scope", scope)),
  redo: ({ session, journey, scope }) =>
    ofSession(session, "redo", journey !== undefined && quoted(journey), ...option("--scope", scope)),
  "redo --list": () => ofSession(undefined, "redo", "--list"),
  fork: ({ session, at, into, here }) =>
    stored(
      "fork",
      session !== undefined && quoted(session),
      ...option("--at", at?.toString()),
      ...option("--into", into),
      here && "--here",
    ),
  compact: () => stored("compact"),
  tree: ({ session }) => ofSession(session, "tree"),
  log: ({ session, limit }) => ofSession(session, "log", ...option("--limit", limit?.toString())),
  "sessions list": ({ all, workspace }) =>
    stored("sessions list", all && "--all", ...option("--workspace", workspace)),
  "sessions show": ({ session }) => stored("sessions show", quoted(session)),
  "sessions search": ({ text }) => stored("sessions search", quoted(text)),
  "sessions confirm": ({ session }) => stored("sessions confirm", quoted(session)),
  "sessions import": ({ from }) => {
    if (from === "list") return stored("sessions import --list");
    return from === "pipe"
      ? stored("sessions import - < session.bundle")
      : stored("sessions import", shown(from));
  },
  "sessions export": ({ session, file, includeIgnored }) =>
    stored(
      "sessions export",
      session !== undefined && quoted(session),
      ...option("-o", file),
      includeIgnored && "--include-ignored",
    ),
  "sessions delete": ({ session }) => stored("sessions delete", quoted(session)),
  "sessions delete --empty-trash": () => stored("sessions delete --empty-trash"),
  "sessions undelete": ({ session }) => stored("sessions undelete", session !== undefined && quoted(session)),
  "sessions undelete --list": () => stored("sessions undelete --list"),
  executions: ({ all }) => stored("executions", all && "--all"),
  "executions show": ({ execution }) => stored("executions show", quoted(execution)),
  "executions delete": ({ execution }) => stored("executions delete", quoted(execution)),
  diff: ({ since }) => stored("diff", since && word(since)),
  show: ({ file, into }) =>
    stored("show", file === undefined ? "…" : quoted(file), into !== undefined && `> ${quoted(into)}`),
  "export-files": () => stored("export-files <cp> <folder>"),
  why: ({ path }) => stored("why", quoted(path)),
  run: ({ command }) => stored("run --", command),
  find: ({ test }) => stored("find --", test),
  "find --sample": () => stored("find --sample"),
  help: ({ of }) => plain(of, "--help"),
  prove: ({ limit }) => plain("prove", limit !== undefined && `--limit ${limit} <folder>`),
  forget: ({ what }) => stored("forget", what === "pipe" ? "- --yes" : what && shown(what)),
  doctor: ({ fix }) => stored("doctor", fix && "--fix"),
  "store verify": () => plain("store verify"),
  "store gc": ({ dryRun }) => plain("store gc", dryRun && "--dry-run"),
  config: () => plain("config"),
  "config set": ({ key, value }) => plain("config set", quoted(key), word(value)),
  "config trust": () => plain("config trust"),
  setup: ({ provider, model, key }) =>
    plain(
      "setup",
      provider !== undefined && word(provider),
      ...option("--model", model),
      key === "file" && "< <file>",
    ),
  models: ({ json }) => plain("models", json && "--json"),
};

/** Returns the words that a user types at a shell. */
export function shellCommand<Name extends CommandName>(command: Command<Name>): ShellCommand {
  return IN_SHELL[command.do](command);
}

const NONE = () => undefined;

/** The slash command for each command, if there is one. It takes everything after its name literally. */
const ON_SCREEN: { readonly [Name in CommandName]: (command: Command<Name>) => string | undefined } = {
  command: NONE,
  start: ({ folder, host, model, prompt }) =>
    folder === undefined && host === undefined && prompt === undefined && model !== undefined
      ? `/model ${shown(model)}`
      : undefined,
  print: NONE,
  open: ({ session, how }) => (how === "fork" ? undefined : `/resume ${session}`),
  resume: ({ session }) => (session === undefined ? "/resume" : `/resume ${session}`),
  checkpoint: ({ label }) => `/checkpoint save ${shown(label)}`,
  checkpoints: () => "/rewind",
  // The user chooses the scope in a dialog.
  rewind: ({ to }) => (to === undefined ? "/rewind" : `/rewind ${place(to)}`),
  redo: ({ session, journey, scope }) => {
    if (session !== undefined) return undefined;
    return journey === undefined && scope === undefined ? "/redo" : "/redo list";
  },
  "redo --list": () => "/redo list",
  // `/fork` only forks the open session at its head, and only in this workspace.
  fork: NONE,
  compact: () => "/compact",
  tree: ({ session }) => (session === undefined ? "/tree" : undefined),
  log: NONE,
  "sessions list": () => "/resume",
  "sessions show": NONE,
  "sessions search": NONE,
  "sessions confirm": NONE,
  "sessions import": NONE,
  "sessions export": ({ session, file, includeIgnored }) =>
    session === undefined && includeIgnored === undefined
      ? `/export bundle ${file ?? ""}`.trimEnd()
      : undefined,
  "sessions delete": ({ session }) => `/delete ${session}`,
  "sessions delete --empty-trash": NONE,
  "sessions undelete": NONE,
  "sessions undelete --list": NONE,
  executions: NONE,
  "executions show": NONE,
  "executions delete": NONE,
  diff: ({ since }) => (since === undefined ? "/diff" : `/diff ${shown(since)}`),
  show: NONE,
  "export-files": NONE,
  why: NONE,
  run: NONE,
  find: NONE,
  "find --sample": NONE,
  help: NONE,
  prove: NONE,
  forget: NONE,
  doctor: ({ fix }) => (fix === undefined ? "/doctor" : undefined),
  "store verify": NONE,
  "store gc": NONE,
  config: () => "/config",
  "config set": ({ key, value }) => `/config ${key} ${shown(value)}`,
  "config trust": NONE,
  setup: ({ model, key }) => (model === undefined && key === undefined ? "/setup" : undefined),
  models: () => "/model",
};

/** Returns the slash command on Worldline's own screen, or undefined if the command must be typed at a shell. */
export function slashCommand<Name extends CommandName>(command: Command<Name>): string | undefined {
  return ON_SCREEN[command.do](command);
}

/** Quotes a value so that a shell reads it as one word. */
export function quoted(value: string): string {
  if (/^[\p{L}\p{N}_@%+=:,./~-]+$/u.test(value)) return value;
  return /^[\p{L}\p{N}_@%+=:,./~? -]+$/u.test(value) ? `"${value}"` : `'${value.replaceAll("'", "'\\''")}'`;
}

function word(value: Value): string {
  return typeof value === "string" ? quoted(value) : shown(value);
}

function shown(value: Value): string {
  return typeof value === "string" ? value : `<${value.any}>`;
}

function place(to: NonNullable<Commands["rewind"]["to"]>): string {
  if ("any" in to) return shown(to);
  return to.session === undefined ? String(to.checkpoint) : `${to.session}:${to.checkpoint}`;
}

function option(name: string, value: Value | undefined): readonly string[] {
  return value === undefined ? [] : [name, word(value)];
}

function isWord(each: Words[number]): each is string {
  return typeof each === "string" && each !== "";
}
