import { type ErrorCode, error, type Problem } from "../../errors/texts.ts";

/** Why a model's summary cannot be used. */
export type SummaryFault = "longer" | "cut" | "only-thinking" | "empty" | "instruction";

const NOT_RESTORABLE = "What it changes before the capture is done may not be restorable.";

/** The errors of the agent, of its permissions and of its settings. */
export const agent = {
  "turn-running": error(
    "TURN_RUNNING",
    () => "A turn is running.",
    () => "Wait for its end, or interrupt it first.",
  ),
  "turn-not-cut": error(
    "INPUT_INVALID",
    () => "The last turn has ended: there is nothing to go on with.",
    () => "Say what to do next.",
  ),
  "turn-interrupted": error("CANCELLED", () => "The turn was interrupted."),
  "model-fixed": error(
    "MODEL_UNKNOWN",
    ({ model }: { readonly model: string }) => `The model cannot be changed to ${model} here.`,
    (_, { command }) => `Begin again with the model that you want: ${command("--model <name>")}`,
  ),
  "step-limit": error(
    "STEP_LIMIT",
    ({ steps }: { readonly steps: number }) =>
      `The turn was stopped after ${steps} ${steps === 1 ? "step" : "steps"}.`,
    (_, { place, command }) =>
      place === "screen"
        ? `Go on with: another prompt, or allow more: ${command("config")}`
        : `Go on with: ${command("resume --continue")}, or allow more: --max-steps`,
  ),
  "not-compacted": error(
    "MODEL_FAILED",
    ({ problem }: { readonly problem: Problem }, { message }) =>
      `The conversation could not be compacted. ${message(problem)}`,
    () => "The context stays as it was.",
  ),
  "summary-unusable": error(
    "MODEL_FAILED",
    ({ fault }: { readonly fault: SummaryFault }) =>
      `The model's summary could not be used: ${SUMMARY_FAULTS[fault]}.`,
  ),
  "summary-not-tried": error("MODEL_FAILED", () => "No attempt was made."),
  "summary-too-late": error("TURN_RUNNING", () => "The conversation went on while it was being summarised."),
  "nothing-to-compact-now": error("NOTHING_TO_COMPACT", () => "Nothing to compact."),
  "compaction-interrupted": error("CANCELLED", () => "It was interrupted."),
  /** The Claude Agent SDK compacts its own conversation. */
  "sdk-compacted-alone": error(
    "NOTHING_TO_COMPACT",
    () =>
      "The SDK has compacted its own conversation. The session's log has nothing to compact, and stays as it is.",
  ),
  "nothing-left-to-compact": error(
    "NOTHING_TO_COMPACT",
    (_: Readonly<Record<never, never>>, { command }) =>
      "Nothing to compact: what always stays, the last prompt and the last exchanges, fills the context by itself. " +
      `Give a shorter prompt that names files instead of holding them, go back with \`${command("rewind")}\`, or choose a ` +
      "model with a larger window.",
  ),
  "compacting-stopped": error(
    "NOTHING_TO_COMPACT",
    () =>
      "Compacting brought nothing twice in a row, so it is not tried again by itself until your next prompt. " +
      "Rewind to an earlier checkpoint, compact with a focus that says what matters, or choose a model with a larger window.",
  ),
  "backtrack-took": error(
    "BACKTRACK_REFUSED",
    /** A warning: the backtrack was performed, and may have overwritten changes of the user's. */
    ({
      paths,
      more,
      commands,
    }: {
      readonly paths: readonly string[];
      readonly more: number;
      readonly commands: readonly string[];
      readonly journey: string;
    }) =>
      `The backtrack took back what changed while ${commands.length === 1 ? `\`${commands[0]}\`` : `${commands.length} commands`} ran: ${paths.join(", ")}${more === 0 ? "" : ` and ${more} more`}.`,
    ({ journey }, { command }) =>
      `If that was your own edit, bring it back: ${command(`redo ${journey} --scope files`)}`,
  ),
  /** The agent emits these warnings with their own codes, such as SNAPSHOT_SLOW. */
  "capture-not-waited-for": error(
    "STORE_BUSY",
    () => "The first capture of the workspace is not done; the tool runs without it, as you wished.",
    () => NOT_RESTORABLE,
  ),
  "capture-late": error(
    "STORE_BUSY",
    ({ seconds }: { readonly seconds: number }) =>
      `The first capture of the workspace is not done after ${seconds} s; the tool runs without it.`,
    () => `${NOT_RESTORABLE} Wait longer: snapshots.firstWaitMs`,
  ),
  "checkpoint-list-unwritten": error(
    "STORE_UNWRITABLE",
    ({ problem }: { readonly problem: Problem }, { message }) =>
      `checkpoints/metadata.json could not be written: ${message(problem)} The checkpoints themselves are in the log.`,
    ({ problem }, { hint }) => hint(problem),
  ),

  "rule-invalid": error(
    "SETTINGS_INVALID",
    ({ rule, problem }: { readonly rule: string; readonly problem: Problem }, { message }) =>
      `"${rule}" is no permission rule: ${message(problem)}.`,
    () => "Write it as Tool or Tool(pattern), such as Bash(npm test:*); see docs/guide/permissions.md.",
  ),
  "rule-empty": error("SETTINGS_INVALID", () => "it is empty"),
  "rule-unclosed": error("SETTINGS_INVALID", () => "its pattern has no closing parenthesis at the end"),
  "rule-tool-name": error(
    "SETTINGS_INVALID",
    ({ tool }: { readonly tool: string }) => `"${tool}" cannot be a tool's name; write Tool or Tool(pattern)`,
  ),
  "rule-no-server": error(
    "SETTINGS_INVALID",
    () => "it names no server; write mcp__server or mcp__server__tool",
  ),
  "rule-tool-unknown": error(
    "SETTINGS_INVALID",
    ({ tool, known }: { readonly tool: string; readonly known: string }) =>
      `there is no tool "${tool}"; write ${known}`,
  ),
  "rule-pattern-empty": error(
    "SETTINGS_INVALID",
    ({ tool }: { readonly tool: string }) => `nothing stands in its parentheses; write ${tool} for all of it`,
  ),
  "rule-pattern-long": error(
    "SETTINGS_INVALID",
    ({ most }: { readonly most: number }) => `its pattern is longer than ${most} characters`,
  ),
  "rule-no-pattern": error(
    "SETTINGS_INVALID",
    ({ tool, others }: { readonly tool: string; readonly others: readonly string[] }) =>
      `${tool} takes no pattern; only ${others.join(", ")} do`,
  ),
  "rule-prefix-empty": error(
    "SETTINGS_INVALID",
    () => "nothing stands before :*; write Bash for all commands",
  ),
  "rule-path-up": error(
    "SETTINGS_INVALID",
    () => "a path with .. in it cannot be told; write //absolute/path, ~/path, or path",
  ),
  "rule-path-slash": error(
    "SETTINGS_INVALID",
    ({ rest }: { readonly rest: string }) =>
      `write //${rest} for an absolute path, or ${rest || "**"} for one in the workspace`,
  ),
  "rule-domain": error(
    "SETTINGS_INVALID",
    () => "a pattern of WebFetch is domain:example.com or domain:*.example.com",
  ),

  "mcp-config-unreadable": error(
    "SETTINGS_INVALID",
    ({ file, why }: { readonly file: string; readonly why: string }) => `${file} cannot be read: ${why}.`,
    () => "Make it a readable JSON file, or take it away; until then no MCP server is started.",
  ),
  "mcp-config-invalid": error(
    "SETTINGS_INVALID",
    (
      {
        file,
        line,
        column,
        problem,
      }: {
        readonly file: string;
        readonly line: number;
        readonly column: number;
        readonly problem: Problem;
      },
      { message },
    ) => `${file}:${line}:${column}: ${message(problem)}.`,
    () => "Correct the file; until then no MCP server is started.",
  ),
  "mcp-not-json": error("SETTINGS_INVALID", () => "this is not JSON"),
  "mcp-no-object": error("SETTINGS_INVALID", () => "expected an object in { }"),
  "mcp-servers-no-object": error("SETTINGS_INVALID", () => "expected an object in { } as mcpServers"),
  "mcp-no-server": error("SETTINGS_INVALID", () => "expected a server"),
  /** `said`: the message of the schema checker; `at`: the field that it is about. */
  "mcp-server-invalid": error(
    "SETTINGS_INVALID",
    ({
      server,
      said,
      at,
    }: {
      readonly server: string;
      readonly said: string | undefined;
      readonly at: string;
    }) => `the server ${server}: ${said ?? "not understood"}${at === "" ? "" : ` at ${at}`}`,
  ),
};

