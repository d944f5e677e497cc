import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Keys, readKeys } from "../../agent/models/access.ts";
import { type Provider, providersOf } from "../../agent/models/catalogue.ts";
import type { ClaudeStart } from "../../hosts/claude-agent-sdk/options.ts";
import { sdkHome } from "../../hosts/claude-agent-sdk/sdk/kept-files.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { StoreAddress } from "../../stores/store-address.ts";
import type { AppContext } from "../context.ts";
import { type Environment, sdkFolder } from "../places/home.ts";
import type { LoadedSettings } from "../settings/settings.ts";
import type { Settings } from "../settings/table.ts";
import type { AgentRequest } from "./agent-request.ts";
import { checkpointingOf, DISABLE, ENABLE } from "./checkpointing.ts";
import { type ClaudeAnswering, withoutPassword } from "./make-agent.ts";

/** Loads the SDK and decides how its processes will be started, without starting one. */
export async function openClaude(
  context: AppContext,
  request: Partial<Pick<AgentRequest, "model" | "keepSession">>,
): Promise<ClaudeAnswering> {
  const loaded = await context.settings();
  const { loadClaudeSdk } = await import("../../hosts/claude-agent-sdk/sdk/load-sdk.ts");
  const sdk = await loadClaudeSdk({
    folder: sdkFolder(loaded.values["claude.sdk"]),
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
  // A workspace's settings for Claude can run programs, so the SDK reads these settings only if the user trusts them. A
  // workspace without such settings does not need to be trusted: the SDK then reads only the workspace's CLAUDE.md.
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

/**
 * Checks whether the user has logged in to Claude on this machine. Checks only that the login file exists, without
 * reading it.
 */
function loginOf(environment: Environment): "there" | "none" {
  return existsSync(join(sdkHome(environment), ".credentials.json")) ? "there" : "none";
}

/**
 * Returns a model's name without its prefix, because all of the SDK's models come from Anthropic. "claude" is not a
 * model, but our name for the agent while its model is unknown.
 */
function modelName(wanted: string): string {
  const name = wanted.trim().replace(/^(?:anthropic|claude)\//u, "");
  return name === "claude" ? "" : name;
}

/** Reports an unusable key file and treats it as empty, because Claude may have its own login. */
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
  /** Whether the user has logged in to Claude itself. */
  readonly login: "there" | "none";
}

/**
 * A user who sets one of these variables has chosen how to reach Claude. A key from Worldline's key file would take
 * precedence, and that key's account would be charged.
 */
const OWN_WAYS = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_USE_FOUNDRY",
] as const;

/** Default environment variables, which the user's own variables override. */
const USUAL = {
  // A background task that outlives its turn would change files without any checkpoint recording the changes.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  // Without this variable, a command's `cd` would also apply to the next command, and rules about paths would check the
  // wrong folder.
  CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "1",
  DISABLE_AUTOUPDATER: "1",
} as const;

/**
 * Builds the complete environment for the SDK's processes: the user's variables, plus the variables that Worldline sets
 * so that the SDK can reach Claude.
 */
export function claudeEnvironment(around: ClaudeSurroundings): ClaudeStart["env"] {
  const { environment, store, checkpoints } = around;
  const env = present({ ...USUAL, ...present(withoutPassword(environment, store)), ...reachOf(around) });
  // The SDK sets the first variable itself when file checkpoints are turned on. The second variable would override the
  // first one.
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

/** Returns the provider's address without the version, which the SDK itself appends. */
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
