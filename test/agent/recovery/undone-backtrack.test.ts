import { describe, expect, it } from "vitest";
import { scripted } from "../../../src/testing/model-server/script.ts";
import { stage } from "../support/stage.ts";

describe("a backtrack that a crash cut off right after its result", () => {
  it("is reported as not carried out when the turn continues", async () => {
    const { agent, session, server } = await stage({
      files: "off",
      responder: scripted({ text: "still here" }),
    });
    await session.prompt("find it");
    await session.step();
    const input = { checkpoint_id: 2, note: "nothing there" };
    const call = { type: "tool-call", call: "b1", name: "Backtrack", input } as const;
    await session.reply({ model: "m", parts: [call] });
    await session.toolEnd("b1", "ok", "Going back to checkpoint 2.");
    expect(await agent.resume("continue")).toMatchObject({ outcome: "done", answer: "still here" });
    expect(server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
    expect(JSON.stringify(server.requests[0]?.messages)).toContain("The backtrack above was not carried out");
  });

  it("reports nothing if the user has brought the branch back themselves", async () => {
    const { agent, session, server } = await stage({
      responder: scripted(
        { calls: [{ name: "Glob", input: { pattern: "*" } }] },
        { calls: [{ name: "Backtrack", input: { checkpoint_id: 2, note: "a dead end" } }] },
        { text: "done" },
        { text: "and now" },
      ),
    });
    await agent.prompt("find it");
    const [backtrack] = await session.journeys();
    await session.redo(backtrack?.entry.id);
    expect(await agent.prompt("go on")).toMatchObject({ outcome: "done", answer: "and now" });
    expect(JSON.stringify(server.requests.at(-1)?.messages)).not.toContain("was not carried out");
  });
});
