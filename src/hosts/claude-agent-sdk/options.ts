import type { AgentOptions } from "../../agent/agent-context.ts";
import { timelinePrompt } from "../../agent/system-prompt.ts";
import type { PermissionMode } from "../../ports/person.ts";
import type { CallReason } from "../../record/call-reason.ts";
import type { Framing } from "../../timeline/context/foreign-text.ts";
import { genuineFrames } from "../../timeline/context/notices.ts";
import type { KnownModel } from "./models.ts";
import type { ClaudeSdk, SdkOptions, SdkPermissionMode } from "./sdk/sdk-types.ts";

/** The options of the Claude Agent SDK's agent. */
export interface ClaudeAgentOptions extends AgentOptions {
  readonly sdk: ClaudeSdk;
  /** How the processes of the SDK are started. */
  readonly start: ClaudeStart;
  /** The model according to the session's log; see `knownModel`. */
  readonly known?: KnownModel | undefined;
}

/** The options of every process of the SDK, for any session. */
export interface ClaudeStart {
  /** The complete environment of the process, and the only place where it finds a key or a login. */
  readonly env: SdkOptions["env"];
  /** The SDK's name for the model; absent for the SDK's own choice. */
  readonly model?: string | undefined;
  /** The size of the model's window in tokens, if the user knows better than the SDK. */
  readonly window?: number | undefined;
  /**
   * The settings that it reads. Those in the workspace are included only if it is trusted, because they can run
   * programs.
   */
  readonly settingSources: SdkOptions["settingSources"];
  /** "on": the SDK also keeps its own file checkpoints. */
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

/** Builds the options of a process of the SDK. */
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

/** Appended to the SDK's own system prompt. Sessions from before `frames` keep the prompt that they had. */
function appendedPrompt(backtrack: "on" | "off", { tag, frames }: Framing): string {
  const timeline = timelinePrompt(backtrack);
  return frames === "quoted" ? `${timeline}\n\n${genuineFrames(tag)}` : timeline;
}

/**
 * The SDK's mode for one of Worldline's. Our hook decides before the SDK does, so only plan mode, in which the model
 * has other instructions, is also a mode of the SDK.
 */
export function sdkMode(mode: PermissionMode): SdkPermissionMode {
  return mode === "plan" ? "plan" : "default";
}

const MODE: CallReason = { code: "user-sets-mode" };
const FOLDER: CallReason = { code: "folder-is-fixed" };
const TURNS: CallReason = { code: "user-starts-turns" };

/**
 * Tools of the SDK that this host does not support, with the reasons for the model. The SDK is asked to leave them out; if a
 * version offers one anyway, it is refused by the same table.
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
