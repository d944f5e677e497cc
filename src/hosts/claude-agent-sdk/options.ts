import type { AgentOptions } from "../../agent/agent-context.ts";
import { timelinePrompt } from "../../agent/system-prompt.ts";
import type { PermissionMode } from "../../ports/person.ts";
import type { CallReason } from "../../record/call-reason.ts";
import type { Framing } from "../../timeline/context/foreign-text.ts";
import { genuineFrames } from "../../timeline/context/notices.ts";
import type { KnownModel } from "./models.ts";
import type { ClaudeSdk, SdkOptions, SdkPermissionMode } from "./sdk/sdk-types.ts";

/** What the agent of the Claude Agent SDK is opened with. */
export interface ClaudeAgentOptions extends AgentOptions {
  readonly sdk: ClaudeSdk;
  /** How its processes are started. */
  readonly start: ClaudeStart;
  /** What the session's log says of its model; see `knownModel`. */
  readonly known?: KnownModel | undefined;
}

/** What every process of the SDK gets, whichever session it works on. */
export interface ClaudeStart {
  /** The whole environment of the process: a key or a login is found there, and nowhere else. */
  readonly env: SdkOptions["env"];
  /** As the SDK calls it; absent: the SDK's own choice. */
  readonly model?: string | undefined;
  /** How many tokens its context holds, where the user knows better than the SDK. */
  readonly window?: number | undefined;
  /** Whose settings it reads: those of the workspace only where that is trusted, because they can run programs. */
  readonly settingSources: SdkOptions["settingSources"];
  /** "on": the SDK keeps its own file checkpoints too. */
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

/** What every process of the SDK is started with, wherever it stands. */
export function sdkOptions(options: ProcessOptions): SdkOptions {
  const { start, workspace, mode, model, backtrack, framing, ...heard } = options;
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
    ...heard,
  };
}

/** The SDK's own system prompt goes on with it. Sessions from before `frames` are told what they always were. */
function appendedPrompt(backtrack: "on" | "off", { tag, frames }: Framing): string {
  const timeline = timelinePrompt(backtrack);
  return frames === "quoted" ? `${timeline}\n\n${genuineFrames(tag)}` : timeline;
}

/** Our hook decides before the SDK does, so only plan mode, in which the model works by other instructions, is one of its own. */
export function sdkMode(mode: PermissionMode): SdkPermissionMode {
  return mode === "plan" ? "plan" : "default";
}

const MODE: CallReason = { code: "user-sets-mode" };
const FOLDER: CallReason = { code: "folder-is-fixed" };
const TURNS: CallReason = { code: "user-starts-turns" };

/**
 * Tools of the SDK that this host does without, and why. The SDK is told to leave them out; one that comes all the same,
 * from a version that offers it otherwise, is refused by the same table.
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
