import { describe, expect, it } from "vitest";
import { type CompactionOptions, compactSession } from "../../../src/agent/compaction/compact-session.ts";
import type { Session } from "../../../src/machine/session.ts";
import { textPart } from "../../../src/record/parts.ts";
import { ManualClock } from "../../../src/testing/simulated-system.ts";
import { begin, kinds, openSessionDeps, step } from "../../machine/deps.ts";
import { summariser } from "./summariser.ts";

const long = (what: string): string => `${what}: ${"many words about it ".repeat(60)}`;

/** Builds a session with two prompts; the second takes five steps, each with a tool result. */
async function longSession(): Promise<Session> {
  const session = await begin(openSessionDeps({ window: 0 }));
  await session.prompt("Find the leak. Never touch docs/.");
  await step(session, long("I looked"), "a");
  await session.prompt("Now mend it.");
  await session.todos([{ text: "mend pool.ts", status: "doing" }]);
  for (const call of ["b", "c", "d", "e", "f"]) await step(session, long(`I read ${call}`), call);
  return session;
}

function optionsOf(session: Session, given: Partial<CompactionOptions> & Pick<CompactionOptions, "model">) {
  const { signal } = new AbortController();
  const clock = new ManualClock();
  return {
    session,
    keep: 2,
    reason: "asked",
    changedFiles: ["src/pool.ts"],
    signal,
    clock,
    ...given,
  } as const;
}

const usage = (times: number) => ({ input: 100 * times, output: 10 * times, cacheRead: 0, cacheWrite: 0 });

async function summaryOf(session: Session): Promise<string> {
  return (await session.entriesOf("compaction")).at(-1)?.summary ?? "";
}

describe("compacting a session", () => {
  it("replaces all but the last exchanges with the summary, and keeps what holds whatever it says", async () => {
    const session = await longSession();
    const before = session.tokenCount;
    const { messages } = await session.context();
    const model = summariser(["The leak is in pool.ts."]);
    const told = await compactSession(optionsOf(session, { model }));
    const after = session.tokenCount;
    expect(told).toEqual({ outcome: "done", before, after, model: "test/summariser", usage: usage(1) });
    expect(after).toBeLessThan(before / 2);
    expect((await summaryOf(session)).split("\n")).toEqual([
      "The leak is in pool.ts.",
      "",
      "Taken from the log, word for word:",
      "",
      "Todo list:",
      '- [doing] "mend pool.ts"',
      "",
      "Files changed so far:",
      '- "src/pool.ts"',
      "",
      "The user's messages, oldest first (general instructions still apply):",
      "- > Find the leak. Never touch docs/.",
    ]);
    const now = (await session.context()).messages;
    expect(now[1]).toEqual({ role: "user", parts: [textPart("Now mend it.")] });
    expect(now.filter(({ role }) => role === "assistant")).toEqual(
      messages.filter(({ role }) => role === "assistant").slice(-2),
    );
  });

  it("gives the summarizer the record in a frame, the request below it, and the focus", async () => {
    const session = await longSession();
    const model = summariser(["The leak is in pool.ts."]);
    await compactSession(optionsOf(session, { model, focus: "the tests" }));
    const { tag } = session.header;
    const [given = ""] = model.given;
    expect(given.startsWith(`<record-${tag}>\n[The user]\n> Find the leak. Never touch docs/.\n`)).toBe(true);
    const [record = "", wanted = ""] = given.split(`</record-${tag}>`);
    expect(record).toContain("I read d");
    expect(record).not.toContain("I read e");
    expect(record).not.toContain("Now mend it.");
    expect(wanted).toContain("The user wants the summary to cover this in particular detail: the tests");
    expect((await session.entriesOf("compaction")).at(-1)).toMatchObject({
      focus: "the tests",
      reason: "asked",
    });
  });

  it("summarizes an earlier summary again, without what was taken from the log", async () => {
    const session = await longSession();
    await compactSession(optionsOf(session, { model: summariser(["The leak is in pool.ts."]) }));
    for (const call of ["g", "h", "i"]) await step(session, long(`I read ${call}`), call);
    const model = summariser(["It is mended."]);
    expect(await compactSession(optionsOf(session, { model }))).toMatchObject({ outcome: "done" });
    expect(model.given[0]).toContain(
      "[Summary of the earlier work]\n> The leak is in pool.ts.\n\n[The agent]",
    );
    const summary = await summaryOf(session);
    expect(summary.match(/Taken from the log/gu)).toHaveLength(1);
    expect(summary).toContain("- > Find the leak. Never touch docs/.");
  });

  it("sends less each time it is tried again, and succeeds where that helps", async () => {
    const session = await longSession();
    const tooLong = { code: "CONTEXT_TOO_LONG", retry: "never" } as const;
    const model = summariser([tooLong, tooLong, "The leak is in pool.ts."]);
    expect(await compactSession(optionsOf(session, { model }))).toMatchObject({
      outcome: "done",
      usage: usage(1),
    });
    const [first = 0, second = 0, third = 0] = model.given.map((text) => text.length);
    expect([second < first, third < second]).toEqual([true, true]);
  });

  it("says that there is nothing to compact, and calls no model", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("Hello.");
    await step(session, "Hi.");
    const model = summariser(["?"]);
    expect(await compactSession(optionsOf(session, { model }))).toEqual({ outcome: "nothing" });
    expect(model.given).toEqual([]);
  });

  it("also says so if what must be kept is as long as the whole", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("Hello.");
    for (const call of ["a", "b", "c"]) await step(session, "Hi.", call);
    const changedFiles = Array.from({ length: 50 }, (_, index) => `src/file-${index}.ts`);
    const model = summariser(["Said hello."]);
    expect(await compactSession(optionsOf(session, { model, changedFiles }))).toEqual({ outcome: "nothing" });
    expect(model.given).toEqual([]);
  });
});

