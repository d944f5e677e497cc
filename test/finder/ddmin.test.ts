import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ddmin, type Outcome } from "../../src/finder/narrow/ddmin.ts";

const units = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

describe("narrowing a set down", () => {
  it("law: leaves a set that fails, of which nothing can be left out, whatever fails", async () => {
    const cases = fc.integer({ min: 1, max: 24 }).chain((count) =>
      fc.record({
        count: fc.constant(count),
        // Each of these sets causes a failure when all of its units are present.
        causes: fc.array(
          fc.uniqueArray(fc.integer({ min: 0, max: count - 1 }), { minLength: 1, maxLength: 5 }),
          {
            minLength: 1,
            maxLength: 4,
          },
        ),
        // The outcome cannot be judged with the first of these units and without the second.
        odd: fc.tuple(fc.nat(count - 1), fc.nat(count - 1)),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ count, causes, odd }) => {
        const test = async (some: readonly number[]): Promise<Outcome> => {
          if (some.length < count && some.includes(odd[0]) && !some.includes(odd[1])) return "unjudged";
          return causes.some((cause) => cause.every((unit) => some.includes(unit))) ? "red" : "green";
        };
        const { units: found, state } = await ddmin(units(count), { test, tries: 10_000 });
        expect(state).toBe("minimal");
        expect(await test(found)).toBe("red");
        for (const unit of found) {
          const rest = found.filter((each) => each !== unit);
          if (rest.length > 0) expect(await test(rest)).not.toBe("red");
        }
      }),
    );
  });

  it("finds one of a thousand in some twenty tries, and asks nothing twice", async () => {
    const asked: string[] = [];
    const test = async (some: readonly number[]): Promise<Outcome> => {
      asked.push(some.join(","));
      return some.includes(617) ? "red" : "green";
    };
    expect(await ddmin(units(1_000), { test, tries: 100 })).toEqual({ units: [617], state: "minimal" });
    expect(asked.length).toBeLessThan(25);
    expect(new Set(asked).size).toBe(asked.length);
  });

  it("says so when it has no tries left", async () => {
    const test = async (some: readonly number[]): Promise<Outcome> => (some.length === 64 ? "red" : "green");
    expect(await ddmin(units(64), { test, tries: 10 })).toEqual({ units: units(64), state: "given-up" });
  });
});
