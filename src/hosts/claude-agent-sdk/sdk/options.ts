import { timelinePrompt } from "../../../agent/prompt/system-prompt.ts";
import type { PermissionMode } from "../../../ports/person.ts";
import type { Framing } from "../../../timeline/context/foreign-text.ts";
import { genuineFrames } from "../../../timeline/context/notices.ts";
import type { ClaudeStart } from "../claude-options.ts";
import type { SdkOptions, SdkPermissionMode } from "./sdk-types.ts";

export interface ProcessOptions extends Pick<SdkOptions, "hooks" | "canUseTool" | "mcpServers"> {
  readonly start: ClaudeStart;
  readonly workspace: string;
  readonly mode: PermissionMode;
  readonly model: string | undefined;
  readonly backtrack: "on" | "off";
  readonly framing: Framing;
}

/** What every process of the SDK is started with, wherever it stands. */
export function sdkOptions(wish: ProcessOptions): SdkOptions {
  const { start, workspace, mode, model, backtrack, framing, ...heard } = wish;
  return {
    cwd: workspace,
    env: start.env,
    ...(model === undefined ? {} : { model }),
    permissionMode: sdkMode(mode),
    disallowedTools: [...NOT_HERE.keys()],
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

const MODE =
  "here the person chooses the mode. Where a plan is wanted first, write it as your answer and end the turn";
const FOLDER = "here the work stays in its folder";
const TURNS = "here no turn begins that nobody asked for";

/**
 * Tools of the SDK that this host does without, and why. The SDK is told to leave them out; one that comes all the same,
 * from a version that offers it otherwise, is refused by the same table.
 */
export const NOT_HERE: ReadonlyMap<string, string> = new Map([
  ["EnterPlanMode", MODE],
  ["EnterWorktree", FOLDER],
  ["ExitWorktree", FOLDER],
  ["CronCreate", TURNS],
  ["CronDelete", TURNS],
  ["CronList", TURNS],
  ["ScheduleWakeup", TURNS],
]);
