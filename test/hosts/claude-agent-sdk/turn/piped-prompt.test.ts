import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { claudeStage } from "../support/claude-stage.ts";

describeWithClaude("a prompt with text from a pipe", () => {
  it("names no file that Claude Code reads by itself without asking", async () => {
    const stage = await claudeStage({ mode: "manual", responder: () => ({ text: "Read." }) });
    const secret = join(stage.home, "secret.txt");
    writeFileSync(secret, "not for the model\n");
    const shown = (): string => JSON.stringify(stage.server.requests.map(({ body }) => body));
    await stage.agent.prompt(`summarize this\n\nsee @${secret}`, "piped");
    await stage.agent.prompt(`/add-dir ${stage.home}`, "piped");
    expect([shown().includes(secret), shown().includes("not for the model")]).toEqual([true, false]);
    expect(stage.server.requests.length).toBe(2);
    // Text that the user types is trusted.
    await stage.agent.prompt(`see @${secret}`);
    expect(shown()).toContain("not for the model");
  });
});
