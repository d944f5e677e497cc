/** Which model answers, and how another one comes to. */
export interface Models {
  /** Those that can be used, and those that only want a key. */
  list(): Promise<readonly ModelRow[]>;
  /** From the next prompt on; `remember`: for later sessions too. */
  choose(name: string, remember: "yes" | "no"): Promise<void>;
  /** Providers that a key can be given for. */
  providers(): Promise<readonly ProviderRow[]>;
  /** Keeps the key in a file that only the person can read, and takes a model of that provider. */
  connect(provider: string, key: string): Promise<void>;
  /** Takes a model that needs no key, after one call that it answered, for later sessions too; else nothing is changed. */
  connectLocal(name: string): Promise<void>;
  /** An Ollama on this machine, asked for once; nothing of it is used before the person says so. */
  findOllama(): Promise<OllamaFound | undefined>;
}

export type ModelState =
  | { readonly state: "ready"; readonly name: string; readonly window: number }
  /** None, and what was looked for, such as "ANTHROPIC_API_KEY in the environment". */
  | { readonly state: "none"; readonly lookedFor: readonly string[] };

export interface ModelRow {
  readonly name: string;
  readonly window?: number;
  readonly state: "ready" | "no-key";
  readonly isCurrent: boolean;
}

export interface ProviderRow {
  readonly provider: string;
  readonly keyVariable: string;
  readonly state: "key" | "no-key";
}

export interface OllamaFound {
  readonly models: readonly string[];
}
