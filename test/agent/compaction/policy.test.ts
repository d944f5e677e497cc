import { describe, expect, it } from "vitest";
import { afterCompacting, freshBreaker, isDue, isStopped } from "../../../src/agent/compaction/compactor.ts";

describe("whether it is time to compact", () => {
  it.each([
    ["room for a reply and its results is left", { tokens: 149_999, window: 200_000, ratio: 0.85 }, false],
    ["the reserve of 50,000 is touched", { tokens: 150_000, window: 200_000, ratio: 0.85 }, true],
    [
      "the reserve of a small window, a quarter, is touched",
      { tokens: 6_144, window: 8_192, ratio: 0.85 },
      true,
    ],
    ["a small window has its quarter left", { tokens: 6_143, window: 8_192, ratio: 0.85 }, false],
    ["a large window is full to the ratio", { tokens: 850_000, window: 1_000_000, ratio: 0.85 }, true],
    ["a large window is nearly full to it", { tokens: 849_999, window: 1_000_000, ratio: 0.85 }, false],
    ["the ratio is lower than the reserve asks for", { tokens: 100_000, window: 200_000, ratio: 0.5 }, true],
    [
      "the reserve is set, and touched",
      { tokens: 190_000, window: 200_000, ratio: 1, reserve: 10_000 },
      true,
    ],
    ["the reserve is set, and free", { tokens: 189_999, window: 200_000, ratio: 1, reserve: 10_000 }, false],
    [
      "a reserve above half of the window counts as half",
      { tokens: 99_999, window: 200_000, ratio: 1, reserve: 150_000 },
      false,
    ],
    ["nothing is reserved", { tokens: 199_999, window: 200_000, ratio: 1, reserve: 0 }, false],
    ["nobody knows the window", { tokens: 1_000_000, window: 0, ratio: 0.85 }, false],
  ])("when %s", (_, fill, due) => {
    expect(isDue(fill)).toBe(due);
  });
});

describe("the breaker", () => {
  const fruitless = { before: 1_000, after: 901, due: "still" } as const;

  it("stops after two compactions in a row that brought nothing", () => {
    const once = afterCompacting(freshBreaker, fruitless);
    expect([isStopped(freshBreaker), isStopped(once)]).toEqual([false, false]);
    expect(isStopped(afterCompacting(once, fruitless))).toBe(true);
  });

  it.each([
    ["became smaller by a tenth", { before: 1_000, after: 900, due: "still" }],
    ["is no longer too full", { before: 1_000, after: 990, due: "no-longer" }],
  ] as const)("begins anew when the context %s", (_, progress) => {
    expect(afterCompacting({ fruitless: 1 }, progress)).toEqual(freshBreaker);
  });
});
