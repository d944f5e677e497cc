import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Run, RunResult } from "../../src/finder/bisect.ts";
import { type Next, nextTry, type Question } from "../../src/finder/bisect.ts";

type Answer = Extract<Next, { do: "answer" }>;

/** Answers the search's questions until it has a result. */
function search(
  question: Question,
  resultOf: (state: number, run: number) => RunResult,
): { readonly answer: Answer; readonly history: readonly Run[] } {
  const history: Run[] = [];
  for (;;) {
    const next = nextTry(question, history);
    if (next.do === "answer") return { answer: next, history };
    const { state } = next;
    history.push({ state, result: resultOf(state, history.length) });
    if (history.length > 10_000) throw new Error("It never ends.");
  }
}

/** One letter for each state: green, red, or unjudged. */
function told(states: string, runs = 1): Answer {
  const results = { g: "pass", r: "fail", s: "unjudged" } as const;
  const { answer } = search({ states: states.length, runs }, (state) => results[states[state] as "g"]);
  return answer;
}

describe("looking for the change that made it red", () => {
  it("names the two neighbors between which it broke", () => {
    expect(told("ggggrrr")).toEqual({ do: "answer", verdict: "found", green: 3, red: 4 });
    expect(told("gr")).toEqual({ do: "answer", verdict: "found", green: 0, red: 1 });
    expect(told("ggggggggggggggggggggr")).toEqual({ do: "answer", verdict: "found", green: 19, red: 20 });
  });

  it("has nothing to find where it is green now", () => {
    expect(told("grg")).toEqual({ do: "answer", verdict: "green-now" });
  });

  it("cannot tell where nothing passes, or the present cannot be judged", () => {
    expect(told("rrrrr")).toEqual({ do: "answer", verdict: "cannot-tell", why: "never-green", oldest: 0 });
    expect(told("r")).toEqual({ do: "answer", verdict: "cannot-tell", why: "never-green", oldest: 0 });
    expect(told("ssr")).toEqual({ do: "answer", verdict: "cannot-tell", why: "never-green", oldest: 2 });
    expect(told("ggs")).toEqual({ do: "answer", verdict: "cannot-tell", why: "present", oldest: 2 });
  });

  it("says the range where what lies between cannot be judged", () => {
    expect(told("ggssrr")).toEqual({ do: "answer", verdict: "range", green: 1, red: 4 });
  });

  it("finds the last break if it was fixed and broken again", () => {
    expect(told("grggrr")).toEqual({ do: "answer", verdict: "found", green: 3, red: 4 });
  });

  it("runs both ends twice, and says flaky where one of them contradicts itself", () => {
    const { answer } = search({ states: 4, runs: 1 }, (state, run) =>
      state === 3 && run === 1 ? "pass" : state >= 2 ? "fail" : "pass",
    );
    expect(answer).toEqual({ do: "answer", verdict: "flaky", state: 3, border: { green: 1, red: 2 } });
  });

  it("runs a state as often as requested", () => {
    const { history } = search({ states: 2, runs: 4 }, (state) => (state === 1 ? "fail" : "pass"));
    expect(history.map(({ state }) => state)).toEqual([1, 1, 1, 1, 0, 0, 0, 0]);
  });

  it("law: finds the one culprit, or a range that holds it, within 2 log2(n) and skips and a few runs", () => {
    const histories = fc.integer({ min: 2, max: 400 }).chain((states) =>
      fc.record({
        states: fc.constant(states),
        red: fc.integer({ min: 1, max: states - 1 }),
        skips: fc.uniqueArray(fc.integer({ min: 0, max: states - 2 }), { maxLength: 30 }),
      }),
    );
    fc.assert(
      fc.property(histories, ({ states, red, skips }) => {
        const skipped = new Set(skips);
        const { answer, history } = search({ states, runs: 1 }, (state) =>
          skipped.has(state) ? "unjudged" : state >= red ? "fail" : "pass",
        );
        const tries = new Set(history.map(({ state }) => state));
        const passedOver = [...tries].filter((state) => skipped.has(state)).length;
        expect(tries.size).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(states)) + passedOver + 2);
        const isGreenLeft = Array.from({ length: red }, (_, state) => state).some((s) => !skipped.has(s));
        if (!isGreenLeft) {
          expect(answer).toMatchObject({ verdict: "cannot-tell", why: "never-green" });
          return;
        }
        if (answer.verdict !== "found" && answer.verdict !== "range") throw new Error(answer.verdict);
        expect(answer.green).toBeLessThan(red);
        expect(answer.red).toBeGreaterThanOrEqual(red);
        for (let state = answer.green + 1; state < answer.red; state += 1) {
          expect(skipped.has(state)).toBe(true);
        }
      }),
    );
  });

  it("law: never names a change after seeing one state both pass and fail", () => {
    const answers = fc.infiniteStream(fc.constantFrom<RunResult>("pass", "fail", "fail", "unjudged"));
    const sizes = fc.record({
      states: fc.integer({ min: 1, max: 40 }),
      runs: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(sizes, answers, (question, stream) => {
        const results = stream[Symbol.iterator]();
        const { answer, history } = search(question, () => results.next().value as RunResult);
        const seen = (state: number, result: RunResult) =>
          history.some((run) => run.state === state && run.result === result);
        const isFlaky = history.some(({ state }) => seen(state, "pass") && seen(state, "fail"));
        expect(answer.verdict === "flaky").toBe(isFlaky);
      }),
    );
  });
});
