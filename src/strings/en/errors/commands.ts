import type { CommandText } from "../../commands.ts";
import { error, type Problem } from "../../errors/texts.ts";

/** The things that a canceled or declined command left unchanged. */
export type LeftAsItWas =
  | "unasked"
  | "uncaptured"
  | "unchanged"
  | "unchosen"
  | "unexported"
  | "untouched"
  | "unwritten";

/** The user's probable intention with an unknown command: another command, or what Worldline has instead. */
export type MeantCommand = { readonly command: string } | "init" | "mcp" | "update";

/** Arguments that the command-line parser rejected: its code, its message, and the user's words that it quotes. */
export interface Misread {
  /** The command as the user typed it. */
  readonly path: string;
  readonly kind: string;
  readonly said: string;
  readonly quoted: readonly string[];
  /** Options or commands with a similar spelling. */
  readonly alike: readonly string[];
  /** The values that the option accepts, if the given value is not one of them. */
  readonly allowed: readonly string[];
}

export interface Option {
  readonly option: string;
}

export interface Given {
  readonly given: string;
}

const leaveOneOut = () => "Leave out one of the two options.";
const seeHelp = ({ path }: { readonly path: string }) => `See: ${path} --help`;
const misread = ({ said }: Misread) => said;
const toTheAgent = (given: string, command: CommandText) =>
  `To send this text to the agent, run: ${command({ do: "start", prompt: given })}`;

