import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { inTempFolder, scripted } from "../../../src/testing/testing.ts";
import { claudePlace, isOfSdk, processesOf } from "../../support/claude/claude-place.ts";
import { describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { runsIn } from "../agent/judge.ts";
import { orphansEnded } from "../agent/orphans.ts";
import { startChild } from "../children/child.ts";
import { bundleClaudeChild } from "./children/bundle.ts";
import type { ClaudeChildOptions } from "./children/claude-child.ts";
import { type CrashClaude, openCrashClaude } from "./crash-claude.ts";
import { type ClaudeRun, makeClaudeRun } from "./killing.ts";

const COMMAND = 'echo first >> "$RUNS"; sleep 60; echo late >> "$RUNS"';

const BASH = { name: "Bash", input: { command: COMMAND, description: "waits" } };

describeWithClaude("an agent of Claude's that was killed in a long command", () => {
  it("has left the SDK and the command running, which end when the session is opened again", async () => {
    await inTempFolder(async (folder) => {
      const program = await bundleClaudeChild(folder);
      const shared = claudePlace();
      const run = await makeClaudeRun(shared, "long", scripted({ calls: [BASH] }, { text: "I see." }));
      const { place, session, runs } = run;
      const request: ClaudeChildOptions = { place, session, dieAt: 0 };
      const child = startChild(program, [JSON.stringify(request)]);
      await begun(runs);
      await child.kill();
      expect(processesOf(shared.config).length).toBeGreaterThan(1);
      const opened = await openCrashClaude(place, session);
      await orphansEnded(runs);
      expect(processesOf(shared.config)).toEqual([]);
      await expectGoesOn(run, opened, ["LEFT_RUNNING"]);
    });
  });
});

describeWithClaude("a process of the SDK that was killed in a long command", () => {
  it("takes the command with it", async () => {
    const shared = claudePlace();
    const run = await makeClaudeRun(shared, "long", scripted({ calls: [BASH] }, { text: "I see." }));
    const { place, session, runs } = run;
    const opened = await openCrashClaude(place, session);
    const cut = opened.agent.prompt("Wait a minute.");
    await begun(runs);
    for (const pid of processesOf(shared.config)) if (isOfSdk(pid)) process.kill(pid, "SIGKILL");
    expect(await cut).toMatchObject({ outcome: "failed", error: { code: "MODEL_FAILED" } });
    await expectGoesOn(run, opened, []);
  });
});

async function begun(runs: string): Promise<void> {
  while (runsIn(runs).length === 0) await sleep(20);
}

/** Checks that the next prompt is answered with these warnings, and that the command did not keep running. */
async function expectGoesOn(
  { server, runs }: ClaudeRun,
  { agent, close }: CrashClaude,
  warnings: readonly string[],
): Promise<void> {
  try {
    const codes: string[] = [];
    agent.on((event) => event.type === "warning" && codes.push(event.code));
    expect(await agent.prompt("What happened?")).toMatchObject({ outcome: "done", answer: "I see." });
    expect(codes).toEqual(warnings);
    expect(runsIn(runs)).toEqual(["first"]);
  } finally {
    await close();
    await server.close();
  }
}
