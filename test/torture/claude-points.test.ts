import { expect, it } from "vitest";
import { inTempFolder } from "../../src/testing/testing.ts";
import { bundleClaudeChild } from "../crash/hosts/children/bundle.ts";
import { killAt, pointsOfStory } from "../crash/hosts/sweep.ts";
import { claudePlace } from "../support/claude/claude-place.ts";
import { describeWithClaude } from "../support/claude/describe-with-claude.ts";
import { printRow } from "./print-row.ts";

/** How many rounds to run. A value below 1 is the share of points to try, evenly spread. */
const ROUNDS = Number(process.env["WORLDLINE_TORTURE"] ?? "1");

describeWithClaude("an agent of Claude's that dies at every point of a story", () => {
  it("ends what it left of the SDK, says what was open, runs nothing by itself and continues", async () => {
    await inTempFolder(async (folder) => {
      const program = await bundleClaudeChild(folder);
      const place = claudePlace();
      const count = (await pointsOfStory(program, place)).length;
      const kills = Math.max(1, Math.floor(count * ROUNDS));
      const points = Array.from({ length: kills }, (_, at) => 1 + (Math.floor(at / ROUNDS) % count));
      const report = await killAt(program, place, points);
      printRow({
        points: count,
        stories: report.stories,
        killed: report.killed,
        "acknowledged lines": report.acknowledged,
        lost: report.lost,
        "turns interrupted": report.cut,
        "with open calls": report.withOpenCalls,
        "sub-agents' sessions opened": report.subSessions,
        "run again automatically": report.ranAgain,
      });
      expect(report).toMatchObject({ lost: 0, ranAgain: 0 });
    });
  });
});
