import { existsSync } from "node:fs";
import { join } from "node:path";
import { readKeys } from "../../../agent/models/access.ts";
import type { ClaudeStart } from "../../../hosts/claude-agent-sdk/options.ts";
import { sdkHome } from "../../../hosts/claude-agent-sdk/sdk/kept-files.ts";
import { isWorldlineError } from "../../../record/error.ts";
import type { AppContext } from "../../context.ts";
import type { Environment } from "../../places/home.ts";
import type { LoadedSettings } from "../../settings/settings.ts";
import type { AgentRequest } from "../agent-request.ts";
import type { ClaudeAnswering } from "./answering.ts";
import { checkpointingOf } from "./checkpointing.ts";
import { claudeEnvironment } from "./claude-environment.ts";
import { sdkFolder } from "./sdk-folder.ts";

/** Loads the SDK, and settles how its processes are started here. Starts none. */
export async function openClaude(
  context: AppContext,
  wish: Partial<Pick<AgentRequest, "model" | "keepSession">>,
): Promise<ClaudeAnswering> {
  const loaded = await context.settings();
  const { loadClaudeSdk } = await import("../../../hosts/claude-agent-sdk/sdk/load-sdk.ts");
  const sdk = await loadClaudeSdk({
    folder: sdkFolder(loaded.values),
    onDoubt: (doubt) => context.listener.report({ code: "claude-doubt", doubt }),
  });
  if (wish.keepSession === "no") context.listener.report({ code: "claude-keeps-its-own" });
  return { host: "claude", sdk, start: await startOf(context, wish, loaded) };
}

async function startOf(
  context: AppContext,
  wish: Pick<AgentRequest, "model">,
  { values, trust, claude }: LoadedSettings,
): Promise<ClaudeStart> {
  const { environment } = context.surroundings;
  const { checkpoints, doubts } = checkpointingOf("claude", values, environment);
  for (const doubt of doubts) context.listener.report({ code: "checkpointing-doubt", doubt });
  // What a workspace says there can run programs; where it has nothing of the kind, only its CLAUDE.md is read.
  const isUntrusted = trust === "untrusted" || claude === "untrusted";
  if (isUntrusted) context.listener.report({ code: "claude-untrusted" });
  const model = modelName(wish.model ?? values["claude.model"]);
  return {
    env: claudeEnvironment({
      environment,
      store: context.common.store,
      providers: values.providers,
      keys: usableKeys(context),
      checkpoints,
      login: loginOf(environment),
    }),
    ...(model === "" ? {} : { model }),
    ...(values["context.window"] === 0 ? {} : { window: values["context.window"] }),
    settingSources: isUntrusted ? ["user"] : ["user", "project", "local"],
    checkpoints,
  };
}

/** Whether Claude was logged in to here; its file is looked at by its name alone. */
function loginOf(environment: Environment): "there" | "none" {
  return existsSync(join(sdkHome(environment), ".credentials.json")) ? "there" : "none";
}

/** All of the SDK's models are Anthropic's; "claude" is what the agent is called until it is known which one answers. */
function modelName(wanted: string): string {
  const name = wanted.trim().replace(/^(?:anthropic|claude)\//u, "");
  return name === "claude" ? "" : name;
}

/** A file of keys that cannot be used has none in it: Claude may have a login of its own. */
function usableKeys({ home, surroundings, listener }: AppContext): ReturnType<typeof readKeys> {
  const keys = readKeys(home, surroundings.environment);
  return {
    find: (variable) => {
      try {
        return keys.find(variable);
      } catch (error) {
        if (!isWorldlineError(error)) throw error;
        listener.report({ code: "keys-unusable", problem: error });
        return undefined;
      }
    },
  };
}
