import { expect, it } from "vitest";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { claudePlace } from "../../support/claude/claude-place.ts";
import { bundleClaudeChild } from "./children/bundle.ts";
import { killAt } from "./sweep.ts";
it("x", { timeout: 3_600_000 }, async () => {
  await inTempFolder(async (folder) => {
    const program = await bundleClaudeChild(folder);
    const place = claudePlace();
    const wanted = Array.from({ length: 40 }, (_, i) => 144 + i);
    console.log(await killAt(program, place, wanted));
    expect(1).toBe(1);
  });
});
