import type { AgentOptions } from "../../agent/agent-context.ts";
import { timelinePrompt } from "../../agent/system-prompt.ts";
import type { PermissionMode } from "../../ports/person.ts";
import type { CallReason } from "../../record/call-reason.ts";
import type { Framing } from "../../timeline/context/foreign-text.ts";
import { genuineFrames } from "../../timeline/context/notices.ts";
import type { KnownModel } from "./models.ts";
import type { ClaudeSdk, SdkOptions, SdkPermissionMode } from "./sdk/sdk-types.ts";

/** Options for the Claude Agent SDK's agent. */
export interface ClaudeAgentOptions extends AgentOptions {
  readonly sdk: ClaudeSdk;
  /** How SDK processes are started. */
  readonly start: ClaudeStart;
  /** The model according to the session's log (see `knownModel`). */
  readonly known?: KnownModel | undefined;
}

/** Options for every SDK process, regardless of its session. */
export interface ClaudeStart {
  /** The complete environment of the process. This is the only place where the process can find a key or a login. */
  readonly env: SdkOptions["env"];
  /** The SDK's name for the model. If absent, the SDK chooses the model. */
  readonly model?: string | undefined;
  /** The size of the model's window in tokens, if the user knows it more accurately than the SDK does. */
  readonly window?: number | undefined;
  /**
   * The sources that the SDK reads settings from. The workspace is included only if it is trusted, because its settings
   * can run programs.
   */
  readonly settingSources: SdkOptions["settingSources"];
  /** "on" if the SDK also creates its own file checkpoints. */
  readonly checkpoints: "on" | "off";
}

interface ProcessOptions extends Pick<SdkOptions, "hooks" | "canUseTool" | "mcpServers"> {
  readonly start: ClaudeStart;
  readonly workspace: string;
  readonly mode: PermissionMode;
  readonly model: string | undefined;
  readonly backtrack: "on" | "off";
  readonly framing: Framing;
}

/** Builds the options for an SDK process. */
export function sdkOptions(options: ProcessOptions): SdkOptions {
  const { start, workspace, mode, model, backtrack, framing, ...callbacks } = options;
  return {
    cwd: workspace,
    env: start.env,
    ...(model === undefined ? {} : { model }),
    permissionMode: sdkMode(mode),
    disallowedTools: [...UNAVAILABLE_TOOLS.keys()],
    settingSources: start.settingSources,
    systemPrompt: { type: "preset", preset: "claude_code", append: appendedPrompt(backtrack, framing) },
    includePartialMessages: true,
    forwardSubagentText: true,
    ...(start.checkpoints === "on" ? { enableFileCheckpointing: true } : {}),
    ...callbacks,
  };
}

/**
 * Returns the text to append to the SDK's own system prompt. Sessions created before the field `frames` existed keep
 * their original prompt.
 */
function appendedPrompt(backtrack: "on" | "off", { tag, frames }: Framing): string {
  const timeline = timelinePrompt(backtrack);
  return frames === "quoted" ? `${timeline}\n\n${genuineFrames(tag)}` : timeline;
}

/**
 * Returns the SDK's mode for a Worldline mode. Only plan mode is passed on, because the model has different
 * instructions in plan mode. All other decisions are made by our hook, before the SDK decides.
 */
export function sdkMode(mode: PermissionMode): SdkPermissionMode {
  return mode === "plan" ? "plan" : "default";
}

const MODE: CallReason = { code: "user-sets-mode" };
const FOLDER: CallReason = { code: "folder-is-fixed" };
const TURNS: CallReason = { code: "user-starts-turns" };

/**
 * SDK tools that this host does not support, with the reasons given to the model. The SDK is asked to omit these tools.
 * If a version offers one anyway, its calls are denied with the reason in this table.
 */
export const UNAVAILABLE_TOOLS: ReadonlyMap<string, CallReason> = new Map<string, CallReason>([
  ["EnterPlanMode", MODE],
  ["EnterWorktree", FOLDER],
  ["ExitWorktree", FOLDER],
  ["CronCreate", TURNS],
  ["CronDelete", TURNS],
  ["CronList", TURNS],
  ["ScheduleWakeup", TURNS],
]);
