import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Border } from "../../src/finder/bisect.ts";
import { type SearchVerdict, search } from "../../src/finder/find.ts";
import type { Change, Effect } from "../../src/finder/finding.ts";

/** Two values that the test requires to be 1, and a count of harmless changes. */
interface World {
  readonly a: number;
  readonly b: number;
  readonly harmless: number;
}

type Step = { readonly file: "a" | "b"; readonly to: number } | "harmless";

const start: World = { a: 1, b: 1, harmless: 0 };

function worldsOf(steps: readonly Step[]): readonly World[] {
  const worlds = [start];
  for (const step of steps) {
    const last = worlds.at(-1) ?? start;
    const next =
      step === "harmless" ? { ...last, harmless: last.harmless + 1 } : { ...last, [step.file]: step.to };
    // A step that changes nothing is not a separate state.
    if (JSON.stringify(next) !== JSON.stringify(last)) worlds.push(next);
  }
  return worlds;
}

const isGreen = ({ a, b }: World): boolean => a === 1 && b === 1;

/** A history with known answers, which records the states that the search asks about. */
function history(worlds: readonly World[]) {
  const at = (state: number): World => worlds[state] ?? start;
  const present = at(worlds.length - 1);
  const fileOf = ({ green, red }: Border): "a" | "b" => (at(green).a === at(red).a ? "b" : "a");
  const effectOf = (border: Border): Effect => {
    const file = fileOf(border);
    if (present[file] !== at(border.red)[file]) return { state: "changed-since", paths: [] };
    const without = { ...present, [file]: at(border.green)[file] };
    return isGreen(without) ? { state: "confirmed", overlay: new Map() } : { state: "other-causes" };
  };
  const changeOf = (border: Border): Change => ({
    units: [],
    sense: "breaks",
    size: "minimal",
    renamed: new Map(),
    effect: effectOf(border),
  });
  const asked: number[] = [];
  const found = (): Promise<SearchVerdict> =>
    search({
      states: worlds.length,
      runs: 1,
      run: async ({ state }) => {
        asked.push(state);
        return isGreen(at(state)) ? "pass" : "fail";
      },
      changeAt: async (border) => changeOf(border),
      lastWithout: async (_, border) => {
        const file = fileOf(border);
        const index = worlds.findLastIndex(
          (world, state) => state < worlds.length - 1 && world[file] !== at(border.red)[file],
        );
        return index > border.red ? index : undefined;
      },
    });
  return { found, asked, changeOf };
}

const [a2, a1, b2, b1] = (["a2", "a1", "b2", "b1"] as const).map((text) => ({
  file: text[0] as "a" | "b",
  to: Number(text[1]),
})) as [Step, Step, Step, Step];

const told = async (...steps: Step[]) => history(worldsOf(steps)).found();

describe("looking for the change that makes it fail now", () => {
  it("does not name what was fixed since, but the newest change after it", async () => {
    const story = [a2, a1, "harmless", "harmless", b2, "harmless", "harmless", "harmless"] as const;
    expect(await told(...story)).toMatchObject({ verdict: "found", border: { green: 4, red: 5 } });
  });

  it("names the last break if the same thing was broken, fixed, and broken again", async () => {
    const story = [a2, a1, "harmless", "harmless", a2, "harmless", "harmless", "harmless"] as const;
    expect(await told(...story)).toMatchObject({ verdict: "found", border: { green: 4, red: 5 } });
  });

  it("cannot tell where there are other causes, or what broke it was changed since", async () => {
    expect(await told("harmless", a2, b2)).toMatchObject({
      verdict: "cannot-tell",
      why: "unconfirmed",
      border: { green: 1, red: 2 },
      change: { effect: { state: "other-causes" } },
    });
    expect(await told(a2, b2, a1)).toMatchObject({
      verdict: "cannot-tell",
      border: { green: 0, red: 1 },
      change: { effect: { state: "changed-since" } },
    });
    expect(await told(a2, b2, b1)).toMatchObject({ verdict: "found", border: { green: 0, red: 1 } });
  });

  const steps = fc.oneof(
    fc.constant<Step>("harmless"),
    fc.record({ file: fc.constantFrom("a" as const, "b" as const), to: fc.integer({ min: 1, max: 3 }) }),
  );

  it("law: names the newest border, and says found only of a change that the test passes without", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 40 }), async (story) => {
        const worlds = worldsOf(story);
        const { found, changeOf } = history(worlds);
        const green = worlds.findLastIndex(isGreen);
        if (green === worlds.length - 1) {
          expect(await found()).toMatchObject({ verdict: "green-now" });
          return;
        }
        const border = { green, red: green + 1 };
        const change = changeOf(border);
        const wanted =
          change.effect.state === "confirmed"
            ? { verdict: "found" }
            : { verdict: "cannot-tell", why: "unconfirmed" };
        expect(await found()).toEqual({ ...wanted, border, change });
      }),
      { numRuns: 500 },
    );
  });

  it("law: asks no more than a bounded number of states, however long the history", async () => {
    const runs = fc.array(fc.tuple(steps, fc.nat(60)), { minLength: 5, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(runs, async (story) => {
        const worlds = worldsOf(
          story.flatMap(([step, pause]) => [step, ...Array<Step>(pause).fill("harmless")]),
        );
        const { found, asked } = history(worlds);
        const verdict = await found();
        if (verdict.verdict === "found") {
          expect(verdict.change.effect.state).toBe("confirmed");
          expect(worlds.slice(verdict.border.green, verdict.border.red + 1).map(isGreen)).toEqual([
            true,
            false,
          ]);
        }
        expect(new Set(asked).size).toBeLessThanOrEqual(200);
      }),
    );
  });
});
