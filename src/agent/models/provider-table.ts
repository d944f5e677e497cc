import { type Environment, isLoopback } from "../http/route.ts";
import type { ModelSettings, ProviderKind } from "./model-settings.ts";

/** A provider as it can be used here and now. */
export interface Provider {
  readonly name: string;
  readonly kind: ProviderKind;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Where `baseUrl` comes from. */
  readonly baseUrlFrom: "default" | "environment" | "settings";
  /** The variable that holds its key; none where no key is needed. */
  readonly keyVariable?: string;
  /** The variable of a token that is shown as a bearer's. */
  readonly bearerVariable?: string;
  /** Its default model, without the provider's name. */
  readonly model?: string;
}

interface Preset extends Omit<Provider, "baseUrlFrom"> {
  readonly baseUrlVariable?: string;
}

/** In the order in which a key in the environment decides. */
const PRESETS: readonly Preset[] = [
  {
    name: "anthropic",
    kind: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    keyVariable: "ANTHROPIC_API_KEY",
    bearerVariable: "ANTHROPIC_AUTH_TOKEN",
    model: "claude-sonnet-5-5",
  },
  {
    name: "openai",
    kind: "openai",
    baseUrl: "https://api.openai.com/v1",
    baseUrlVariable: "OPENAI_BASE_URL",
    keyVariable: "OPENAI_API_KEY",
    model: "gpt-6.1-sol",
  },
  {
    name: "openai-chat",
    kind: "openai-chat",
    baseUrl: "https://api.openai.com/v1",
    baseUrlVariable: "OPENAI_BASE_URL",
    keyVariable: "OPENAI_API_KEY",
    model: "gpt-4.1",
  },
  {
    name: "moonshot",
    kind: "compatible",
    baseUrl: "https://api.moonshot.ai/v1",
    keyVariable: "MOONSHOT_API_KEY",
    model: "kimi-k2.6",
  },
  {
    name: "deepseek",
    kind: "compatible",
    baseUrl: "https://api.deepseek.com/v1",
    keyVariable: "DEEPSEEK_API_KEY",
    model: "deepseek-v4-pro",
  },
  {
    name: "openrouter",
    kind: "compatible",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariable: "OPENROUTER_API_KEY",
    model: "anthropic/claude-sonnet-5.5",
  },
  { name: "lmstudio", kind: "compatible", baseUrl: "http://127.0.0.1:1234/v1" },
  { name: "ollama", kind: "ollama", baseUrl: "http://127.0.0.1:11434", baseUrlVariable: "OLLAMA_HOST" },
];

/** Ours, with those of the settings laid over them. */
export function providersOf(
  settings: Pick<ModelSettings, "providers">,
  environment: Environment,
): readonly Provider[] {
  const own = Object.entries(settings.providers).map(
    ([name, row]): Provider => ({
      name,
      ...row,
      baseUrl: normalBaseUrl(row.kind, row.baseUrl),
      baseUrlFrom: "settings",
    }),
  );
  const isReplaced = new Set(own.map(({ name }) => name));
  const ours = PRESETS.filter(({ name }) => !isReplaced.has(name));
  return [...ours.map((preset) => located(preset, environment)), ...own];
}

/** A server of one's own on this machine rarely wants a key. */
export function needsKey({ keyVariable, baseUrl }: Provider): boolean {
  return keyVariable !== undefined && !isOnThisMachine(baseUrl);
}

export function isOnThisMachine(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && isLoopback(new URL(baseUrl).hostname);
}

function located({ baseUrlVariable, ...preset }: Preset, environment: Environment): Provider {
  const said = baseUrlVariable === undefined ? undefined : environment[baseUrlVariable]?.trim();
  if (!said) return { ...preset, baseUrlFrom: "default" };
  return { ...preset, baseUrl: normalBaseUrl(preset.kind, said), baseUrlFrom: "environment" };
}

/**
 * An address as people write it: with slashes at its end or without, with `/v1` or without, and OLLAMA_HOST also as
 * "host:port", or as what a server listens on.
 */
function normalBaseUrl(kind: ProviderKind, said: string): string {
  const scheme = said.includes("://") ? said : `http://${said}`;
  const trimmed = scheme.replace(/\/+$/, "");
  if (kind === "ollama") return ollamaUrl(trimmed);
  if (kind === "anthropic") return trimmed.endsWith("/v1") ? trimmed : `${trimmed}/v1`;
  const hasPath = URL.canParse(trimmed) && new URL(trimmed).pathname !== "/";
  return hasPath ? trimmed : `${trimmed}/v1`;
}

function ollamaUrl(trimmed: string): string {
  const withoutApi = trimmed.replace(/\/(api|v1)$/, "");
  const reachable = withoutApi.replace("://0.0.0.0", "://127.0.0.1");
  const hasPort = /:\d+$/.test(reachable) || reachable.startsWith("https:");
  return hasPort ? reachable : `${reachable}:11434`;
}
