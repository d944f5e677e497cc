import { timelinePrompt } from "../../../agent/prompt/system-prompt.ts";
import type { PermissionMode } from "../../../ports/person.ts";
import type { Framing } from "../../../timeline/context/foreign-text.ts";
import { genuineFrames } from "../../../timeline/context/notices.ts";
import type { ClaudeStart } from "../claude-options.ts";
import { NOT_HERE } from "../permissions/not-here.ts";
import { sdkMode } from "../permissions/sdk-mode.ts";
import type { SdkOptions } from "./sdk-types.ts";

export interface OptionsWish extends Pick<SdkOptions, "hooks" | "canUseTool" | "mcpServers"> {
  readonly start: ClaudeStart;
  readonly workspace: string;
  readonly mode: PermissionMode;
  readonly model: string | undefined;
  readonly backtrack: "on" | "off";
  readonly framing: Framing;
}

/** What every process of the SDK is started with, wherever it stands. */
export function sdkOptions(wish: OptionsWish): SdkOptions {
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