/** Command-line errors: arguments that cannot be parsed, conflicting options, piped input, and confirmations. */
export const commandLine = {
  "command-misread": error("USAGE", misread, aboutMisread),
  "choice-invalid": error("INPUT_INVALID", misread, aboutMisread),
  "word-begins-with-dash": error(
    "USAGE",
    (_: { readonly path: string }) => "An argument begins with a dash but is not an option for this command.",
    ({ path }) => `If it is text, put -- before it (${path} -- <text>), or read it from a pipe: ${path} -`,
  ),
  "no-help-for-command": error(
    "USAGE",
    (_: { readonly path: string }) => "There is no command with that name.",
    seeHelp,
  ),
  "help-unknown": error(
    "USAGE",
    ({ given }: Given & { readonly meant?: MeantCommand }) => `There is no command "worldline ${given}".`,
    ({ meant }, { command }) => (meant === undefined ? "See: worldline --help" : meantText(meant, command)),
  ),
  "command-or-prompt-unknown": error(
    "USAGE",
    ({ given }: Given & { readonly meant?: MeantCommand }) => `There is no command "worldline ${given}".`,
    ({ given, meant }, { command }) =>
      `${meant === undefined ? "`worldline --help` lists all commands." : meantText(meant, command)} ${toTheAgent(given, command)}`,
  ),
  "command-unknown": error(
    "USAGE",
    ({ path, given }: Given & { readonly path: string; readonly meant?: string }) =>
      `There is no command "${path} ${given}".`,
    ({ path, meant }) => (meant === undefined ? seeHelp({ path }) : `Did you mean: ${path} ${meant}`),
  ),
  "command-incomplete": error(
    "USAGE",
    ({ path }: { readonly path: string; readonly known: readonly string[] }) =>
      `"${path}" needs a subcommand.`,
    ({ path, known }) => `Subcommands: ${known.join(", ")}. ${seeHelp({ path })}`,
  ),
  "folder-is-a-file": error(
    "INPUT_INVALID",
    ({ given }: Given) => `${given} is a file, not a folder.`,
    ({ given }, { command }) => `Specify an existing folder. ${toTheAgent(given, command)}`,
  ),
  "folder-missing": error(
    "INPUT_INVALID",
    ({ given }: Given) => `The folder ${given} does not exist.`,
    ({ given }, { command }) => `Specify an existing folder. ${toTheAgent(given, command)}`,
  ),
  "not-a-whole-number": error(
    "INPUT_INVALID",
    ({ option, given }: Option & Given) => `${option} must be a whole number, not "${given}".`,
    ({ option }) => `For example: ${option} 12`,
  ),
  "option-empty": error(
    "INPUT_INVALID",
    ({ option }: Option) => `${option} was given without a value.`,
    ({ option }) => `Leave out ${option}, or check the variable that its value comes from.`,
  ),
  "store-address-invalid": error(
    "INPUT_INVALID",
    ({ origin, problem }: { readonly origin: string; readonly problem: Problem }, { message }) =>
      `${origin}: ${message(problem)}`,
    ({ problem }, { hint }) => hint(problem),
  ),
  "options-contradict": error(
    "USAGE",
    ({ one, other }: { readonly one: string; readonly other: string }) =>
      `${one} and ${other} cannot be used together.`,
    leaveOneOut,
  ),
  "reach-contradicts": error(
    "INPUT_INVALID",
    ({ other }: { readonly other: "--session" | "--workspace" }) =>
      `--all and ${other} cannot be used together.`,
    leaveOneOut,
  ),
  "choices-contradict": error(
    "USAGE",
    ({ one, other }: { readonly one: string; readonly other: string }) =>
      `--${one} and --${other} cannot be used together.`,
    () => "Use only one of --keep, --take, and --merge.",
  ),
  "needs-consent": error(
    "NEEDS_YES",
    /** The question that would have been asked, in the user's language. */
    ({ question }: { readonly question: string }) => `This needs your confirmation: ${question}`,
    () => "Worldline cannot ask for confirmation here. Run the command again with --yes to confirm.",
  ),
  cancelled: error(
    "CANCELLED",
    ({ left }: { readonly left: LeftAsItWas }) => `Canceled; ${leftAsItWas[left]}.`,
  ),
  "pipe-empty": error(
    "INPUT_INVALID",
    (_: { readonly piped: PipedInto }) => "Nothing was piped into standard input.",
    ({ piped }, { command }) => {
      if (piped === "key") return "Pipe the key in, or run the command in a terminal.";
      if (piped === "bundle") return `For example: ${command({ do: "sessions import", from: "pipe" })}`;
      return `To keep the text out of your shell history, run: read -rs S; printf %s "$S" | ${command({ do: "forget", what: "pipe" })}`;
    },
  ),
  "pipe-too-long": error(
    "INPUT_INVALID",
    ({ most }: { readonly most: number }) => `Standard input is longer than ${most} bytes.`,
    () => "Pipe in less data.",
  ),
  "prompt-too-long": error(
    "INPUT_INVALID",
    ({ mebibytes }: { readonly mebibytes: number }) => `Standard input is longer than ${mebibytes} MiB.`,
    () => "Save the input to a file, and name the file in the prompt.",
  ),
  "prompt-not-utf8": error(
    "INPUT_INVALID",
    () => "Standard input is not UTF-8 text.",
    () => "Name the file in the prompt instead; the agent can read it.",
  ),
  "secret-not-utf8": error(
    "INPUT_INVALID",
    () => "Standard input is not UTF-8 text.",
    () => "Only text can be searched for.",
  ),
  "prompt-missing": error(
    "INPUT_INVALID",
    () => "No prompt was given.",
    (_, { command }) =>
      `Give a prompt as an argument, or pipe it in: ${command({ do: "print", prompt: "why does the build fail?" })}`,
  ),
  "fork-of-nothing": error(
    "USAGE",
    () => "--fork needs a session to fork.",
    () => "Name the session with -r, or use the last one with -c.",
  ),
  "option-not-a-rule": error(
    "INPUT_INVALID",
    ({ option, rule, problem }: Option & { readonly rule: string; readonly problem: Problem }, { message }) =>
      `${option} "${rule}" is not a valid permission rule: ${message(problem)}.`,
    () => "Write it as Tool or Tool(pattern), such as 'Bash(npm test:*)'.",
  ),
  "host-unknown": error(
    "INPUT_INVALID",
    ({ host }: { readonly host: string }) => `Unknown host "${host}".`,
    () => "Hosts: native (Worldline's own agent) and claude (the Claude Agent SDK).",
  ),
  "no-steps-allowed": error(
    "INPUT_INVALID",
    () => "--max-steps must be at least 1.",
    () => "For example: --max-steps 20",
  ),
  "nothing-to-look-for": error(
    "INPUT_INVALID",
    () => "No search text was given.",
    (_, { command }) => `For example: ${command({ do: "sessions search", text: "connection pool" })}`,
  ),
  "one-thing-to-forget": error(
    "USAGE",
    ({ count }: { readonly count: number }) =>
      `Only one item can be forgotten at a time, but ${count} were given.`,
    () => "Pass the text, --text <text>, --path <file>, or - to read the text from a pipe.",
  ),
  "file-or-text": error(
    "INPUT_INVALID",
    () => "This could be a file name, or text that looks like one.",
    () =>
      "Specify which: --path <file> forgets the file in tool calls and snapshots; --text <text> forgets the text wherever it occurs.",
  ),
};

