import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { holdSession, newHeader } from "../../../src/machine/open.ts";
import { openSession } from "../../../src/open-session.ts";
import { textPart } from "../../../src/record/parts.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import { playground } from "../support/command-line.ts";
import { tellConversation } from "../support/conversation.ts";

const models = JSON.stringify({
  models: { "p/m": { window: 1_000, input: 10, output: 100, cacheRead: 1, cacheWrite: 20 } },
});

/** Two replies of a model with a known price, and one of a model without. */
async function counted() {
  const place = playground();
  const { home, workspace } = place;
  place.write("user", models);
  const session = await openSession({ home, workspace, system: "Be brief." });
  await session.prompt("Hello.");
  for (const [model, input] of [
    ["p/m", 1_000],
    ["p/m", 2_000],
    ["p/x", 500],
  ] as const) {
    await session.step();
    const usage = { input, output: 100, cacheRead: input / 2, cacheWrite: 100 };
    await session.reply({ model, parts: [textPart("Hi.")], usage });
  }
  await session.close();
  return { ...place, session: session.id };
}

describe("worldline stats", () => {
  it("shows tokens, cache and cost, and whose price is not known", async () => {
    const { worldline } = await counted();
    expect((await worldline("stats")).stdout.trimEnd().split("\n")).toEqual([
      "prompts      1",
      "steps        3",
      "replies      3 (p/m: 2, p/x: 1)",
      "tokens       3,500 in, 300 out",
      "cache        1,750 read, 300 written: 50% of the input came from the cache",
      "cost         $0.0385, excluding p/x, whose price is unknown (set one with the models setting)",
      "tool calls   0",
      "backtracks   0",
      "rewinds      0",
      "compactions  0",
    ]);
  });

  it("says what backtracks left and saved, and that it is an estimate", async () => {
    const { home, workspace, worldline } = playground();
    await tellConversation({ home, workspace });
    const lines = (await worldline("stats")).stdout.trimEnd().split("\n");
    expect(lines.slice(0, 10)).toEqual([
      "prompts      2",
      "steps        3",
      "replies      4 (scripted)",
      "tokens       no provider reported any usage",
      "tool calls   2",
      "  Backtrack  1",
      "  Read       1",
      expect.stringMatching(/^backtracks {3}1: 7 entries and 5,\d{3} tokens moved to other branches$/u),
      expect.stringMatching(/^saved {8}about 5,\d{3} tokens \(estimated\)$/u),
      "rewinds      0",
    ]);
    expect(lines.at(-1)).toMatch(/^Tokens: what backtracks removed from the context, counted once\./u);
  });

  it("gives the same as data", async () => {
    const { session, worldline } = await counted();
    const usage = { input: 3_000, output: 200, cacheRead: 1_500, cacheWrite: 200 };
    expect(JSON.parse((await worldline("stats --json")).stdout)).toEqual({
      session,
      sessions: 1,
      prompts: 1,
      steps: 3,
      replies: 3,
      uncounted: 0,
      tokens: { input: 3_500, output: 300, cacheRead: 1_750, cacheWrite: 300 },
      cacheHitRate: 0.5,
      cost: 0.0385,
      unpriced: ["p/x"],
      models: [
        { model: "p/m", replies: 2, uncounted: 0, usage, cost: 0.0385 },
        {
          model: "p/x",
          replies: 1,
          uncounted: 0,
          usage: { input: 500, output: 100, cacheRead: 250, cacheWrite: 100 },
          cost: null,
        },
      ],
      tools: [],
      backtracks: { count: 0, entries: 0, tokens: 0, saved: { tokens: 0, cost: null, basis: "estimate" } },
      rewinds: 0,
      redos: 0,
      compactions: [],
    });
  });

  it("adds up all sessions, of all workspaces", async () => {
    const { home, root, worldline } = await counted();
    await tellConversation({ home, workspace: root });
    const { stdout } = await worldline("stats --all --json");
    expect(JSON.parse(stdout)).toMatchObject({
      session: null,
      sessions: 2,
      prompts: 3,
      replies: 7,
      uncounted: 4,
    });
    expect((await worldline("stats --all")).stdout).toContain("sessions     2\n");
  });

  it("counts what sub-agents did with the session that they worked for, but not their prompts", async () => {
    const { home, workspace, session, worldline } = await counted();
    const store = openFilesStore({ root: home, clock: systemClock });
    const task = { session, call: "c" } as const;
    const header = { ...newHeader(systemClock, { workspace }), task };
    await store.create(header);
    const worker = await holdSession({ store, clock: systemClock }, header.session, { name: "a test" });
    await worker.prompt("Look into it.");
    const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0 };
    await worker.reply({ model: "p/m", parts: [textPart("Done.")], usage });
    await worker.close();
    expect(JSON.parse((await worldline(`stats --json --session ${session}`)).stdout)).toMatchObject({
      sessions: 2,
      prompts: 1,
      replies: 4,
      tokens: { input: 3_600 },
    });
  });

  it("has built-in prices only, and says so, when the settings cannot be read", async () => {
    const { write, worldline } = await counted();
    write("user", "{");
    const { code, stdout, stderr } = await worldline("stats");
    expect(code).toBe(0);
    expect(stdout).toContain("cost         unknown: no price for p/m, p/x");
    expect(stderr).toContain("warning:");
  });

  it.each([
    ["stats", 42, "there is no session in"],
    ["stats --all --session x", 42, "--all and --session cannot be used together."],
  ])("refuses %j where that means nothing", async (line, exit, why) => {
    const { code, stderr } = await playground().worldline(line);
    expect(code).toBe(exit);
    expect(stderr).toContain(why);
  });
});
