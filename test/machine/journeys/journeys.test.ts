import { describe, expect, it } from "vitest";
import type { Session } from "../../../src/machine/session.ts";
import { textPart } from "../../../src/record/parts.ts";
import { contextTokens } from "../../../src/timeline/token-count.ts";
import { estimateTokens } from "../../../src/timeline/token-estimate.ts";
import { begin, kinds, openSessionDeps, refusal, reopen, reply, says, step } from "../deps.ts";

async function twoTurns(settings = {}): Promise<Session> {
  const session = await begin(openSessionDeps(settings));
  await session.prompt("first");
  await step(session, "one", "a");
  await session.prompt("second");
  await step(session, "two", "b");
  return session;
}

describe("rewinding", () => {
  it("gives the prompt back and takes the conversation to before it", async () => {
    const session = await twoTurns();
    expect(await session.rewind(3)).toMatchObject({
      to: 3,
      prompt: [textPart("second")],
      promptStart: "second",
    });
    expect((await says(session)).at(-1)).toBe("a ok: a done");
  });

  it("to a step or a manual checkpoint gives no prompt back", async () => {
    const session = await twoTurns();
    const manual = await session.checkpoint("here");
    const result = await session.rewind(2);
    expect(result).not.toHaveProperty("prompt");
    expect(await session.rewind(manual)).toMatchObject({ promptStart: "" });
  });

  it("costs one line, however long the session is", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.checkpoint();
    await Promise.all(Array.from({ length: 2_000 }, async (_, n) => session.retitle(`t${n}`)));
    const [appends, length] = [deps.appends.length, session.outline.length];
    await session.rewind(1);
    expect(deps.appends.slice(appends)).toEqual([["rewind"]]);
    expect(session.outline.length).toBe(length + 1);
  });

  it("to a place that does not exist changes nothing", async () => {
    const session = await twoTurns();
    const length = session.outline.length;
    for (const to of [-1, 0, 99, Number.NaN]) {
      expect(await refusal(session.rewind(to))).toContain("CHECKPOINT_UNKNOWN");
    }
    expect(session.outline.length).toBe(length);
  });
});

describe("redoing", () => {
  it("brings back the very same context, also after a restart and more messages", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.prompt("first");
    await step(session, "one", "a");
    const before = JSON.stringify(await session.context());
    const { journey } = await session.rewind(1);
    await session.prompt("instead");
    const again = await reopen(deps, session);
    expect(await refusal(again.redo())).toBe("NOTHING_TO_REDO Nothing to redo.");
    await again.redo(journey);
    expect(JSON.stringify(await again.context())).toBe(before);
  });

  it("without a name walks forward over what was gone back, until there is nothing more", async () => {
    const session = await twoTurns();
    const before = JSON.stringify(await session.context());
    const { journey: first } = await session.rewind(3);
    const between = JSON.stringify(await session.context());
    const { journey: second } = await session.rewind(1);
    await session.retitle("a title is no work");
    expect(await session.redo()).toMatchObject({ undone: second });
    expect(JSON.stringify(await session.context())).toBe(between);
    expect(await session.redo()).toMatchObject({ undone: first });
    expect(JSON.stringify(await session.context())).toBe(before);
    expect(await refusal(session.redo())).toBe("NOTHING_TO_REDO Nothing to redo.");
  });

  it("undoes any journey that is named, and lists what became of each", async () => {
    const session = await twoTurns();
    const { journey: first } = await session.rewind(3);
    const { journey: second } = await session.rewind(1);
    expect(await session.redo(first)).toMatchObject({ undone: first });
    expect((await says(session)).at(-1)).toBe("b ok: b done");
    expect((await session.journeys()).map(({ entry, state }) => [entry.id, entry.kind, state])).toEqual([
      [first, "rewind", "undone"],
      [second, "rewind", "open"],
      [session.outline.head?.id, "redo", "open"],
    ]);
    expect(await refusal(session.redo(first))).toContain("was already undone");
  });
});

