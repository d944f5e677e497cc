import { type Catalogue, costOf } from "../../agent/models/catalogue.ts";
import { cacheHitRate, noUsage, sumOfUsage, type Usage } from "../../record/parts.ts";
import type { ModelStats, Stats } from "../../timeline/stats.ts";

/** The numbers with what they cost, as far as prices are known. */
export interface PricedStats extends Omit<Stats, "models" | "backtracks"> {
  readonly replies: number;
  readonly uncounted: number;
  readonly tokens: Usage;
  /** From 0 to 1; null when nothing was counted. */
  readonly cacheHitRate: number | null;
  /** In dollars, of the models whose price is known; null when there is none. */
  readonly cost: number | null;
  /** Models that were used, and whose price is not known. */
  readonly unpriced: readonly string[];
  readonly models: readonly PricedModel[];
  readonly backtracks: Omit<Stats["backtracks"], "notSent" | "saved"> & { readonly saved: Saved };
}

interface PricedModel extends Omit<ModelStats, "notSent"> {
  readonly cost: number | null;
}

export interface Saved {
  /** What left the context, counted once. */
  readonly tokens: number;
  /** What later requests would have paid to carry it, in dollars. */
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

/** Each request would have carried the tokens from the provider's cache, at the price of the model that it went to. */
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
