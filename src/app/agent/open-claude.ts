import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type Keys, readKeys } from "../../agent/models/access.ts";
import { type Provider, providersOf } from "../../agent/models/catalogue.ts";
import type { ClaudeStart } from "../../hosts/claude-agent-sdk/options.ts";
import { sdkHome } from "../../hosts/claude-agent-sdk/sdk/kept-files.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { StoreAddress } from "../../stores/store-address.ts";
import type { AppContext } from "../context.ts";
import { type Environment, withHome } from "../places/home.ts";
import type { LoadedSettings } from "../settings/settings.ts";
import type { Settings } from "../settings/table.ts";
import type { AgentRequest } from "./agent-request.ts";
import { checkpointingOf, DISABLE, ENABLE } from "./checkpointing.ts";
import { type ClaudeAnswering, withoutPassword } from "./make-agent.ts";

/** Loads the SDK, and settles how its processes are started here. Starts none. */
export async function openClaude(
  context: AppContext,
  request: Partial<Pick<AgentRequest, "model" | "keepSession">>,
): Promise<ClaudeAnswering> {
  const loaded = await context.settings();
  const { loadClaudeSdk } = await import("../../hosts/claude-agent-sdk/sdk/load-sdk.ts");
  const sdk = await loadClaudeSdk({
    folder: sdkFolder(loaded.values),
    onDoubt: (doubt) => context.listener.report({ code: "claude-doubt", ...doubt }),
  });
  if (request.keepSession === "no") context.listener.report({ code: "claude-keeps-its-own" });
  return { host: "claude", sdk, start: await startOf(context, request, loaded) };
}

async function startOf(
  context: AppContext,
  request: Pick<AgentRequest, "model">,
  { values, trust, claude }: LoadedSettings,
): Promise<ClaudeStart> {
  const { environment } = context.surroundings;
  const { checkpoints, doubts } = checkpointingOf("claude", values, environment);
  for (const doubt of doubts) context.listener.report({ code: "checkpointing-doubt", doubt });
  // What a workspace says there can run programs; where it has nothing of the kind, only its CLAUDE.md is read.
  const isUntrusted = trust === "untrusted" || claude === "untrusted";
  if (isUntrusted) context.listener.report({ code: "claude-untrusted" });
  const model = modelName(request.model ?? values["claude.model"]);
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

export interface ClaudeSurroundings {
  readonly environment: Environment;
  readonly store: StoreAddress;
  readonly providers: Settings["providers"];
  readonly keys: Keys;
  readonly checkpoints: ClaudeStart["checkpoints"];
  /** Whether Claude has a login of its own here. */
  readonly login: "there" | "none";
}

/** Whoever has one of these has said how Claude is reached: a key of ours would go before it, and be paid for. */
const OWN_WAYS = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_USE_FOUNDRY",
] as const;

/** Unless the person says otherwise. */
const USUAL = {
  // What runs on behind a turn would change files that no checkpoint knows of.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  // Else one command's `cd` would be the next one's beginning, and rules about paths would look in the wrong folder.
  CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "1",
  DISABLE_AUTOUPDATER: "1",
} as const;

/** The whole environment of the SDK's processes: the person's, and what Worldline knows of how Claude is reached. */
export function claudeEnvironment(around: ClaudeSurroundings): ClaudeStart["env"] {
  const { environment, store, checkpoints } = around;
  const env = present({ ...USUAL, ...present(withoutPassword(environment, store)), ...reachOf(around) });
  // The SDK sets the first one itself where it is asked to keep checkpoints; the second would win over that.
  delete env[ENABLE];
  if (checkpoints === "on") delete env[DISABLE];
  return env;
}

function reachOf({ environment, providers, keys, login }: ClaudeSurroundings): Environment {
  const provider = providersOf({ providers }, environment).find(({ name }) => name === "anthropic");
  if (provider === undefined || provider.kind !== "anthropic") return {};
  return {
    ...addressOf(provider, environment),
    ...(login === "there" || OWN_WAYS.some((variable) => isSet(environment, variable))
      ? {}
      : keyOf(provider, keys)),
  };
}

/** The SDK puts the version behind it by itself. */
function addressOf({ baseUrl, baseUrlFrom }: Provider, environment: Environment): Environment {
  if (baseUrlFrom !== "settings" || isSet(environment, "ANTHROPIC_BASE_URL")) return {};
  return { ANTHROPIC_BASE_URL: baseUrl.replace(/\/v1$/u, "") };
}

function keyOf({ keyVariable }: Provider, keys: Keys): Environment {
  return { ANTHROPIC_API_KEY: keyVariable === undefined ? undefined : keys.find(keyVariable)?.key };
}

function isSet(environment: Environment, variable: string): boolean {
  return (environment[variable] ?? "").trim() !== "";
}

function present(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

/** The folder that the settings name for it; undefined where it is to be found beside Worldline. */
export function sdkFolder(values: Pick<Settings, "claude.sdk">): string | undefined {
  const named = values["claude.sdk"];
  if (named === "") return undefined;
  const folder = withHome(named);
  if (isAbsolute(folder)) return folder;
  // From which folder would depend on where one stands, and what is there could be anybody's.
  throw new WorldlineError("sdk-folder-relative", { folder: named });
}
