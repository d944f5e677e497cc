/** What settings say of models: the person's choice, and what our own table lacks or has wrong. */
export interface ModelSettings {
  /** "provider/name", or the name alone where the table has it. */
  readonly model?: string;
  /** By "provider/name". A row here goes before the table's, field by field. */
  readonly models: Readonly<Record<string, ModelRowSettings>>;
  /** By the name that stands before the slash. A row here goes before a provider of ours of the same name. */
  readonly providers: Readonly<Record<string, ProviderSettings>>;
}

/** Tokens, and prices in US dollars per million tokens. */
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
  /** The environment variable that holds its key. Without one it is asked without a key. */
  readonly keyVariable?: string;
  /** Its default model. */
  readonly model?: string;
}

/** How a provider is spoken to. */
export type ProviderKind = "anthropic" | "openai" | "openai-chat" | "compatible" | "ollama";
