import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { AgentEvent } from "../../../src/ports/agent-events.ts";
import { inTempFolder, scripted } from "../../../src/testing/testing.ts";
import { claudePlace, processesOf } from "../../support/claude/claude-place.ts";
import { describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { runsIn } from "../agent/judge.ts";
import { orphansEnded } from "../agent/orphans.ts";
import { startChild } from "../children/child.ts";
import { bundleClaudeChild } from "./children/bundle.ts";
import type { ClaudeChildWish } from "./children/claude-child.ts";
import { openCrashClaude } from "./crash-claude.ts";
import { makeClaudeRun } from "./killing.ts";

const COMMAND = 'echo first >> "$RUNS"; sleep 60; echo late >> "$RUNS"';

describeWithClaude("an agent of Claude's that was killed in a long command", () => {
  it("has left the SDK and the command running, which end when the session is opened again", async () => {
    await inTempFolder(async (folder) => {
      const program = await bundleClaudeChild(folder);
      const shared = claudePlace();
      const bash = { name: "Bash", input: { command: COMMAND, description: "waits" } };
      const run = await makeClaudeRun(shared, "long", scripted({ calls: [bash] }, { text: "I see." }));
      const { place, session, runs, server } = run;
      const wish: ClaudeChildWish = { place, session, dieAt: 0 };
      const child = startChild(program, [JSON.stringify(wish)]);
      while (runsIn(runs).length === 0) await sleep(20);
      await child.kill();
      expect(processesOf(shared.config).length).toBeGreaterThan(1);
      const { agent, close } = await openCrashClaude(place, session);
      try {
        await orphansEnded(runs);
        expect(processesOf(shared.config)).toEqual([]);
        const events: AgentEvent[] = [];
        agent.on((event) => events.push(event));
        expect(await agent.prompt("What happened?")).toMatchObject({ outcome: "done", answer: "I see." });
        expect(events.filter(({ type }) => type === "warning")).toMatchObject([
          { code: "LEFT_RUNNING", message: expect.stringContaining("Claude Code") },
        ]);
        expect(runsIn(runs)).toEqual(["first"]);
      } finally {
        await close();
        await server.close();
      }
    });
  });
});
