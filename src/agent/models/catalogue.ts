import type { Usage } from "../../record/parts.ts";
import { type Environment, isLoopback } from "../http-fetch.ts";

/** Settings for models: the user's choice of model, and additions and corrections to our table. */
export interface ModelSettings {
  /** The chosen model as "provider/name", or just the name if the table contains it. */
  readonly model?: string;
  /** Rows by "provider/name". The fields of a row here override the same fields in the table. */
  readonly models: Readonly<Record<string, ModelRowSettings>>;
  /** Rows by provider name (the part before the slash). A row here replaces our provider with the same name. */
  readonly providers: Readonly<Record<string, ProviderSettings>>;
}

/** Limits in tokens, and prices in US dollars per million tokens. */
export interface ModelRowSettings {
  readonly window?: number;
  readonly maxOutput?: number;
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface ProviderSettings {
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  /** The environment variable that contains the provider's key. If no variable is named, no key is sent. */
  readonly keyVariable?: string;
  /** The provider's default model. */
  readonly model?: string;
}

/** The API that a provider uses. */
export type ProviderKind = "anthropic" | "openai" | "openai-chat" | "compatible" | "ollama";

/** A provider with its current address and key variables. */
export interface Provider {
  readonly name: string;
  readonly kind: ProviderKind;
  /** The base URL, without a trailing slash. */
  readonly baseUrl: string;
  /** Where `baseUrl` comes from. */
  readonly baseUrlFrom: "default" | "environment" | "settings";
  /** The variable that contains the provider's key. Absent if no key is needed. */
  readonly keyVariable?: string;
  /** The variable that contains a bearer token. */
  readonly bearerVariable?: string;
  /** The provider's default model, without the name of the provider. */
  readonly model?: string;
}

interface Preset extends Omit<Provider, "baseUrlFrom"> {
  readonly baseUrlVariable?: string;
}

/** Built-in providers. The first provider with a key in the environment is the default. */
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

/** Returns our providers and those in the settings. A provider in the settings replaces ours with the same name. */
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

/** Checks whether a provider needs a key. Servers on the user's own machine rarely do. */
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
 * Normalizes a base URL as users write it: with or without trailing slashes, and with or without `/v1`. OLLAMA_HOST can
 * also be "host:port" or the address that a server listens on.
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

/** The window size assumed for an unknown model. */
export const DEFAULT_WINDOW = 200_000;
/**
 * The window size assumed for a local server, which supports smaller windows and allocates memory for the whole window.
 */
export const DEFAULT_LOCAL_WINDOW = 32_768;

const MILLION = 1_000_000;

/** The limits and prices of a model. Prices are in dollars per million tokens. A price is absent if unknown. */
export interface CatalogueRow extends ModelRowSettings {
  /** The model as "provider/name". */
  readonly model: string;
  readonly window: number;
  /** "assumed" if the size of the model's window is unknown. */
  readonly windowIs: "known" | "assumed";
}

/** Our table of models, with overrides from the settings. */
export type Catalogue = Readonly<Record<string, ModelRowSettings>>;

export function catalogueOf(settings: Pick<ModelSettings, "models">): Catalogue {
  const rows: Record<string, ModelRowSettings> = { ...KNOWN_MODELS };
  for (const [model, row] of Object.entries(settings.models)) rows[model] = { ...rows[model], ...row };
  return rows;
}

/**
 * Returns the model's row. If there is none, returns the row with the same name but no date or, failing that, the
 * defaults.
 */
export function rowOf(catalogue: Catalogue, model: string, assumed: number = DEFAULT_WINDOW): CatalogueRow {
  const row = catalogue[model] ?? catalogue[undated(model)];
  const { window, ...rest } = row ?? {};
  return { model, window: window ?? assumed, windowIs: window === undefined ? "assumed" : "known", ...rest };
}

/** Removes the date from a model name such as "claude-sonnet-4-5-20250929" or "gpt-5-2025-08-07". */
export function undated(model: string): string {
  return model.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, "");
}

/** Returns the cost of a call in dollars, or undefined if the price is unknown. */
export function costOf(usage: Usage, model: string, catalogue: Catalogue): number | undefined {
  const { input, output, cacheRead, cacheWrite } = rowOf(catalogue, model);
  if (input === undefined || output === undefined) return undefined;
  const uncached = Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite);
  const dollars =
    uncached * input +
    usage.cacheRead * (cacheRead ?? input) +
    usage.cacheWrite * (cacheWrite ?? input) +
    usage.output * output;
  return dollars / MILLION;
}

/** Prices in dollars per million tokens. */
type Prices = readonly [input: number, output: number, cacheRead: number, cacheWrite?: number];

/**
 * Known models as of 2026-11-15. The data comes from excerpts of the providers' pages. No provider's API was queried.
 * If a price is missing, it was not found or depends on more than the token counts. The costs that users see are
 * estimates based on these rows, which settings can extend and correct.
 */
const KNOWN_MODELS: Readonly<Record<string, ModelRowSettings>> = {
  "anthropic/claude-fable-5-1": row(1_000_000, 128_000, [10, 50, 1, 12.5]),
  "anthropic/claude-opus-5-5": row(1_000_000, 128_000, [4, 20, 0.4, 5]),
  "anthropic/claude-sonnet-5-5": row(1_000_000, 128_000, [2, 10, 0.2, 2.5]),
  "anthropic/claude-haiku-5-5": row(1_000_000, 128_000),
  "anthropic/claude-opus-5": row(1_000_000, 128_000, [5, 25, 0.5, 6.25]),
  "anthropic/claude-sonnet-5": row(1_000_000, 128_000, [2, 10, 0.2, 2.5]),
  "anthropic/claude-opus-4-5": row(200_000, 64_000, [5, 25, 0.5, 6.25]),
  "anthropic/claude-sonnet-4-5": row(200_000, 64_000, [3, 15, 0.3, 3.75]),
  "anthropic/claude-haiku-4-5": row(200_000, 64_000, [1, 5, 0.1, 1.25]),
  // These models accept more than 272,000 tokens at twice the price. Users who want to pay for more tokens can set a
  // larger window.
  "openai/gpt-6.1-sol": row(272_000, 128_000, [2, 10, 0.1]),
  "openai/gpt-6.1-terra": row(272_000, 128_000, [1, 5, 0.05]),
  "openai/gpt-5": row(272_000, 128_000, [1.25, 10, 0.125]),
  "openai/gpt-5-mini": row(272_000, 128_000, [0.25, 2, 0.025]),
  "openai/gpt-4.1": row(1_047_576, 32_768, [2, 8, 0.5]),
  "openai/gpt-4.1-mini": row(1_047_576, 32_768, [0.4, 1.6, 0.1]),
  "openai-chat/gpt-4.1": row(1_047_576, 32_768, [2, 8, 0.5]),
  "deepseek/deepseek-v4-pro": row(1_000_000, 384_000),
  "deepseek/deepseek-v4-flash": row(1_000_000, 384_000),
  "moonshot/kimi-k2.6": { window: 262_144 },
  "moonshot/kimi-k2.5": { window: 262_144 },
  // The finder, our own model, works offline.
  "worldline/finder": row(200_000, 200_000, [0, 0, 0, 0]),
};

function row(window: number, maxOutput: number, prices?: Prices): ModelRowSettings {
  if (prices === undefined) return { window, maxOutput };
  const [input, output, cacheRead, cacheWrite] = prices;
  return { window, maxOutput, input, output, cacheRead, ...(cacheWrite === undefined ? {} : { cacheWrite }) };
}
