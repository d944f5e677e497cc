import { expect, it } from "vitest";
import type { SessionId } from "../../src/record/ids.ts";
import { ManualClock } from "../../src/testing/testing.ts";
import { expectStarted, linesOfLog, runsIn } from "../crash/agent/judge.ts";
import { orphansEnded } from "../crash/agent/orphans.ts";
import { expectSubSessions } from "../crash/agent/sub-sessions.ts";
import { openCrashClaude } from "../crash/hosts/crash-claude.ts";
import { goOn, makeClaudeRun } from "../crash/hosts/killing.ts";
import { playStory } from "../crash/hosts/story.ts";
import { type ClaudePlace, claudePlace, isOfSdk, processesOf } from "../support/claude/claude-place.ts";
import { describeWithClaude } from "../support/claude/describe-with-claude.ts";

const KILLS = 6;
/** Allows for several processes in sequence, each of which may have to wait for others on the machine. */
const MAX_MS = 180_000;
/** About as many lines as the story writes before its compaction, including those of its sub-agent. */
const LINES = 48;

describeWithClaude("a story in which the process of the SDK is killed", () => {
  it("fails clearly, loses nothing, and continues with the next prompt in a new one", {
    timeout: MAX_MS,
  }, async () => {
    const place = claudePlace();
    const dice = new ManualClock({ seed: 5 });
    const stretch = LINES / KILLS;
    const ends: string[] = [];
    for (let index = 0; index < KILLS; index += 1) {
      const after = index * stretch + 1 + dice.below(stretch);
      ends.push(
        await killProcess(place, after).catch((cause: unknown) => {
          throw new Error(`killed after ${after} lines`, { cause });
        }),
      );
    }
    // Killing a process that had just finished its work goes unnoticed, so up to two kills may have no
    // effect.
    expect(ends.filter((end) => end === "failed: MODEL_FAILED").length).toBeGreaterThan(KILLS - 3);
  });
});

/** Returns how the story ended in which the process was killed. */
async function killProcess(shared: ClaudePlace, after: number): Promise<string> {
  const run = await makeClaudeRun(shared, `after-${after}`);
  const { place, session: id, runs, server } = run;
  const opened = await openCrashClaude(place, id);
  const { agent, store } = opened;
  const said: string[] = [];
  const heard = (session: SessionId, seq: number, entry: string): void => {
    said.push(`entry ${session} ${seq} ${entry}`);
    if (said.length !== after) return;
    for (const pid of processesOf(shared.config)) if (isOfSdk(pid)) process.kill(pid, "SIGKILL");
  };
  agent.on((event) => {
    const inner = event.type === "sub-agent" ? event.event : event;
    const session = event.type === "sub-agent" ? event.session : id;
    if (inner.type === "entry") heard(session, inner.entry.seq, inner.entry.id);
  });
  try {
    const ends = await playStory(agent);
    const end = ends.at(-1) ?? "";
    expect(["done", "failed: MODEL_FAILED"]).toContain(end);
    // A command outlives the process that ran it; wait for it, so that its effects are not blamed on the next
    // process.
    if (end !== "done") await orphansEnded(runs);
    const entries = await linesOfLog(opened.session, store, id);
    const there = entries.map((entry) => `entry ${id} ${entry.seq} ${entry.id}`);
    expect(said.filter((line) => line.startsWith(`entry ${id} `))).toEqual(there.slice(1));
    const subSessions = await expectSubSessions(store, id, said);
    expect(subSessions.lost).toBe(0);
    expectStarted(runsIn(runs), [...entries, ...subSessions.entries]);
    await goOn(run, opened, "prompt");
    return end;
  } finally {
    await opened.close();
    await server.close();
  }
}
