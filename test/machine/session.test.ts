import { describe, expect, it } from "vitest";
import { holdSession } from "../../src/machine/open.ts";
import { textPart } from "../../src/record/parts.ts";
import { begin, kinds, openSessionDeps, refusal, reopen, reply, says, step } from "./deps.ts";

describe("a session", () => {
  it("keeps a turn as it happened", async () => {
    const session = await begin(openSessionDeps());
    expect(await session.prompt("find the leak")).toMatchObject({ checkpoint: 1 });
    expect(await step(session, "I look", "a")).toBe(2);
    expect(await step(session, "It is in pool.ts.")).toBe(3);
    expect(await kinds(session)).toEqual([
      "session",
      "checkpoint",
      "prompt",
      "step",
      "reply",
      "tool-start",
      "tool-end",
      "step",
      "reply",
    ]);
    expect(await says(session)).toEqual([
      "user: find the leak |Checkpoint 2, context 0 %|",
      "assistant: I look +read(a)",
      "a ok: a done |Checkpoint 3, context 0 %|",
      "assistant: It is in pool.ts.",
    ]);
  });

  it("has its title and labels over the whole log: a rewind un-names nothing", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("a");
    await session.retitle("The leak");
    const number = await session.checkpoint("before refactoring");
    await session.rewind(1);
    expect(await session.title()).toBe("The leak");
    expect((await session.checkpoints()).at(-1)).toMatchObject({
      number,
      on: "manual",
      branch: "left",
      label: "before refactoring",
    });
  });

  it("takes a label away when it is given an empty one, and the newest name wins", async () => {
    const session = await begin(openSessionDeps());
    await session.checkpoint("one");
    await session.label(1, "two");
    expect([...(await session.labels()).values()]).toEqual(["two"]);
    await session.label(1, "");
    expect((await session.labels()).size).toBe(0);
    expect((await session.checkpoints())[0]).not.toHaveProperty("label");
  });

  it.each(["7", " 12 ", "s123:4", "two\nlines", "", "x".repeat(101)])(
    "refuses %j as a label, and makes no checkpoint",
    async (label) => {
      const session = await begin(openSessionDeps());
      expect(await refusal(session.checkpoint(label))).toContain("LABEL_INVALID");
      expect(session.outline.length).toBe(1);
    },
  );

  it.each([
    ["be\u200bfore", "<U+200B>"],
    ["before\u{e0041}", "<U+E0041>"],
    ["a\u202eb", "<U+202E>"],
    ["a\u00a0b", "<U+00A0>"],
    ["\u3164", "<U+3164>"],
    ["a\ud800", "<U+D800>"],
    [" before", "space"],
    ["before ", "space"],
    ["\u0301before", "begins with a combining character"],
  ])("refuses %j as a label, which looks like another one, and says why", async (label, why) => {
    const session = await begin(openSessionDeps());
    const error = await session.checkpoint(label).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "LABEL_INVALID", message: expect.stringContaining(why) });
    expect((error as Error).message).not.toMatch(/[\u200b\u{e0041}\u202e\ud800]/u);
  });

  it.each(["vor dem Umbau", "重构　之前", "قبل می\u200cخواهم", "ก่อน", "👩‍👩‍👧 ok", "क्‍ष"])(
    "takes %j as a label",
    async (label) => {
      const session = await begin(openSessionDeps());
      await session.checkpoint(label);
      expect([...(await session.labels()).values()]).toEqual([label]);
    },
  );

  it("keeps a label and a title in their composed form", async () => {
    const session = await begin(openSessionDeps());
    await session.checkpoint("cafe\u0301");
    await session.retitle("cafe\u0301");
    expect([...(await session.labels()).values(), await session.title()]).toEqual(["caf\u00e9", "caf\u00e9"]);
  });

  it("refuses a title with something in it that cannot be seen", async () => {
    const session = await begin(openSessionDeps());
    await expect(session.retitle("the\u200b leak")).rejects.toMatchObject({
      code: "INPUT_INVALID",
      message: expect.stringContaining("<U+200B>"),
    });
  });

  it("refuses to label a checkpoint that is not there", async () => {
    const session = await begin(openSessionDeps());
    expect(await refusal(session.label(1, "x"))).toContain("CHECKPOINT_UNKNOWN");
  });

  it("lists its checkpoints with the start of their prompts", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt([
      { type: "image", mediaType: "image/png", data: "" },
      textPart(`first\nline ${"x".repeat(90)}`),
    ]);
    await session.step();
    await session.checkpoint();
    const shown = (await session.checkpoints()).map(({ number, on, prompt }) => ({ number, on, prompt }));
    const start = `first line ${"x".repeat(69)}`;
    expect(shown).toEqual([
      { number: 1, on: "prompt", prompt: start },
      { number: 2, on: "step", prompt: start },
      { number: 3, on: "manual", prompt: undefined },
    ]);
  });

  it("is as it was when it is opened again: head, numbers, tokens, context and names", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.prompt("a");
    await session.step();
    const usage = { input: 900, output: 40, cacheRead: 0, cacheWrite: 0 };
    await session.reply({ model: "m", parts: reply("one", "a"), usage });
    await session.toolEnd("a", "ok", "much text ".repeat(50));
    await session.checkpoint("here");
    await session.rewind(2);
    await session.redo();
    await session.retitle("t");
    const seen = async (of: typeof session) => ({
      head: of.outline.head,
      context: await of.context(),
      tokens: of.tokenCount,
      checkpoints: await of.checkpoints(),
      journeys: await of.journeys(),
      title: await of.title(),
    });
    const before = await seen(session);
    const again = await reopen(deps, session);
    expect(await seen(again)).toEqual(before);
    expect(await again.checkpoint()).toBe(4);
  });
});