/** The kind of data that was expected on standard input. */
export type PipedInto = "key" | "bundle" | "secret";

const leftAsItWas: Readonly<Record<LeftAsItWas, string>> = {
  unasked: "nothing was sent to the model",
  uncaptured: "no file was changed, but not all files were captured",
  unchanged: "nothing was changed",
  unchosen: "no session was chosen",
  unexported: "nothing was exported",
  untouched: "none of your files were touched",
  unwritten: "nothing was written",
};

function aboutMisread({ path, alike }: Misread): string {
  if (alike.length === 0) return seeHelp({ path });
  return alike.length === 1 ? `Did you mean ${alike[0]}?` : `Did you mean one of ${alike.join(", ")}?`;
}

function meantText(meant: MeantCommand, command: CommandText): string {
  switch (meant) {
    case "init":
      return "In Worldline's terminal, /init creates an AGENTS.md file.";
    case "mcp":
      return `MCP servers are listed in the workspace's .mcp.json and start once you trust the workspace with \`${command({ do: "config trust" })}\`.`;
    case "update":
      return "Worldline does not update itself. Install the new version the way you installed this one.";
    default:
      return `Did you mean \`${command({ do: "command", name: meant.command })}\`?`;
  }
}

const MOST_LABELS = 10;

export interface Session {
  readonly session: string;
}

export interface Workspace {
  readonly workspace: string;
}

