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
  /** How SDK processes are started. */
  readonly start: ClaudeStart;
  /** The model according to the session's log; see `knownModel`. */
  readonly known?: KnownModel | undefined;
}

/** The options of every SDK process, for any session. */
export interface ClaudeStart {
  /** The complete environment of the process, and the only place where it finds a key or a login. */
  readonly env: SdkOptions["env"];
  /** The SDK's name for the model; absent for the SDK's own choice. */
  readonly model?: string | undefined;
  /** The size of the model's window in tokens, if the user knows better than the SDK. */
  readonly window?: number | undefined;
  /**
   * The sources of settings that the SDK reads. The workspace's settings are included only if the workspace is trusted,
   * because they can run programs.
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

/** Builds the options of an SDK process. */
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
 * The SDK's mode for a Worldline mode. Our hook decides before the SDK does, so the SDK only needs to know about plan
 * mode, in which the model has other instructions.
 */
export function sdkMode(mode: PermissionMode): SdkPermissionMode {
  return mode === "plan" ? "plan" : "default";
}

const MODE: CallReason = { code: "user-sets-mode" };
const FOLDER: CallReason = { code: "folder-is-fixed" };
const TURNS: CallReason = { code: "user-starts-turns" };

/**
 * SDK tools that this host does not support, with the reasons for the model. The SDK is asked to leave them out; if a
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
