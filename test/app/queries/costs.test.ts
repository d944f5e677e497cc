import { describe, expect, it } from "vitest";
import { catalogueOf } from "../../../src/agent/models/catalogue.ts";
import { priced } from "../../../src/app/queries/costs.ts";
import type { ModelStats, Stats } from "../../../src/timeline/stats.ts";

const price = { input: 10, output: 100, cacheRead: 1, cacheWrite: 20 };
const catalogue = catalogueOf({ models: { "p/a": price, "p/b": { ...price, cacheRead: 2 } } });

const unused = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const used = { input: 1_000, output: 100, cacheRead: 500, cacheWrite: 0 };

function model(name: string, fields: Partial<ModelStats> = {}): ModelStats {
  return { model: name, replies: 1, uncounted: 0, usage: unused, notSent: 0, ...fields };
}

function stats(models: readonly ModelStats[], backtracks: Partial<Stats["backtracks"]> = {}): Stats {
  return {
    ...{ sessions: 1, prompts: 2, steps: 3, models, tools: [], rewinds: 0, redos: 0, compactions: [] },
    backtracks: { count: 0, entries: 0, tokens: 0, saved: 0, notSent: 0, ...backtracks },
  };
}

describe("the cost of a session", () => {
  it("is that of the models with a known price, and names the used models without one", () => {
    const models = [
      model("p/a", { replies: 4, usage: used }),
      model("p/x", { replies: 2, uncounted: 1, usage: used }),
      model("p/b"),
      model("p/y", { uncounted: 1 }),
    ];
    const { models: rows, ...rest } = priced(stats(models), catalogue);
    expect(rest).toEqual({
      ...{ sessions: 1, prompts: 2, steps: 3, replies: 8, uncounted: 2, tools: [], rewinds: 0, redos: 0 },
      ...{ compactions: [], unpriced: ["p/x"], cacheHitRate: 0.5 },
      tokens: { input: 2_000, output: 200, cacheRead: 1_000, cacheWrite: 0 },
      cost: expect.closeTo(0.0155, 6),
      backtracks: { count: 0, entries: 0, tokens: 0, saved: { tokens: 0, cost: null, basis: "estimate" } },
    });
    expect(rows).toEqual([
      { model: "p/a", replies: 4, uncounted: 0, usage: used, cost: expect.closeTo(0.0155, 6) },
      { model: "p/x", replies: 2, uncounted: 1, usage: used, cost: null },
      { model: "p/b", replies: 1, uncounted: 0, usage: unused, cost: 0 },
      { model: "p/y", replies: 1, uncounted: 1, usage: unused, cost: null },
    ]);
  });

  it("is unknown if no model was used, or none has a known price", () => {
    const nothing = priced(stats([]), catalogue);
    expect([nothing.cost, nothing.cacheHitRate, nothing.unpriced]).toEqual([null, null, []]);
    expect(priced(stats([model("p/a")]), catalogue).cost).toBe(null);
    expect(priced(stats([model("p/x", { usage: used })]), catalogue).cost).toBe(null);
    const output = { ...unused, output: 10 };
    expect(priced(stats([model("p/x", { usage: output })]), catalogue).unpriced).toEqual(["p/x"]);
    const input = { ...unused, input: 10 };
    expect(priced(stats([model("p/x", { usage: input })]), catalogue).unpriced).toEqual(["p/x"]);
  });

  it("says what backtracks saved, as if the provider had read the tokens from its cache", () => {
    const left = { count: 2, entries: 9, tokens: 3_000, saved: 2_500, notSent: 7_000 };
    const models = [
      model("p/a", { notSent: 4_000 }),
      model("p/b", { notSent: 2_000 }),
      model("p/x", { notSent: 1_000 }),
    ];
    expect(priced(stats(models, left), catalogue).backtracks).toEqual({
      ...{ count: 2, entries: 9, tokens: 3_000 },
      saved: { tokens: 2_500, cost: expect.closeTo(0.008, 6), basis: "estimate" },
    });
    const none = priced(stats([model("p/a"), model("p/x", { notSent: 1_000 })], left), catalogue);
    expect(none.backtracks.saved.cost).toBe(null);
  });
});
