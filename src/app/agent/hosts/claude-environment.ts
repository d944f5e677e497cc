import type { Keys } from "../../../agent/models/access.ts";
import { type Provider, providersOf } from "../../../agent/models/catalogue.ts";
import type { ClaudeStart } from "../../../hosts/claude-agent-sdk/options.ts";
import type { StoreAddress } from "../../../stores/store-address.ts";
import type { Environment } from "../../places/home.ts";
import type { Settings } from "../../settings/table.ts";
import { DISABLE, ENABLE } from "./checkpointing.ts";
import { withoutPassword } from "./without-password.ts";

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