const SUMMARY_FAULTS: Readonly<Record<SummaryFault, string>> = {
  longer: "it is longer than what it stands for",
  cut: "it was cut off at the model's limit",
  "only-thinking": "it holds only thinking",
  empty: "it is empty",
  instruction: "it only repeats the instruction",
};

export interface Session {
  readonly session: string;
}

/** The holder of a session; `since` is in the user's time zone. */
export interface Held extends Session {
  readonly name: string;
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

const heldBy = ({ session, name, pid, host, since }: Held) =>
  `Session ${session} is held by ${name} (pid ${pid} on ${host}, since ${since})`;
const inACopy = (session: string, command: (words: string) => string) =>
  `go on in a copy: ${command(`-r ${session} --fork`)}`;
const contextStays = () => "The context stays as it was.";

/** The errors of an agent's session: opening and resuming it, its turns, and its context. */
export const agentSessions = {
  "execution-not-conversation": error(
    "INPUT_INVALID",
    ({ id }: Session & { readonly id: string }) =>
      `${id} is the execution of a program, and no conversation.`,
    ({ session }, { command }) =>
      `The program goes on with it when it is started again. See its steps: ${command(`executions show ${session}`)}`,
  ),
  "confirmation-not-needed": error("INPUT_INVALID", () => "This store needs no confirmation."),
  "session-held": error(
    "SESSION_HELD",
    (held: Held) => `${heldBy(held)}.`,
    ({ session }, { command }) => `Close it there, or ${inACopy(session, command)}`,
  ),
  "session-leased-until": error(
    "SESSION_HELD",
    ({ until, ...held }: Held & { readonly until: string }) =>
      `${heldBy(held)}; its lease runs until ${until}, unless it is renewed.`,
    ({ session }, { command }) =>
      `Close it there; if it died, wait until then; or ${inACopy(session, command)}`,
  ),
  "session-held-elsewhere": error(
    "SESSION_HELD",
    ({ problem }: Session & { readonly problem: Problem }, { message }) => message(problem),
    ({ session, problem }, { command, hint }) => `${hint(problem)} Or ${inACopy(session, command)}`.trim(),
  ),
  "session-not-closed": error(
    "STORE_UNWRITABLE",
    ({ why }: { readonly why: string }) => `The session could not be closed in order: ${why}`,
    (_, { command }) => `See what is wrong: ${command("doctor")}`,
  ),
  "turn-has-ended": error(
    "INPUT_INVALID",
    (_: Session) => "The last turn has ended: there is nothing to go on with.",
    ({ session }, { command }) => `Say what to do next: ${command(`resume ${session} "..."`)}`,
  ),
  "one-way-to-go-on": error(
    "USAGE",
    () => "A session can go on in one way only.",
    () => "Give one of --continue, --retry, --rewind-files and a prompt.",
  ),
  "files-before-step-not-captured": error(
    "REWIND_REFUSED",
    ({ step }: Session & { readonly step: number; readonly older?: number }) =>
      `The files before step #${step} were not captured.`,
    ({ session, older }, { command }) =>
      older === undefined
        ? `No earlier checkpoint has them either. Look at what is there: ${command("checkpoints")}`
        : `The newest ones before it are of #${older}: ${command(`rewind ${session}:${older} --scope files`)}`,
  ),
  "no-step-was-cut": error(
    "INPUT_INVALID",
    () => "No step was cut, so there are no files to take back.",
    (_, { command }) => `Go back to any checkpoint: ${command("rewind")}`,
  ),
  "compaction-failed": error(
    ({ code }: CompactionFailure) => code,
    ({ why }) => `The conversation could not be compacted. ${why}`,
    contextStays,
  ),
  "compaction-not-foreseen": error(
    "INPUT_INVALID",
    () => "What the Claude Agent SDK would summarise is not known before.",
    () => "Leave --dry-run out. Nothing is lost: a rewind brings everything back.",
  ),
};

/** `why`: in the words of the provider, or of the program that responded in its place. */
export interface CompactionFailure {
  readonly code: ErrorCode;
  readonly why: string;
}
