import { readFileSync } from "node:fs";
import fc from "fast-check";
import { countTokens as countCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as countO200k } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import type { Sample } from "../../../src/timeline/token-count.ts";
import {
  calibrated,
  calibratedContext,
  calibrationOf,
  UNCALIBRATED,
} from "../../../src/timeline/token-count.ts";
import { estimateTokens } from "../../../src/timeline/token-estimate.ts";

type Provider = (text: string) => number;

const PROVIDERS: Readonly<Record<string, Provider>> = { o200k: countO200k, cl100k: countCl100k };

const SESSIONS: Readonly<Record<string, readonly string[]>> = {
  Chinese: ["prose-chinese", "guide-chinese"],
  code: ["source-typescript", "source-python", "change-diff"],
  mixed: ["guide-chinese", "source-python", "prose-chinese", "shell-log", "data-json", "handbook-english"],
};

/**
 * The session's entries: its fixtures, each cut in four and interleaved, as a session moves between files.
 */
function entriesOf(names: readonly string[]): string[] {
  const texts = names.map((name) =>
    readFileSync(new URL(`../../fixtures/tokens/${name}.txt`, import.meta.url), "utf8"),
  );
  return [0, 1, 2, 3].flatMap((quarter) =>
    texts.map((text) => text.slice((quarter * text.length) / 4, ((quarter + 1) * text.length) / 4)),
  );
}

/** Plays `entries`, two to a reply, and returns what each reply would report. */
function play(entries: readonly string[], provider: Provider, hidden: number): Sample[] {
  const samples: Sample[] = [];
  let estimated = 0;
  let actual = hidden;
  entries.forEach((entry, index) => {
    estimated += estimateTokens(entry);
    actual += provider(entry);
    if (index % 2 === 1) samples.push({ estimated, actual });
  });
  return samples;
}

/** The factor after these growths of a context, each as estimated and as counted. */
function factorOf(...growths: readonly (readonly [estimated: number, actual: number])[]): number {
  const samples: Sample[] = [{ estimated: 10_000, actual: 18_000 }];
  for (const [estimated, actual] of growths) {
    const last = samples.at(-1) ?? { estimated: 0, actual: 0 };
    samples.push({ estimated: last.estimated + estimated, actual: last.actual + actual });
  }
  return calibrationOf(samples).factor;
}

const cases = Object.keys(SESSIONS).flatMap((session) =>
  Object.keys(PROVIDERS).flatMap((provider) => [0, 8000].map((hidden) => ({ session, provider, hidden }))),
);

describe("calibrating a session", () => {
  it.each(cases)("foresees the next $session context within 5 %, $provider hiding $hidden", (example) => {
    const provider = PROVIDERS[example.provider] ?? countO200k;
    const samples = play(entriesOf(SESSIONS[example.session] ?? []), provider, example.hidden);
    const known = samples.slice(0, 3);
    const next = samples[3];
    if (next === undefined) throw new Error("The session is too short to foresee anything.");

    const foreseen = calibratedContext(next.estimated, calibrationOf(known));
    expect(Math.abs(foreseen / next.actual - 1)).toBeLessThanOrEqual(0.05);
  });

  it("leaves the estimate as it is before the first usage", () => {
    expect(calibrationOf([])).toEqual(UNCALIBRATED);
    expect(calibrated(1234, UNCALIBRATED)).toBe(1234);
  });

  it("takes the first usage for overhead, since one size cannot tell it from a factor", () => {
    expect(calibrationOf([{ estimated: 1000, actual: 9000 }])).toEqual({ factor: 1, overhead: 8000 });
  });

  it("learns the factor from growth, whatever is hidden", () => {
    const samples = [0, 1, 2, 3].map((turn) => ({ estimated: turn * 2000, actual: 8000 + turn * 2600 }));
    const calibration = calibrationOf(samples);
    expect(calibration.factor).toBeCloseTo(1.3, 1);
    expect(calibrated(1000, calibration)).toBeGreaterThan(1250);
    expect(calibrated(1000, calibration)).toBeLessThanOrEqual(1300);
  });

  it("learns nothing from a context that shrank", () => {
    const grown = [
      { estimated: 1000, actual: 2000 },
      { estimated: 9000, actual: 12_000 },
    ];
    const shrunk = { estimated: 3000, actual: 4500 };
    const factor = calibrationOf(grown).factor;
    expect(calibrationOf([...grown, shrunk]).factor).toBeCloseTo(factor, 1);
    expect(calibratedContext(3000, calibrationOf([...grown, shrunk]))).toBe(4500);
  });

  it("is not ruled by one growth that the text cannot explain", () => {
    const samples = [0, 1, 2, 3, 4].map((turn) => ({ estimated: turn * 1000, actual: turn * 1100 }));
    const withImage = [...samples, { estimated: 5000, actual: 15_500 }];
    expect(calibrationOf(withImage).factor).toBeLessThan(1.35);
  });

  it.each([
    ["an estimate that fell", -500, 500],
    ["a count that fell", 500, -500],
    ["both falling", -500, -500],
    ["an unchanged estimate", 0, 500],
    ["an unchanged count", 500, 0],
  ])("learns nothing from %s", (_what, estimated, actual) => {
    expect(factorOf([estimated, actual])).toBe(1);
    expect(factorOf([1000, 2000], [estimated, actual])).toBe(factorOf([1000, 2000]));
  });

  it("weighs each growth by its estimate, against 500 tokens with the factor 1", () => {
    expect(factorOf([1000, 2000])).toBeCloseTo((500 + 2000) / (500 + 1000), 9);
    expect(factorOf([1000, 1200], [3000, 3000])).toBeCloseTo((500 + 1200 + 3000) / (500 + 4000), 9);
  });

  it("limits each growth to one and a half times the median, and to no less than its two thirds", () => {
    const limited = (500 + 1.2 * 1.5 * 1000 + 1000 + 1200) / (500 + 3000);
    expect(factorOf([1000, 3000], [1000, 1000], [1000, 1200])).toBeCloseTo(limited, 9);
    const raised = (500 + 2000 + (1.5 / 1.5) * 1000 + 1500) / (500 + 3000);
    expect(factorOf([1000, 2000], [1000, 500], [1000, 1500])).toBeCloseTo(raised, 9);
  });

  it("takes the lower of two equally large growths as the median", () => {
    expect(factorOf([1000, 2000], [1000, 1000])).toBeCloseTo((500 + 1500 + 1000) / (500 + 2000), 9);
  });

  it("takes the growth in the middle of the tokens, not of the growths, as the median", () => {
    const factor = (500 + 4000 * 2 + (2 / 1.5) * 2000) / (500 + 6000);
    expect(factorOf([1000, 1000], [4000, 8000], [1000, 1100])).toBeCloseTo(factor, 9);
  });

  it("law: the last usage is met exactly, and the factor stays between 0.4 and 2.5", () => {
    const size = fc.nat(2_000_000);
    fc.assert(
      fc.property(fc.array(fc.record({ estimated: size, actual: size }), { minLength: 1 }), (samples) => {
        const calibration = calibrationOf(samples);
        const last = samples.at(-1);
        expect(calibratedContext(last?.estimated ?? 0, calibration)).toBe(last?.actual);
        expect(calibration.factor).toBeGreaterThanOrEqual(0.4);
        expect(calibration.factor).toBeLessThanOrEqual(2.5);
      }),
    );
  });
});
