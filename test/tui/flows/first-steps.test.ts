import { expect, it } from "vitest";
import type { SampleAnswer } from "../../../src/app/find.ts";
import { takeFirstStep } from "../../../src/tui/flows/opening.ts";
import { fakeDesk } from "./fake-context.ts";

const FOUND: SampleAnswer = {
  answer: { finding: { verdict: "green-now", states: [], tried: [], linked: [] }, paths: [] },
  verdict: "right",
};

it("the first step with a sample shows the progress and the answer of the finder, line by line", async () => {
  const desk = fakeDesk([], {
    demonstrations: {
      findInSample: async (onProgress) => {
        onProgress({ doing: "break", folder: "/tmp/sample", steps: 7 });
        onProgress({ doing: "change", pieces: 2 });
        return FOUND;
      },
    },
  });
  await takeFirstStep(desk, 1);
  const lines = desk.told.filter((line) => line.startsWith("worldline find --sample: "));
  expect(lines.map((line) => line.replace("worldline find --sample: ", ""))).toEqual([
    "Created a small shop project with a passing test: /tmp/sample",
    "An agent worked on it in 7 steps, and now its test fails.",
    "Which step broke it? The finder runs the test in copies of earlier states:",
    "Narrowing down: testing 2 hunks …",
    "The test passes now, so there is nothing to find.",
    "Correct: that is the planted fault.",
    "Everything was in a temporary folder, which has been removed.",
  ]);
});