/** Errors about the session, checkpoint, or place in a session that the user named. */
export const choosing = {
  "two-sessions-named": error(
    "INPUT_INVALID",
    ({ session, other }: Session & { readonly other: string }) =>
      `Two sessions were given: ${session}, and ${other} with --session.`,
    () => "Name only one session.",
  ),
  "checkpoint-of-other-session": error(
    "INPUT_INVALID",
    ({ given, session }: Session & { readonly given: string }) =>
      `"${given}" is not in session ${session}, which was given with --session.`,
    () => "Leave out --session, or name a checkpoint in that session.",
  ),
  "no-checkpoints-yet": error(
    "SESSION_UNKNOWN",
    ({ workspace }: Workspace) => `No checkpoints found: there is no session in ${workspace} yet.`,
    (_, { command }) => `Create a checkpoint: ${command({ do: "checkpoint", label: "before refactoring" })}`,
  ),
  "no-session-to-go-on": error(
    "SESSION_UNKNOWN",
    ({ workspace }: Workspace) => `There is no session to continue in ${workspace} yet.`,
    (_, { command }) =>
      `Start a session with \`worldline\`, or with a prompt: ${command({ do: "print", prompt: "..." })}`,
  ),
  "no-session-of-an-agent": error(
    "SESSION_UNKNOWN",
    ({ workspace }: Workspace) => `There is no agent session in ${workspace} yet.`,
    (_, { command }) =>
      `Start an agent session: ${command({ do: "print", prompt: "why does the build fail?" })}`,
  ),
  "no-session-in-workspace": error(
    "SESSION_UNKNOWN",
    ({ workspace }: Workspace) => `There are no sessions in ${workspace} yet.`,
    (_, { command }) =>
      `See the sessions in other workspaces: ${command({ do: "sessions list", all: true })}`,
  ),
  "which-session": error(
    "USAGE",
    () => "Which session? Choosing a session from a list requires a terminal.",
    (_, { command }) =>
      `Name a session with -r <id>, or use the last one with -c. See all sessions: ${command({ do: "sessions list" })}`,
  ),
  "which-checkpoint": error(
    "USAGE",
    () => "Which checkpoint? Choosing a checkpoint from a list requires a terminal.",
    (_, { command }) =>
      `Give the checkpoint's number, as in \`${command({ do: "rewind", to: { any: "number" } })}\`. See all checkpoints: ${command({ do: "checkpoints" })}`,
  ),
  "no-checkpoints": error(
    "CHECKPOINT_UNKNOWN",
    () => "No checkpoints found.",
    (_, { command }) =>
      `Each prompt creates a checkpoint. To create one yourself, use ${command({ do: "checkpoint", label: { any: "label" } })}`,
  ),
  "session-of-other-folder": error(
    "USAGE",
    ({ session, workspace, here }: Session & Workspace & { readonly here: string }) =>
      `Session ${session} belongs to ${workspace}, not to ${here}`,
    ({ here }, { command }) =>
      `Leave out --workspace, or name a session in that folder: ${command({ do: "sessions list", workspace: here })}`,
  ),
  "session-not-here": error(
    "INPUT_INVALID",
    ({ session, workspace }: Session & Workspace) =>
      `Session ${session} belongs to ${workspace}, not to this folder.`,
    ({ session }, { command }) => `Switch to that session first: ${command({ do: "open", session })}`,
  ),
  "label-unknown-here": error(
    "CHECKPOINT_UNKNOWN",
    ({ label }: { readonly label: string; readonly known: readonly string[] }) =>
      `No checkpoint is called "${label}" here.`,
    ({ known }, { command }) => {
      if (known.length === 0) {
        return `No checkpoint has a label yet. See the checkpoint numbers: ${command({ do: "checkpoints" })}`;
      }
      const some = known.slice(0, MOST_LABELS).map((each) => `"${each}"`);
      const more = known.length > MOST_LABELS ? ", …" : "";
      return `Known labels: ${some.join(", ")}${more}. See: ${command({ do: "checkpoints", all: true })}`;
    },
  ),
  "not-a-checkpoint": error(
    "INPUT_INVALID",
    ({ given }: { readonly given: string }) => `"${given}" does not name a checkpoint.`,
    (_, { command }) =>
      `Give a number (starting at 1), session:number, or a label. See: ${command({ do: "checkpoints" })}`,
  ),
  "label-like-a-number": error(
    "LABEL_INVALID",
    ({ label }: { readonly label: string }) =>
      `"${label}" cannot be used as a label: it looks like a checkpoint number.`,
    () => 'Choose a short name with a letter in it, such as "before refactoring".',
  ),
  "not-a-row": error(
    "INPUT_INVALID",
    ({ typed }: { readonly typed: string; readonly last: number }) => `"${typed}" is not on the list.`,
    ({ last }) => `Nothing was changed. Type a number from 0 to ${last}.`,
  ),
  "no-entry-of-id": error(
    "ENTRY_UNKNOWN",
    ({ entry }: { readonly entry: string }) => `There is no entry ${entry} in this session.`,
    () => "Choose a row in the tree: /tree",
  ),
  "no-checkpoint-before": error(
    "ENTRY_UNKNOWN",
    ({ entry }: { readonly entry: string }) => `Entry ${entry} comes before the first checkpoint.`,
    () => "Fork from a later entry.",
  ),
};

