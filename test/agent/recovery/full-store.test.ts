import { describe, expect, it } from "vitest";
import { realDisk } from "../../../src/disk/disk.ts";
import { turnStateOf } from "../../../src/machine/queries/recap.ts";
import type { EntryKind } from "../../../src/record/entry.ts";
import { scripted } from "../../../src/testing/model-server/script.ts";
import { FailingDisk } from "../../../src/testing/testing.ts";
import { HurriedClock } from "./clocks.ts";
import { type Rehearsal, rehearse } from "./rehearsal.ts";

const COMMAND = { calls: [{ name: "Bash", input: { command: "echo ran >> runs.txt" } }] };

/** Fills the disk as soon as an entry of this kind was emitted; when `told` is undefined, from the start. */
async function fullBehind(told: EntryKind | undefined): Promise<Rehearsal & { readonly disk: FailingDisk }> {
  const disk = new FailingDisk(realDisk);
  const rehearsal = await rehearse(scripted(COMMAND, { text: "It went on." }), {
    disk,
    clock: new HurriedClock(),
  });
  const fill = (): void => {
    disk.faults = ({ name }) => (name === "write" ? { errno: "ENOSPC", partial: 7 } : undefined);
  };
  if (told === undefined) fill();
  const stop = rehearsal.agent.on((event) => {
    if (event.type !== "entry" || event.entry.kind !== told) return;
    fill();
    stop();
  });
  return { ...rehearsal, disk };
}

function makeRoom(disk: FailingDisk): void {
  disk.faults = () => undefined;
}

describe("a store without room", () => {
  it.each([
    { at: "the prompt", behind: undefined, asked: 0, ran: undefined, after: "ran\n" },
    { at: "the step", behind: "prompt", asked: 0, ran: undefined, after: "ran\n" },
    { at: "the reply", behind: "step", asked: 1, ran: undefined, after: undefined },
    { at: "the tool's start", behind: "reply", asked: 1, ran: undefined, after: undefined },
    { at: "the tool's end", behind: "tool-start", asked: 1, ran: "ran\n", after: "ran\n" },
  ] as const)(
    "ends the turn at $at, and it goes on when there is room",
    async ({ behind, asked, ran, after }) => {
      const { agent, server, read, disk, session } = await fullBehind(behind);
      expect(await agent.prompt("go")).toMatchObject({ outcome: "failed", error: { code: "STORE_FULL" } });
      expect([server.requests.length, read("runs.txt")]).toEqual([asked, ran]);

      makeRoom(disk);
      expect((await turnStateOf(session)).state).toBe("cut");
      expect(await agent.resume("continue")).toMatchObject({ outcome: "done" });
      expect(server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
      // The model asked for the command once. A call that did not run when the turn ended is not run later.
      expect(read("runs.txt")).toBe(after);
      expect((await session.history()).filter(({ kind }) => kind === "prompt")).toHaveLength(1);
    },
  );

  it("does not let a tool run whose start is not written, and says so instead of calling it open", async () => {
    const { agent, server, disk, session, read } = await fullBehind("reply");
    await agent.prompt("go");
    makeRoom(disk);
    expect(await turnStateOf(session)).toMatchObject({
      openCalls: [],
      finishedCalls: [{ name: "Bash" }],
      unstartedCalls: [],
    });
    expect(await agent.resume("continue")).toMatchObject({ outcome: "done", answer: "It went on." });
    const results = server.requests.at(-1)?.messages.flatMap(({ results: all }) => all) ?? [];
    expect(results.map(({ text }) => text.split("\n")[0])).toEqual([
      expect.stringContaining("Not started: its start could not be written"),
    ]);
    expect(read("runs.txt")).toBe(undefined);
  });

  it("is reported when it fills up and when it has room again", async () => {
    const { agent, disk, events } = await fullBehind("tool-start");
    await agent.prompt("go");
    expect(events.filter(({ type }) => type === "warning")).toContainEqual(
      expect.objectContaining({ code: "STORE_FULL" }),
    );
    makeRoom(disk);
    expect(await agent.resume("retry")).toMatchObject({ outcome: "done" });
  });
});
