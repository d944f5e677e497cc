import type { Usage } from "../../record/parts.ts";
import { KNOWN_MODELS } from "./known-models.ts";
import type { ModelRowSettings, ModelSettings } from "./model-settings.ts";

/** What is assumed of a model that no table knows. */
export const DEFAULT_WINDOW = 200_000;
/** Servers on this machine hold less, and ask for memory for all of it. */
export const DEFAULT_LOCAL_WINDOW = 32_768;

const MILLION = 1_000_000;

/** A model's numbers: prices are in dollars per million tokens, and missing where nobody said them. */
export interface CatalogueRow extends ModelRowSettings {
  /** "provider/name". */
  readonly model: string;
  readonly window: number;
  /** "assumed": nobody said how large its window is. */
  readonly windowIs: "known" | "assumed";
}

/** Our table, with what the settings say laid over it. */
export type Catalogue = Readonly<Record<string, ModelRowSettings>>;

export function catalogueOf(settings: Pick<ModelSettings, "models">): Catalogue {
  const rows: Record<string, ModelRowSettings> = { ...KNOWN_MODELS };
  for (const [model, row] of Object.entries(settings.models)) rows[model] = { ...rows[model], ...row };
  return rows;
}

/** The row of a model; one without an own row gets that of the same name without a date, and else the defaults. */
export function rowOf(catalogue: Catalogue, model: string, assumed: number = DEFAULT_WINDOW): CatalogueRow {
  const row = catalogue[model] ?? catalogue[undated(model)];
  const { window, ...rest } = row ?? {};
  return { model, window: window ?? assumed, windowIs: window === undefined ? "assumed" : "known", ...rest };
}

/** "claude-sonnet-4-5-20250929" and "gpt-5-2025-08-07" are what their undated names were on that day. */
export function undated(model: string): string {
  return model.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, "");
}

/** What a call cost in dollars; undefined where the price is not known. */
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
