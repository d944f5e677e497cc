import { expect, it } from "vitest";
import { claudePlace } from "../../support/claude/claude-place.ts";
import { describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { bundleClaudeChild } from "./children/bundle.ts";
import { killAt, pointsOfStory } from "./sweep.ts";

describeWithClaude("probe", () => {
  it("x", async () => {
    const place = claudePlace();
    const program = await bundleClaudeChild(place.folder);
    const points = await pointsOfStory(program, place);
    console.log(points.length);
    const wanted = (process.env["POINTS"] ?? "").split(",").filter(Boolean).map(Number);
    const t = performance.now();
    console.log(await killAt(program, place, wanted), performance.now() - t);
    expect(1).toBe(1);
  });
});
