import { describe, expect, it } from "vitest";
import { catalogueOf, costOf, rowOf } from "../../../src/agent/models/catalogue.ts";

const catalogue = catalogueOf({
  models: {
    "anthropic/claude-sonnet-4-5": { window: 1_000_000 },
    "here/own": { input: 1, output: 10 },
  },
});

describe("the catalogue", () => {
  it("is extended by settings, field by field", () => {
    expect(rowOf(catalogue, "anthropic/claude-sonnet-4-5")).toEqual({
      model: "anthropic/claude-sonnet-4-5",
      window: 1_000_000,
      windowIs: "known",
      maxOutput: 64_000,
      input: 3,
      output: 15,
      cacheRead: 0.3,
      cacheWrite: 3.75,
    });
  });

  it("knows a dated name by its undated one", () => {
    expect(rowOf(catalogue, "anthropic/claude-haiku-4-5-20251001")).toMatchObject({
      model: "anthropic/claude-haiku-4-5-20251001",
      windowIs: "known",
      input: 1,
    });
  });

  it("says that the window of an unknown model is assumed", () => {
    expect(rowOf(catalogue, "compatible/unheard-of")).toEqual({
      model: "compatible/unheard-of",
      window: 200_000,
      windowIs: "assumed",
    });
  });
});

describe("the cost of a call", () => {
  it("counts cached tokens at their own price", () => {
    const usage = { input: 1_000_000, output: 100_000, cacheRead: 700_000, cacheWrite: 200_000 };
    // Per million tokens: 100,000 uncached at $3, 700,000 cache reads at $0.30, 200,000 cache writes at
    // $3.75, 100,000 output at $15.
    expect(costOf(usage, "anthropic/claude-sonnet-4-5", catalogue)).toBeCloseTo(0.3 + 0.21 + 0.75 + 1.5, 10);
  });

  it("takes the price of input where none is known for the cache", () => {
    const usage = { input: 1_000_000, output: 0, cacheRead: 500_000, cacheWrite: 500_000 };
    expect(costOf(usage, "here/own", catalogue)).toBe(1);
  });

  it("is not known for a model without a price", () => {
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
    expect(costOf(usage, "ollama/qwen3", catalogue)).toBeUndefined();
  });
});