describe("a tool call that did not finish", () => {
  it("is reported with its step, and filled in for the model", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.prompt("a");
    await session.step();
    await session.reply({ model: "m", parts: reply("", "a", "b") });
    await session.toolStart("a", "Bash");
    await session.toolStart("b", "Write");
    await session.toolEnd("a", "ok", "done");
    const again = await reopen(deps, session);
    expect(await again.unfinished()).toEqual({ step: 2, calls: [{ call: "b", name: "Write" }] });
    expect((await says(again)).at(-1)).toBe(
      "b interrupted: Interrupted; it is not known whether it took effect.",
    );
  });

  it("is reported also when a prompt came while it was running", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("a");
    await session.step();
    await session.reply({ model: "m", parts: reply("", "a") });
    await session.toolStart("a", "Bash");
    await session.prompt("and hurry");
    expect(await session.unfinished()).toEqual({ step: 2, calls: [{ call: "a", name: "Bash" }] });
  });

  it("is not reported again after the next step, nor on a branch that was left", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("a");
    await session.step();
    await session.reply({ model: "m", parts: reply("", "a") });
    await session.toolStart("a", "Bash");
    await session.prompt("go on");
    await session.step();
    expect(await session.unfinished()).toBeUndefined();
    await session.rewind(1);
    expect(await session.unfinished()).toBeUndefined();
  });

  it("is reported in a session that never took a step", async () => {
    const session = await begin(openSessionDeps());
    await session.toolStart("a", "Bash");
    expect(await session.unfinished()).toEqual({ step: 0, calls: [{ call: "a", name: "Bash" }] });
  });
});

describe("the published list of checkpoints", () => {
  it("is the newest first, with labels, prompts, or the time", async () => {
    const deps = openSessionDeps({ keepCheckpoints: 3 });
    const session = await begin(deps);
    await session.prompt("one");
    await session.prompt("two");
    await session.checkpoint();
    await session.checkpoint("named");
    await session.close();
    const timestamp = "2026-01-01T00:00:00.000Z";
    const time = new Date(timestamp).toTimeString().slice(0, 8);
    const sessionId = session.id;
    expect(deps.published.at(-1)).toEqual([
      { id: `${sessionId}:4`, timestamp, description: "named", sessionId },
      { id: `${sessionId}:3`, timestamp, description: `Checkpoint at ${time}`, sessionId },
      { id: `${sessionId}:2`, timestamp, description: "two", sessionId },
    ]);
  });

  it("ends with the newest list when 200 checkpoints are made at once", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await Promise.all(Array.from({ length: 200 }, async () => session.checkpoint()));
    await session.close();
    const numbers = deps.published.at(-1)?.map(({ id }) => Number(id.split(":")[1]));
    expect(numbers).toEqual([200, 199, 198, 197, 196, 195, 194, 193, 192, 191]);
  });

  it("costs no more in a long session than in a short one", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    let open = session;
    /** Closing publishes what is due, so all reads during it are made for the list. */
    const costOfPrompt = async (): Promise<number> => {
      await open.prompt("p");
      deps.reads.lines = 0;
      await open.close();
      const { lines } = deps.reads;
      open = await holdSession(deps, session.id, { name: "test" });
      return lines;
    };
    for (let n = 0; n < 12; n += 1) await open.checkpoint(`label ${n}`);
    const early = await costOfPrompt();
    for (let n = 0; n < 200; n += 1) await open.checkpoint(`label ${n} again`);
    expect(early).toBeGreaterThan(0);
    expect(await costOfPrompt()).toBeLessThanOrEqual(early + 1);
    await open.close();
  });

  it("may be lost to a full disk, but costs no entry", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    const { WorldlineError } = await import("../../src/record/error.ts");
    Object.assign(deps.store, {
      publish: async () => {
        throw new WorldlineError("stated", { code: "STORE_FULL", message: "There is no room." });
      },
    });
    expect(await session.prompt("a")).toMatchObject({ checkpoint: 1 });
    await session.close();
    expect((await reopen(deps, session)).checkpointCount).toBe(1);
  });
});
