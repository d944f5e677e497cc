import { expect, it } from "vitest";
import { realDisk } from "../../src/disk/disk.ts";
import { FailingDisk, ManualClock } from "../../src/testing/testing.ts";
import { expectStarted, linesOfLog, runsIn } from "../crash/agent/judge.ts";
import { expectSubSessions } from "../crash/agent/sub-sessions.ts";
import { openCrashClaude } from "../crash/hosts/crash-claude.ts";
import { goOn, makeClaudeRun } from "../crash/hosts/killing.ts";
import { playStory } from "../crash/hosts/story.ts";
import { type ClaudePlace, claudePlace } from "../support/claude/claude-place.ts";
import { describeWithClaude } from "../support/claude/describe-with-claude.ts";

const FAULTS = 5;
/** Allows for several processes in sequence, each of which may have to wait for others on the machine. */
const MAX_MS = 180_000;
/** About as many writes as the story makes. */
const WRITES = 44;

/**
 * The tests of the turn cover single cases; here, any write of a story may fail, together with all that
 * follow it.
 */
describeWithClaude("a story on a disk that is full from some write on", () => {
  it("fails clearly, runs nothing that is not logged, and continues when there is room again", {
    timeout: MAX_MS,
  }, async () => {
    const place = claudePlace();
    const dice = new ManualClock({ seed: 8 });
    const stretch = Math.floor(WRITES / FAULTS);
    for (let index = 0; index < FAULTS; index += 1) {
      const from = index * stretch + 1 + dice.below(stretch);
      await fillDisk(place, from).catch((cause: unknown) => {
        throw new Error(`full from write ${from} on`, { cause });
      });
    }
  });
});

async function fillDisk(shared: ClaudePlace, from: number): Promise<void> {
  const run = await makeClaudeRun(shared, `full-${from}`);
  const { place, session: id, runs, server } = run;
  const disk = new FailingDisk(realDisk);
  const opened = await openCrashClaude(place, id, disk);
  const { agent, session, store } = opened;
  try {
    let writes = 0;
    disk.faults = ({ name }) => {
      if (name === "write") writes += 1;
      return name === "write" && writes >= from ? { errno: "ENOSPC", partial: 5 } : undefined;
    };
    const ends = await playStory(agent);
    expect(ends.filter((end) => end !== "done")).toEqual([expect.stringMatching(/^failed/u)]);
    disk.faults = () => undefined;
    const ranBefore = runsIn(runs);
    await goOn(run, opened, "prompt");
    const entries = await linesOfLog(session, store, id);
    const subSessions = await expectSubSessions(store, id, []);
    expectStarted(ranBefore, [...entries, ...subSessions.entries]);
  } finally {
    await opened.close();
    await server.close();
  }
}
