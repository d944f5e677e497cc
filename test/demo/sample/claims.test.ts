import { describe, expect, it } from "vitest";
import type { TrailStep } from "../../../demo/sample/claims.ts";
import { claimsOf, type Repaired } from "../../../demo/sample/claims.ts";

const TEST = "node test.mjs";

function call(name: string, about: string, outcome: "ok" | "error" = "ok"): TrailStep {
  return { did: "call", name, about, outcome };
}

const red = call("Bash", TEST, "error");
const green = call("Bash", TEST);
const back: TrailStep = {
  did: "back",
  to: 3,
  note: "- [a] src/prices.mjs, line 2: the test still fails",
  files: { restored: 1, kept: 0, failed: 0 },
};
const wrongGuess = [call("Edit", "src/prices.mjs"), red];
const rightGuess = [call("Edit", "src/tax.mjs"), green];

const whole: Repaired = {
  trail: [red, ...wrongGuess, back, ...rightGuess],
  test: TEST,
  tested: ["red", "green"],
  changed: ["src/tax.mjs"],
  unmended: [],
  culprit: ["src/tax.mjs"],
  answer: "Found: src/tax.mjs, line 5, changed between #6 and #7.",
};

function broken(repaired: Partial<Repaired>): readonly string[] {
  return claimsOf({ ...whole, ...repaired }).flatMap(({ claim, holds }) => (holds ? [] : [claim]));
}

describe("the claims of a repair", () => {
  it("hold for one with a wrong guess, a way back and a right guess", () => {
    expect(broken({})).toEqual([]);
  });

  it.each<[string, Partial<Repaired>, readonly string[]]>([
    ["the test was not run first", { trail: [...wrongGuess, back, ...rightGuess] }, ["red"]],
    ["nothing was broken", { tested: ["green", "green"] }, ["red"]],
    ["no guess was wrong", { trail: [red, ...rightGuess] }, ["wrong", "back", "restored"]],
    ["it went on without going back", { trail: [red, ...wrongGuess, ...rightGuess] }, ["back", "restored"]],
    [
      "the note does not name the guess",
      { trail: [red, ...wrongGuess, { ...back, note: "on and on" }, ...rightGuess] },
      ["back"],
    ],
    [
      "the files were not restored",
      { trail: [red, ...wrongGuess, { did: "back", to: 3, note: back.note }, ...rightGuess] },
      ["restored"],
    ],
    [
      "some files were kept",
      {
        trail: [red, ...wrongGuess, { ...back, files: { restored: 1, kept: 1, failed: 0 } }, ...rightGuess],
      },
      ["restored"],
    ],
    ["it is red in the end", { tested: ["red", "red"] }, ["green"]],
    ["something else is changed, too", { changed: ["src/prices.mjs", "src/tax.mjs"] }, ["only"]],
    ["it is mended in another way", { unmended: ["src/tax.mjs"] }, ["only"]],
    ["the answer names something else", { answer: "Found: src/cart.mjs" }, ["named"]],
  ])("do not hold where %s", (_title, repaired, expected) => {
    expect(broken(repaired)).toEqual(expected);
  });
});
