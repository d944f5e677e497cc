import { describe, expect, it } from "vitest";
import { leftPart } from "../../../src/machine/queries/left-behind.ts";
import type { EntryId } from "../../../src/record/ids.ts";
import { begin, openSessionDeps, step } from "../deps.ts";

describe("the part that a journey left", () => {
  it("is shown once, however often the user goes back and forth between two branches", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("Find the leak.");
    const to = await step(session, "Looking.", "a");
    await step(session, "Still looking.", "b");
    await session.step();
    await session.reply({
      model: "m",
      parts: [{ type: "tool-call", call: "back", name: "Backtrack", input: {} }],
    });
    await session.requestBacktrack("back", { to, note: "It is in the pool.", files: "keep" });
    const end = await session.endStep();
    if (end.status !== "carried-out") throw new Error("It did not go back.");
    await step(session, "In the pool.", "c");
    const backtrack = end.journey;
    const said = async (journey: EntryId): Promise<readonly string[]> =>
      ((await leftPart(session, journey)) ?? []).flatMap((entry) =>
        entry.kind === "reply"
          ? entry.parts.flatMap((part) => (part.type === "text" ? [part.text] : []))
          : [],
      );
    expect(await said(backtrack)).toEqual(["Looking.", "Still looking."]);

    const there = (await session.redo({ wanted: backtrack })).journey;
    expect([await said(backtrack), await said(there)]).toEqual([[], ["In the pool."]]);

    const back = (await session.redo({ wanted: there })).journey;
    expect([await said(backtrack), await said(there), await said(back)]).toEqual([
      ["Looking.", "Still looking."],
      [],
      [],
    ]);

    const again = (await session.redo({ wanted: back })).journey;
    expect([await said(there), await said(back), await said(again)]).toEqual([["In the pool."], [], []]);
  });
});
