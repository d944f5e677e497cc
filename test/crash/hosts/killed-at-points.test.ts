import { expect, it } from "vitest";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { claudePlace } from "../../support/claude/claude-place.ts";
import { describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { sampleOf } from "../agent/sweep.ts";
import { bundleClaudeChild } from "./children/bundle.ts";
import { killAt, pointsOfStory } from "./sweep.ts";

const SAMPLE = 4;
/** Each point costs two processes of the SDK, which may have to wait for the others on the machine. */
const MOST_MS = 180_000;
/** Right behind these a death is most awkward: something may run, or the conversation has just gone elsewhere. */
const AWKWARD = ["tool-start", "backtrack", "compaction"] as const;

/** All points are gone through by `npm run torture`. */
describeWithClaude("an agent of Claude's that dies in a story of two prompts and a compaction", () => {
  it("is opened again, ends what it left of the SDK, says what was open, and goes on", {
    timeout: MOST_MS,
  }, async () => {
    await inTempFolder(async (folder) => {
      const program = await bundleClaudeChild(folder);
      const place = claudePlace();
      const kinds = await pointsOfStory(program, place);
      const all = kinds.map((_, index) => index + 1);
      const sample = sampleOf(all, SAMPLE, 3).flatMap((at) => ("point" in at ? [at.point] : []));
      const awkward = AWKWARD.map((kind) => kinds.lastIndexOf(kind) + 1);
      // Right behind a start a call is open, whichever it is.
      const opened = [kinds.indexOf("tool-start"), kinds.lastIndexOf("tool-start")].map((at) => at + 2);
      const points = [...new Set([...sample, ...awkward, ...opened])];
      const report = await killAt(program, place, points);
      expect(report).toMatchObject({ stories: points.length, lost: 0, ranAgain: 0 });
      expect(report.killed).toBeGreaterThanOrEqual(SAMPLE);
      expect(report.withOpenCalls).toBeGreaterThan(1);
    });
  });
});