describe("a compaction that fails", () => {
  it.each([
    ["nothing", "", "it is empty", "empty"],
    ["thinking alone", [{ type: "thinking", text: "hm" }], "it contains only thinking", "only-thinking"],
    [
      "a longer text",
      (given: string) => `${given} ${given}`,
      "it is longer than the text it replaces",
      "longer",
    ],
    [
      "the instruction",
      (given: string) => given.replace(/[\s\S]*<\/record.*>/u, ""),
      "it only repeats the instructions",
      "instruction",
    ],
  ] as const)(
    "is tried three times when the summarizer says %s, then leaves everything unchanged",
    async (_, says, why, fault) => {
      const session = await longSession();
      const context = await session.context();
      const model = summariser([says]);
      expect(await compactSession(optionsOf(session, { model }))).toEqual({
        outcome: "failed",
        why: `The model's summary could not be used: ${why}.`,
        problem: { reason: "summary-unusable", params: { fault } },
        code: "MODEL_FAILED",
        attempts: 3,
        usage: usage(3),
      });
      expect(await session.context()).toEqual(context);
      expect((await session.entriesOf("error")).map(({ message }) => message)).toEqual([
        `The conversation could not be compacted. The model's summary could not be used: ${why}.`,
      ]);
    },
  );

  it("goes to the main model when the cheaper one has failed twice", async () => {
    const session = await longSession();
    const model = summariser([""]);
    const fallback = summariser(["The leak is in pool.ts."], { name: "test/main" });
    expect(await compactSession(optionsOf(session, { model, fallback }))).toMatchObject({
      outcome: "done",
      model: "test/main",
    });
    expect([model.given.length, fallback.given.length]).toEqual([2, 1]);
  });

  it("goes to the main model at once when the cheaper one never will", async () => {
    const session = await longSession();
    const model = summariser([{ code: "MODEL_KEY", retry: "never" }]);
    const fallback = summariser(["The leak is in pool.ts."], { name: "test/main" });
    expect(await compactSession(optionsOf(session, { model, fallback }))).toMatchObject({
      model: "test/main",
    });
    expect(model.given).toHaveLength(1);
  });

  it("is not tried again where that is of no use", async () => {
    const session = await longSession();
    const model = summariser([{ code: "MODEL_KEY", retry: "never" }]);
    expect(await compactSession(optionsOf(session, { model }))).toMatchObject({
      outcome: "failed",
      code: "MODEL_KEY",
      why: "The provider says MODEL_KEY.",
      attempts: 1,
    });
  });

  it("waits before it asks a provider again that is busy", async () => {
    const session = await longSession();
    const model = summariser([{ code: "MODEL_BUSY", retry: "soon" }]);
    const clock = new ManualClock();
    const start = clock.now();
    await compactSession(optionsOf(session, { model, clock }));
    expect([clock.now() - start, model.given.length]).toEqual([3_000, 3]);
  });

  it("writes nothing when it was cancelled", async () => {
    const session = await longSession();
    const before = await kinds(session);
    const signal = AbortSignal.abort();
    const told = await compactSession(optionsOf(session, { model: summariser(["x"]), signal }));
    expect(told).toMatchObject({ outcome: "failed", code: "CANCELLED", attempts: 1 });
    expect(await kinds(session)).toEqual(before);
  });

  it("does not summarize what was written while the summary was made", async () => {
    const session = await longSession();
    const model = summariser(["The leak is in pool.ts."]);
    const onModelEvent = async () => {
      await session.reply({ model: "m", parts: [textPart("I went on.")] });
    };
    const told = await compactSession(optionsOf(session, { model, onModelEvent: () => void onModelEvent() }));
    expect(told).toMatchObject({ outcome: "failed", code: "TURN_RUNNING" });
    expect(session.outline.linesOf("compaction")).toEqual([]);
  });
});
