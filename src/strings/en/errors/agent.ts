import type { CommandText } from "../../commands.ts";
import { type ErrorCode, error, type Problem } from "../../errors/texts.ts";

/** The reason why a model's summary cannot be used. */
export type SummaryFault = "longer" | "cut" | "only-thinking" | "empty" | "instruction";

const NOT_RESTORABLE = "You may not be able to undo changes that the tool makes before the capture finishes.";

/** Errors from the agent, its permissions, and its settings. */
export const agent = {
  "turn-running": error(
    "TURN_RUNNING",
    () => "A turn is running.",
    () => "Wait for it to finish, or interrupt it first.",
  ),
  "turn-not-cut": error(
    "INPUT_INVALID",
    () => "The last turn is complete, so there is nothing to continue.",
    () => "Enter a new prompt.",
  ),
  "turn-interrupted": error("CANCELLED", () => "The turn was interrupted."),
  "model-fixed": error(
    "MODEL_UNKNOWN",
    ({ model }: { readonly model: string }) => `The model cannot be changed to ${model} here.`,
    (_, { command }) =>
      `Start again with the model you want: ${command({ do: "start", model: { any: "name" } })}`,
  ),
  "step-limit": error(
    "STEP_LIMIT",
    ({ steps }: { readonly steps: number }) =>
      `The turn was stopped after ${steps} ${steps === 1 ? "step" : "steps"}.`,
    (_, { place, command }) =>
      place === "screen"
        ? `Send another prompt to continue, or raise the limit: ${command({ do: "config" })}`
        : `Continue with ${command({ do: "resume", how: "continue" })}, or raise the limit with --max-steps.`,
  ),
  "not-compacted": error(
    "MODEL_FAILED",
    ({ problem }: { readonly problem: Problem }, { message }) =>
      `The conversation could not be compacted. ${message(problem)}`,
    () => "The context is unchanged.",
  ),
  "summary-unusable": error(
    "MODEL_FAILED",
    ({ fault }: { readonly fault: SummaryFault }) =>
      `The model's summary could not be used: ${SUMMARY_FAULTS[fault]}.`,
  ),
  "summary-not-tried": error("MODEL_FAILED", () => "No summary was requested."),
  "summary-too-late": error(
    "TURN_RUNNING",
    () => "The conversation continued while it was being summarized.",
  ),
  "nothing-to-compact-now": error("NOTHING_TO_COMPACT", () => "Nothing to compact."),
  "compaction-interrupted": error("CANCELLED", () => "The compaction was interrupted."),
  /** The Claude Agent SDK compacts its own conversation. */
  "sdk-compacted-alone": error(
    "NOTHING_TO_COMPACT",
    () =>
      "The SDK compacted its own conversation. There is nothing to compact in the session's log, so the log is unchanged.",
  ),
  "nothing-left-to-compact": error(
    "NOTHING_TO_COMPACT",
    (_: Readonly<Record<never, never>>, { command }) =>
      "Nothing to compact: the last prompt and the last exchanges, which are always kept, already fill the context. " +
      `Use a shorter prompt that names files instead of including them, go back with \`${command({ do: "rewind" })}\`, or choose a ` +
      "model with a larger context window.",
  ),
  "compacting-stopped": error(
    "NOTHING_TO_COMPACT",
    () =>
      "Two compactions in a row freed no space, so automatic compaction is off until your next prompt. " +
      "Rewind to an earlier checkpoint, compact with a focus that says what matters, or choose a model with a larger context window.",
  ),
  "backtrack-took": error(
    "BACKTRACK_REFUSED",
    /** Warns that the backtrack was performed and may have overwritten the user's changes. */
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
      `The backtrack undid changes made while ${commands.length === 1 ? `\`${commands[0]}\`` : `${commands.length} commands`} ran: ${paths.join(", ")}${more === 0 ? "" : ` and ${more} more`}.`,
    ({ journey }, { command }) =>
      `If any of those edits were yours, restore them: ${command({ do: "redo", journey, scope: "files" })}`,
  ),
  /** The agent emits these warnings with their own codes, such as SNAPSHOT_SLOW. */
  "capture-not-waited-for": error(
    "STORE_BUSY",
    () =>
      "The first capture of the workspace has not finished. The tool is running without waiting for it, as you chose.",
    () => NOT_RESTORABLE,
  ),
  "capture-late": error(
    "STORE_BUSY",
    ({ seconds }: { readonly seconds: number }) =>
      `The first capture of the workspace has not finished after ${seconds} s. The tool is running anyway.`,
    () => `${NOT_RESTORABLE} To wait longer, raise snapshots.firstWaitMs.`,
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
      `"${rule}" is not a valid permission rule: ${message(problem)}.`,
    () => "Write it as Tool or Tool(pattern), such as Bash(npm test:*). See docs/guide/permissions.md",
  ),
  "rule-empty": error("SETTINGS_INVALID", () => "it is empty"),
  "rule-unclosed": error("SETTINGS_INVALID", () => "it does not end with a closing parenthesis"),
  "rule-tool-name": error(
    "SETTINGS_INVALID",
    ({ tool }: { readonly tool: string }) =>
      `"${tool}" is not a valid tool name; write Tool or Tool(pattern)`,
  ),
  "rule-no-server": error(
    "SETTINGS_INVALID",
    () => "it does not name a server; write mcp__server or mcp__server__tool",
  ),
  "rule-tool-unknown": error(
    "SETTINGS_INVALID",
    ({ tool, known }: { readonly tool: string; readonly known: string }) =>
      `there is no tool "${tool}"; write ${known}`,
  ),
  "rule-pattern-empty": error(
    "SETTINGS_INVALID",
    ({ tool }: { readonly tool: string }) => `its parentheses are empty; write ${tool} to match every use`,
  ),
  "rule-pattern-long": error(
    "SETTINGS_INVALID",
    ({ most }: { readonly most: number }) => `its pattern is longer than ${most} characters`,
  ),
  "rule-no-pattern": error(
    "SETTINGS_INVALID",
    ({ tool, others }: { readonly tool: string; readonly others: readonly string[] }) =>
      `${tool} does not take a pattern; only these tools do: ${others.join(", ")}`,
  ),
  "rule-prefix-empty": error(
    "SETTINGS_INVALID",
    () => "there is nothing before :*; write Bash to match all commands",
  ),
  "rule-path-up": error(
    "SETTINGS_INVALID",
    () => "paths with .. are not supported; write //absolute/path, ~/path, or path",
  ),
  "rule-glob-extended": error(
    "SETTINGS_INVALID",
    () => "patterns such as +(a|b) are not supported; write {a,b}",
  ),
  "rule-glob-range": error(
    "SETTINGS_INVALID",
    () => "ranges such as {1..3} are not supported; write {1,2,3}",
  ),
  "rule-glob-alternatives": error(
    "SETTINGS_INVALID",
    ({ most }: { readonly most: number }) => `it has more than ${most} alternatives`,
  ),
  "rule-path-slash": error(
    "SETTINGS_INVALID",
    ({ rest }: { readonly rest: string }) =>
      `write //${rest} for an absolute path, or ${rest || "**"} for one in the workspace`,
  ),
  "rule-domain": error(
    "SETTINGS_INVALID",
    () => "a WebFetch pattern must be domain:example.com or domain:*.example.com",
  ),

  "mcp-config-unreadable": error(
    "SETTINGS_INVALID",
    ({ file, why }: { readonly file: string; readonly why: string }) => `${file} cannot be read: ${why}.`,
    () =>
      "Make sure that the file is readable and contains JSON, or remove it. MCP servers do not start until the file is fixed or removed.",
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
    () => "Fix the file. MCP servers do not start until it is valid.",
  ),
  "mcp-not-json": error("SETTINGS_INVALID", () => "this is not JSON"),
  "mcp-no-object": error("SETTINGS_INVALID", () => "expected an object in { }"),
  "mcp-servers-no-object": error("SETTINGS_INVALID", () => "expected mcpServers to be an object in { }"),
  "mcp-no-server": error("SETTINGS_INVALID", () => "expected a server definition"),
  /** `said`: the schema checker's message; `at`: the invalid field. */
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
    }) => `the server ${server}: ${said ?? "invalid value"}${at === "" ? "" : ` at ${at}`}`,
  ),
};