const seeFindHelp = (command: CommandText) => `See: ${command({ do: "help", of: "find" })}`;
const notRun = () => "The command was not run. Leave out --strict to run it anyway.";

/** Errors from commands and tests that Worldline runs for the user with `run` and `find`. */
export const running = {
  "no-command-to-run": error(
    "USAGE",
    () => "No command was given.",
    (_, { command }) =>
      `Put the command after --, for example: ${command({ do: "run", command: "npm audit fix --force" })}`,
  ),
  "session-of-other-workspace": error(
    "INPUT_INVALID",
    ({ workspace }: { readonly workspace: string }) =>
      `The session belongs to another workspace: ${workspace}`,
    () => "Leave out --session, or name the workspace with --workspace.",
  ),
  "command-unprotected": error(
    "REWIND_REFUSED",
    ({ why }: { readonly why: Problem }, { message }) =>
      `The files were not captured before the command, so they cannot be restored: ${message(why)}`,
    notRun,
  ),
  "command-partly-protected": error(
    "REWIND_REFUSED",
    ({ why }: { readonly why: Problem }, { message }) =>
      `Not all files were captured before the command: ${message(why)}`,
    notRun,
  ),
  "command-not-started": error(
    "INPUT_INVALID",
    ({ command, why }: { readonly command: string; readonly why: WhyNotStarted }) =>
      `"${command}" could not be started: ${whyNotStarted(why)}.`,
    (_, { command }) =>
      `Nothing was run. To use shell syntax, run: ${command({ do: "run", command: "sh -c '<command>'" })}`,
  ),
  "no-test-to-run": error(
    "USAGE",
    () => "No test was given.",
    (_, { command }) => `Put the test after --, for example: ${command({ do: "find", test: "npm test" })}`,
  ),
  "runs-out-of-range": error(
    "INPUT_INVALID",
    ({ most }: { readonly most: number }) => `--runs must be between 1 and ${most}.`,
    (_, { command }) => seeFindHelp(command),
  ),
  "timeout-too-short": error(
    "INPUT_INVALID",
    () => "--timeout must be at least 1 second.",
    (_, { command }) => seeFindHelp(command),
  ),
  "since-of-other-workspace": error(
    "INPUT_INVALID",
    ({ given }: { readonly given: string }) => `"${given}" is a checkpoint in another workspace.`,
    (_, { command }) => seeFindHelp(command),
  ),
  "sample-brings-its-test": error(
    "USAGE",
    () => "--sample uses its own test.",
    () => "Leave out your test.",
  ),
  "option-not-with-sample": error(
    "USAGE",
    ({ option }: { readonly option: string }) =>
      `${option} cannot be used with --sample, which runs on its own project.`,
    () => "Leave out one of the two options.",
  ),
  "option-of-sample": error(
    "USAGE",
    ({ option }: { readonly option: string }) => `${option} can only be used with --sample.`,
    ({ option }) => `Add --sample, or leave out ${option}.`,
  ),
  "sample-way-unknown": error(
    "INPUT_INVALID",
    ({ given }: { readonly given: string; readonly known: readonly string[]; readonly meant?: string }) =>
      `"${given}" is not a way to break the sample.`,
    ({ known, meant }) =>
      meant === undefined ? `Known ways: ${known.join("; ")}` : `Did you mean "${meant}"?`,
  ),
};

/** The reason why a program could not be started; `system`: the system's message. */
export type WhyNotStarted = "missing" | "forbidden" | { readonly system: string };

function whyNotStarted(why: WhyNotStarted): string {
  if (why === "missing") return "it was not found, or the interpreter named in its first line was not found";
  return why === "forbidden" ? "it is not executable" : why.system;
}