describe("compacting", () => {
  it("replaces the start with the summary, keeps the last prompt, and grows the log by one line", async () => {
    const deps = openSessionDeps({ keepExchanges: 1 });
    const session = await begin(deps);
    await session.prompt("task");
    for (const call of ["a", "b", "c"]) await step(session, call, call);
    const length = session.outline.length;
    await session.compact({ summary: "a and b were read" });
    expect(session.outline.length).toBe(length + 1);
    const [summary, ...rest] = await says(session);
    expect(summary).toMatch(/\n\n> a and b were read\|$/u);
    expect(rest).toEqual(["user: task", "assistant: c +read(c)", "c ok: c done"]);
  });

  it("is undone by rewinding to before it", async () => {
    const session = await twoTurns({ keepExchanges: 1 });
    const at = await session.checkpoint();
    const before = await session.context();
    await session.compact({ summary: "short" });
    await session.prompt("more");
    await session.rewind(at);
    expect(await session.context()).toEqual(before);
    await session.redo();
    expect((await says(session))[0]).toContain("short");
  });

  it("keeps the prompt of a long turn through every further compaction", async () => {
    const session = await begin(openSessionDeps({ keepExchanges: 1 }));
    await session.prompt("the task");
    for (let round = 0; round < 4; round += 1) {
      for (const call of ["a", "b"]) await step(session, "", `${call}${round}`);
      await session.compact({ summary: `round ${round}` });
      expect((await says(session))[1]).toBe("user: the task");
    }
  });

  it("keeps what the user asked on a branch that a backtrack left", async () => {
    const session = await begin(openSessionDeps({ keepExchanges: 1 }));
    await session.prompt("the task");
    const to = await session.step();
    await session.reply({ model: "m", parts: reply("", "back") });
    await session.requestBacktrack("back", { to, note: "n", files: "keep" });
    await session.prompt("use tabs");
    await session.endStep();
    for (const call of ["a", "b", "c"]) await step(session, "", call);
    await session.compact({ summary: "short" });
    expect((await says(session))[1]).toContain("use tabs");
  });

  it("is refused when there is nothing to compact, or no summary, and changes nothing", async () => {
    const session = await twoTurns();
    const before = await kinds(session);
    expect(await refusal(session.compact({ summary: "short" }))).toBe(
      "NOTHING_TO_COMPACT Nothing to compact.",
    );
    expect(await refusal(session.compact({ summary: " " }))).toContain("INPUT_INVALID The summary is empty.");
    expect(await kinds(session)).toEqual(before);
  });
});

describe("the token count", () => {
  /**
   * The expected count when the provider gives none: the estimate of everything that is sent, message by
   * message.
   */
  async function reference(session: Session): Promise<number> {
    const { system, messages } = await session.context();
    const texts = messages.map((message) => {
      const parts = message.parts.map((part) => (part.type === "text" ? estimateTokens(part.text) : 0));
      const calls = message.parts.filter((part) => part.type === "tool-call").length;
      return 4 + calls * 9 + parts.reduce((sum, count) => sum + count, 0);
    });
    return estimateTokens(system) + texts.reduce((sum, count) => sum + count, 0);
  }

  it("is that of the context after every journey", async () => {
    const session = await begin(openSessionDeps({ keepExchanges: 1 }));
    const check = async () => expect(session.tokenCount).toBeCloseTo(await reference(session), -1);
    const counts: number[] = [];
    await session.prompt("find the leak in the connection pool");
    for (const call of ["a", "b", "c"]) await step(session, "I look further into it", call);
    await check();
    counts.push(session.tokenCount);
    await session.rewind(3);
    await check();
    await session.redo();
    await check();
    counts.push(session.tokenCount);
    await session.compact({ summary: "It is in pool.ts, line 40." });
    await check();
    await session.prompt("fix it");
    await check();
    await session.rewind(1);
    await check();
    expect(counts[0]).toBe(counts[1]);
  });

  it("is the provider's if it counted, whatever branch the head is on", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("a");
    await session.step();
    const usage = (input: number, output: number) => ({ input, output, cacheRead: 0, cacheWrite: 0 });
    await session.reply({ model: "m", parts: reply("one"), usage: usage(10_000, 50) });
    expect(session.tokenCount).toBe(10_050);
    const manual = await session.checkpoint();
    await session.prompt("b");
    await session.step();
    await session.reply({ model: "m", parts: reply("two"), usage: usage(20_000, 70) });
    expect(session.tokenCount).toBe(20_070);
    await session.rewind(manual);
    expect(session.tokenCount).toBe(10_050);
    await session.redo();
    expect(session.tokenCount).toBe(20_070);
    expect(contextTokens(session.outline, session.outline.at(4))).toBeLessThan(10_050);
  });
});
