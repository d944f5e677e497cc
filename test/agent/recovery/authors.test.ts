import { describe, expect, it } from "vitest";
import type { Author } from "../../../src/record/entry.ts";
import { shownPath } from "../../../src/record/files.ts";
import { scripted } from "../../../src/testing/model-server/script.ts";
import { HurriedClock } from "./clocks.ts";
import { type Rehearsal, rehearse } from "./rehearsal.ts";

const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });
const FAILURE = { misbehave: { do: "status", status: 401 } } as const;

/** Pairs each path that changed between consecutive snapshots with the author that the session recorded. */
async function attributed({ session, files }: Rehearsal): Promise<readonly [string, Author][]> {
  const history = [...(await session.history())].sort((a, b) => a.seq - b.seq);
  const snapshots = history.flatMap((entry) =>
    entry.kind === "snapshot" || entry.kind === "interval" ? [entry] : [],
  );
  const changes: [string, Author][] = [];
  for (const [index, { snapshot, author }] of snapshots.entries()) {
    const before = snapshots[index - 1]?.snapshot;
    if (snapshot === undefined || before === undefined) continue;
    for (const { path } of await files.compare(before, snapshot)) changes.push([shownPath(path), author]);
  }
  return changes.filter(([path]) => path !== "");
}

describe("what changed the files", () => {
  it("is the outside between turns, and the timeline in them", async () => {
    const rehearsal = await rehearse(
      scripted(bash("echo tool > tool.txt"), { text: "one" }, bash("echo more > more.txt"), { text: "two" }),
    );
    const { agent, write } = rehearsal;
    await agent.prompt("first");
    write("person.txt", "edited");
    await agent.prompt("second");
    expect(await attributed(rehearsal)).toEqual([
      ["tool.txt", "timeline"],
      ["person.txt", "outside"],
      ["more.txt", "timeline"],
    ]);
  });

  it("is the timeline in an interrupted turn, and the outside after it", async () => {
    const rehearsal = await rehearse(
      scripted(bash("echo tool > tool.txt; echo said; sleep 30"), { text: "two" }),
    );
    const { agent, write } = rehearsal;
    const stop = agent.on((event) => {
      if (event.type === "output") void agent.interrupt();
    });
    expect((await agent.prompt("first")).outcome).toBe("interrupted");
    stop();
    write("person.txt", "edited");
    await agent.prompt("second");
    expect(await attributed(rehearsal)).toEqual([
      ["tool.txt", "timeline"],
      ["person.txt", "outside"],
    ]);
  });

  it("is the outside before a failed turn continues", async () => {
    const rehearsal = await rehearse(scripted(bash("echo tool > tool.txt"), FAILURE, { text: "two" }), {
      clock: new HurriedClock(),
    });
    const { agent, write } = rehearsal;
    expect((await agent.prompt("first")).outcome).toBe("failed");
    write("person.txt", "edited");
    expect((await agent.resume("continue")).outcome).toBe("done");
    expect(await attributed(rehearsal)).toEqual([
      ["tool.txt", "timeline"],
      ["person.txt", "outside"],
    ]);
  });

  it("is the outside before a turn continues in another process, and no change is missed", async () => {
    const first = await rehearse(scripted(bash("echo tool > tool.txt"), FAILURE, { text: "two" }), {
      clock: new HurriedClock(),
    });
    expect((await first.agent.prompt("first")).outcome).toBe("failed");
    const rehearsal = await first.again();
    rehearsal.write("person.txt", "edited");
    expect((await rehearsal.agent.resume("continue")).outcome).toBe("done");
    expect(await attributed(rehearsal)).toEqual([
      ["tool.txt", "timeline"],
      ["person.txt", "outside"],
    ]);
  });
});