const SUMMARY_FAULTS: Readonly<Record<SummaryFault, string>> = {
  longer: "it is longer than the text it replaces",
  cut: "it was cut off at the model's output limit",
  "only-thinking": "it contains only thinking",
  empty: "it is empty",
  instruction: "it only repeats the instructions",
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
  `Session ${session} is in use by ${name} (pid ${pid} on ${host}, since ${since})`;
const inACopy = (session: string, command: CommandText) =>
  `continue in a copy: ${command({ do: "open", session, how: "fork" })}`;
const contextStays = () => "The context is unchanged.";

/** Errors from opening and resuming an agent's session, from its turns, and from its context. */
export const agentSessions = {
  "execution-not-conversation": error(
    "INPUT_INVALID",
    ({ id }: Session & { readonly id: string }) => `${id} is a program's execution, not a conversation.`,
    ({ session }, { command }) =>
      `The execution continues the next time the program runs. See its steps: ${command({ do: "executions show", execution: session })}`,
  ),
  "confirmation-not-needed": error(
    "INPUT_INVALID",
    () => "Sessions in this store do not need to be confirmed.",
  ),
  "session-held": error(
    "SESSION_HELD",
    (held: Held) => `${heldBy(held)}.`,
    ({ session }, { command }) => `Close the session in that process, or ${inACopy(session, command)}`,
  ),
  "session-leased-until": error(
    "SESSION_HELD",
    ({ until, ...held }: Held & { readonly until: string }) =>
      `${heldBy(held)}; its lease runs until ${until} unless it is renewed.`,
    ({ session }, { command }) =>
      `Close the session in that process. If the process died, wait until the lease ends, or ${inACopy(session, command)}`,
  ),
  "session-held-elsewhere": error(
    "SESSION_HELD",
    ({ problem }: Session & { readonly problem: Problem }, { message }) => message(problem),
    ({ session, problem }, { command, hint }) => `${hint(problem)} Or ${inACopy(session, command)}`.trim(),
  ),
  "session-not-closed": error(
    "STORE_UNWRITABLE",
    ({ why }: { readonly why: string }) => `The session could not be closed cleanly: ${why}`,
    (_, { command }) => `Check for problems: ${command({ do: "doctor" })}`,
  ),
  "turn-has-ended": error(
    "INPUT_INVALID",
    (_: Session) => "The last turn is complete, so there is nothing to continue.",
    ({ session }, { command }) =>
      `Continue with a new prompt: ${command({ do: "resume", session, how: "prompt" })}`,
  ),
  "one-way-to-go-on": error(
    "USAGE",
    () => "A session can be continued in only one way at a time.",
    () => "Use only one of --continue, --retry, --rewind-files, and a prompt.",
  ),
  "files-before-step-not-captured": error(
    "REWIND_REFUSED",
    ({ step }: Session & { readonly step: number; readonly older?: number }) =>
      `The files before step #${step} were not captured.`,
    ({ session, older }, { command }) =>
      older === undefined
        ? `No earlier checkpoint has files either. See all checkpoints: ${command({ do: "checkpoints" })}`
        : `The latest earlier checkpoint with files is #${older}: ${command({ do: "rewind", to: { session, checkpoint: older }, scope: "files" })}`,
  ),
  "no-step-was-cut": error(
    "INPUT_INVALID",
    () => "No step was interrupted, so there are no files to restore.",
    (_, { command }) => `To go back to any checkpoint, use ${command({ do: "rewind" })}`,
  ),
  "compaction-failed": error(
    ({ code }: CompactionFailure) => code,
    ({ why }) => `The conversation could not be compacted. ${why}`,
    contextStays,
  ),
  "compaction-not-foreseen": error(
    "INPUT_INVALID",
    () => "The Claude Agent SDK cannot preview a compaction.",
    () => "Leave out --dry-run. Compaction loses nothing, because a rewind restores everything.",
  ),
};

/** `why`: the message of the provider, or of the program that responded in its place. */
export interface CompactionFailure {
  readonly code: ErrorCode;
  readonly why: string;
}
