import { describe, expect, it } from "vitest";
import { leftBehindBy } from "../../../src/machine/queries/left-behind.ts";
import { begin, openSessionDeps, reply, step } from "../deps.ts";

describe("what a backtrack left", () => {
  it("is counted as its card counted it, with the prompt that it returned to", async () => {
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
    const { entries, tokens, journey } = end;
    expect(entries).toBeGreaterThan(5);
    expect(await leftBehindBy(session, journey)).toEqual({ entries, tokens, prompt: "Find the leak." });
  });

  it("does not count how far another agent got", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("Find the leak.", { kind: "host", host: "claude", hostSession: "x", message: "1" });
    const to = await session.step();
    for (const call of ["a", "back"]) {
      await session.reply({ model: "m", parts: reply("", call) });
      if (call === "a") await session.toolEnd(call, "ok", "done");
      await session.append({ kind: "host", host: "claude", hostSession: "x", message: call });
    }
    await session.requestBacktrack("back", { to, note: "It is in the pool.", files: "keep" });
    expect(await session.endStep()).toMatchObject({ status: "carried-out", entries: 4 });
  });

  it("is nothing if the entry is not a backtrack", async () => {
    const session = await begin(openSessionDeps());
    const { entry } = await session.prompt("Find the leak.");
    expect(await leftBehindBy(session, entry)).toBeUndefined();
  });
});
