import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { sampleWays } from "../../demo/sample/ways.ts";
import { stringsFor } from "../../src/strings/strings.ts";
import { isHalfWidth, type Leaf, leavesOf, namesIn, saidAt } from "./leaves.ts";
import { sameInBoth } from "./same-in-both.ts";

/** Errors are excluded: they need a wording, and have their own test. */
const leaves = leavesOf(fileURLToPath(new URL("../../src/strings/en.ts", import.meta.url)), "en").filter(
  ({ path }) => !path.startsWith("reasons."),
);
const english = stringsFor("en");
const chinese = await stringsFor("zh-CN");

const MISSING = /undefined|NaN|\[object|=>/u;

describe("both catalogues", () => {
  it("have leaves to look at", () => {
    expect(leaves.length).toBeGreaterThan(500);
  });

  it("say something wherever English does", () => {
    const silent = leaves.filter((leaf) => some(leaf, (en, zh) => en.trim() !== "" && zh.trim() === ""));
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  it("have an answer for every case", () => {
    const broken = leaves.filter((leaf) => some(leaf, (en, zh) => MISSING.test(en) || MISSING.test(zh)));
    expect(broken.map(({ path }) => path)).toEqual([]);
  });

  it("say the same only where the list says so", () => {
    const same = leaves.filter((leaf) => leaf.calls.every((call) => en(leaf, call) === zh(leaf, call)));
    expect(same.map(({ path }) => path).toSorted()).toEqual([...sameInBoth].toSorted());
  });
});

describe("the Chinese catalogue", () => {
  it("is written in full-width punctuation", () => {
    const half = leaves.flatMap((leaf) =>
      leaf.calls
        .map((call) => zh(leaf, call))
        .filter(isHalfWidth)
        .slice(0, 1),
    );
    expect(half).toEqual([]);
  });

  it("names the commands, options and settings that English names", () => {
    const missing = leaves.flatMap((leaf) =>
      leaf.calls
        .filter((call) => namesIn(en(leaf, call)).some((name) => !zh(leaf, call).includes(name)))
        .slice(0, 1)
        .map((call) => `${leaf.path}: ${zh(leaf, call)}`),
    );
    expect(missing).toEqual([]);
  });
});

describe("the Chinese names of the sample's ways", () => {
  it("are there for each", () => {
    const untold = sampleWays.filter(({ name }) => chinese.find.sample.way(name) === name);
    expect(untold).toEqual([]);
  });
});

function en(leaf: Leaf, call: readonly unknown[]): string {
  return saidAt(english, leaf, call);
}

function zh(leaf: Leaf, call: readonly unknown[]): string {
  return saidAt(chinese, leaf, call);
}

function some(leaf: Leaf, holds: (en: string, zh: string) => boolean): boolean {
  return leaf.calls.some((call) => holds(en(leaf, call), zh(leaf, call)));
}
