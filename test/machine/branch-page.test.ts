import { describe, expect, it } from "vitest";
import { branchPage } from "../../src/machine/view.ts";
import type { EntryId } from "../../src/record/ids.ts";
import { begin, openSessionDeps, refusal, step } from "./deps.ts";

describe("a page of the branch", () => {
  it("is its newest entries, then those before them, up to the first", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("one");
    await step(session, "two", "a");
    const lines = async (request: Parameters<typeof branchPage>[1]) => {
      const { entries, more } = await branchPage(session, request);
      return [entries.map(({ kind }) => kind), more];
    };
    expect(await lines({ count: 3 })).toEqual([["reply", "tool-start", "tool-end"], "yes"]);
    const [first] = (await branchPage(session, { count: 3 })).entries;
    const before = first?.id as EntryId;
    expect(await lines({ before, count: 3 })).toEqual([["checkpoint", "prompt", "step"], "yes"]);
    expect(await lines({ before, count: 4 })).toEqual([["session", "checkpoint", "prompt", "step"], "no"]);
    expect(await lines({ count: 100 })).toEqual([
      ["session", "checkpoint", "prompt", "step", "reply", "tool-start", "tool-end"],
      "no",
    ]);
    expect(await refusal(branchPage(session, { before: "000000000000" as EntryId, count: 1 }))).toMatch(
      /^ENTRY_UNKNOWN/u,
    );
  });

  it("leaves out what a journey left", async () => {
    const session = await begin(openSessionDeps());
    const { checkpoint } = await session.prompt("one");
    await step(session, "wrong");
    await session.rewind(checkpoint);
    await session.prompt("two");
    const { entries } = await branchPage(session, { count: 10 });
    expect(entries.map(({ kind }) => kind)).toEqual([
      "session",
      "checkpoint",
      "rewind",
      "checkpoint",
      "prompt",
    ]);
  });

  it("reads as many lines as it holds, however long the branch", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    for (let turn = 0; turn < 50; turn += 1) await session.prompt(`prompt ${turn}`);
    deps.reads.lines = 0;
    await branchPage(session, { count: 7 });
    expect(deps.reads.lines).toBe(7);
  });
});
