import { type Catalogue, costOf } from "../../agent/models/catalogue.ts";
import { cacheHitRate, noUsage, sumOfUsage, type Usage } from "../../record/parts.ts";
import type { ModelStats, Stats } from "../../timeline/stats.ts";

/** Statistics, with the costs of the models whose prices are known. */
export interface PricedStats extends Omit<Stats, "models" | "backtracks"> {
  readonly replies: number;
  readonly uncounted: number;
  readonly tokens: Usage;
  /** A number between 0 and 1; null if no tokens were counted. */
  readonly cacheHitRate: number | null;
  /** Cost in dollars of the models with a known price; null if no model has one. */
  readonly cost: number | null;
  /** The models that were used but have no known price. */
  readonly unpriced: readonly string[];
  readonly models: readonly PricedModel[];
  readonly backtracks: Omit<Stats["backtracks"], "notSent" | "saved"> & { readonly saved: Saved };
}

interface PricedModel extends Omit<ModelStats, "notSent"> {
  readonly cost: number | null;
}

export interface Saved {
  /** Number of tokens that backtracks removed from the context. Each token is counted once. */
  readonly tokens: number;
  /** The estimated cost, in dollars, of sending these tokens with all later requests. */
  readonly cost: number | null;
  readonly basis: "estimate";
}

export function priced(stats: Stats, catalogue: Catalogue): PricedStats {
  const { models, backtracks, ...rest } = stats;
  const { notSent: _notSent, saved, ...left } = backtracks;
  const tokens = models.reduce((sum, { usage }) => sumOfUsage(sum, usage), noUsage);
  const used = models.filter(({ usage }) => usage.input + usage.output > 0);
  const costs = used.map(({ model, usage }) => costOf(usage, model, catalogue));
  return {
    ...rest,
    replies: models.reduce((sum, { replies }) => sum + replies, 0),
    uncounted: models.reduce((sum, { uncounted }) => sum + uncounted, 0),
    tokens,
    cacheHitRate: cacheHitRate(tokens) ?? null,
    cost: sumOfKnown(costs),
    unpriced: used.flatMap(({ model }, index) => (costs[index] === undefined ? [model] : [])),
    models: models.map(({ notSent: _ofModel, ...model }) => ({
      ...model,
      cost: costOf(model.usage, model.model, catalogue) ?? null,
    })),
    backtracks: {
      ...left,
      saved: { tokens: saved, cost: savedCost(models, catalogue), basis: "estimate" },
    },
  };
}

/**
 * Estimates the saved cost. Assumes that each request would have read the tokens from the provider's cache, at the
 * price of the model that received the request.
 */
function savedCost(models: readonly ModelStats[], catalogue: Catalogue): number | null {
  const saving = models.filter(({ notSent }) => notSent !== 0);
  return sumOfKnown(
    saving.map(({ model, notSent }) =>
      costOf({ input: notSent, output: 0, cacheRead: notSent, cacheWrite: 0 }, model, catalogue),
    ),
  );
}

function sumOfKnown(costs: readonly (number | undefined)[]): number | null {
  const known = costs.filter((cost) => cost !== undefined);
  return known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0);
}
