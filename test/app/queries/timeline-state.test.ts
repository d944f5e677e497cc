import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { statsOf } from "../../../src/machine/queries/sessions.ts";
import { textPart } from "../../../src/record/parts.ts";
import { workshop } from "../../cli/support/workshop.ts";
import { type OpenWorkshop, openWorkshop, turn, usage } from "../journeys/open-workshop.ts";

describe("the state of the timeline", () => {
  it("is that of a session in which nothing happened", async () => {
    const { looking, session } = await openWorkshop();
    expect(await looking.state()).toEqual({
      checkpoint: 0,
      contextTokens: session().tokenCount,
      branchesLeft: 0,
      leftByBacktracks: 0,
      savedTokens: 0,
      snapshots: { state: "on" },
      redoable: 0,
    });
  });

  it("follows the checkpoint of the branch, the title and git's branch", async () => {
    const { looking, session, put, workspace } = await openWorkshop();
    mkdirSync(join(workspace, ".git"));
    writeFileSync(join(workspace, ".git", "HEAD"), "ref: refs/heads/topic/x\n");
    await turn(session(), "find the leak", () => put("a.txt", "1\n"));
    expect(await looking.state()).toMatchObject({
      title: "find the leak",
      checkpoint: 3,
      gitBranch: "topic/x",
    });
    await session().retitle("Leaks");
    expect(await looking.state()).toMatchObject({ title: "Leaks", contextTokens: session().tokenCount });
  });

  it("counts branches that were left, and journeys that can be undone", async () => {
    const { looking, journeys, session, put } = await openWorkshop();
    await turn(session(), "one", () => put("a.txt", "1\n"));
    await turn(session(), "two", () => put("a.txt", "2\n"));
    const counts = async () => {
      const { branchesLeft, redoable, checkpoint } = await looking.state();
      return { branchesLeft, redoable, checkpoint };
    };
    expect(await counts()).toEqual({ branchesLeft: 0, redoable: 0, checkpoint: 6 });
    await journeys.rewind({ session: session().id, number: 4, scope: "both" });
    expect(await counts()).toEqual({ branchesLeft: 1, redoable: 1, checkpoint: 4 });
    await journeys.rewind({ session: session().id, number: 1, scope: "conversation" });
    expect(await counts()).toEqual({ branchesLeft: 2, redoable: 2, checkpoint: 1 });
    await journeys.redo({});
    expect(await counts()).toEqual({ branchesLeft: 2, redoable: 1, checkpoint: 4 });
    await journeys.redo({});
    expect(await counts()).toEqual({ branchesLeft: 2, redoable: 0, checkpoint: 6 });
  });

  it("does not count a journey of files alone as a branch", async () => {
    const { looking, journeys, session, put } = await openWorkshop();
    await turn(session(), "one", () => put("a.txt", "1\n"));
    await journeys.rewind({ session: session().id, number: 1, scope: "files" });
    expect(await looking.state()).toMatchObject({ branchesLeft: 0, redoable: 1, checkpoint: 3 });
  });

  it("says what became of the files", async () => {
    const { looking, session, put } = await openWorkshop();
    put("a.txt", "1\n");
    const { checkpoint } = await session().prompt("one");
    expect((await looking.state()).snapshots).toEqual({ state: "capturing" });
    await session().capture({ checkpoint, author: "outside" });
    expect((await looking.state()).snapshots).toEqual({ state: "on" });
    const number = await session().step();
    const told = { kind: "snapshot", checkpoint: number, author: "timeline" } as const;
    await session().append({ ...told, state: "none", why: "the disk is full" });
    expect((await looking.state()).snapshots).toEqual({ state: "failed", why: "the disk is full" });
  });

  it("says that files are switched off", async () => {
    const place = workshop();
    place.write("user", JSON.stringify({ enableFileCheckpointing: false }));
    const { looking } = await openWorkshop(place);
    expect((await looking.state()).snapshots).toEqual({
      state: "off",
      error: expect.objectContaining({ reason: "checkpointing-off" }),
    });
  });
});

describe("what is counted while the log grows", () => {
  it("saves the tokens that the statistics count, whenever it is asked", async () => {
    const place = await openWorkshop();
    const { looking, session } = place;
    await wander(place, 3);
    const { backtracks } = await statsOf(session());
    expect(backtracks.count).toBe(3);
    expect(backtracks.saved).toBeGreaterThan(0);
    expect((await looking.state()).savedTokens).toBe(backtracks.saved);
    const [a, b] = await Promise.all([looking.state(), looking.state()]);
    expect([a.savedTokens, b.savedTokens]).toEqual([backtracks.saved, backtracks.saved]);
    await wander(place, 2);
    expect((await looking.state()).savedTokens).toBe((await statsOf(session())).backtracks.saved);
  });

  it("costs what the model calls cost whose price is known", async () => {
    const place = workshop();
    place.write("user", JSON.stringify({ models: { "scripted/one": { input: 10, output: 100 } } }));
    const { looking, session } = await openWorkshop(place);
    expect(await looking.state()).not.toHaveProperty("cost");
    const reply = () => session().reply({ model: "scripted/one", parts: [textPart("Yes.")], usage });
    await session().prompt("one");
    await reply();
    expect((await looking.state()).cost).toBeCloseTo(0.013, 6);
    await reply();
    await session().reply({ model: "other/one", parts: [textPart("Yes.")], usage });
    expect((await looking.state()).cost).toBeCloseTo(0.026, 6);
  });
});

/** Plays turns that each read a lot in one step, backtrack from it, and answer. */
async function wander({ session, looking }: OpenWorkshop, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await session().prompt(`look ${time}`);
    const start = await session().step();
    await session().reply({ model: "scripted/one", parts: [call("Read")], usage });
    await session().toolStart("c", "Read");
    await session().toolEnd("c", "ok", "noise ".repeat(2_000));
    await session().step();
    await session().reply({ model: "scripted/one", parts: [call("Backtrack")] });
    await session().toolStart("c", "Backtrack");
    await session().requestBacktrack("c", { to: start, note: `it is not there, ${time}`, files: "keep" });
    await session().endStep();
    if (time % 2 === 0) await looking.state();
    await session().step();
    await session().reply({ model: "scripted/one", parts: [textPart("Found.")] });
  }
}

function call(name: string) {
  return { type: "tool-call", call: "c", name, input: {} } as const;
}
