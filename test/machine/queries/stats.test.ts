import { describe, expect, it } from "vitest";
import { forkSession } from "../../../src/machine/journeys/fork.ts";
import { viewSession } from "../../../src/machine/open.ts";
import { statsOf } from "../../../src/machine/queries/sessions.ts";
import type { Session } from "../../../src/machine/session.ts";
import { textPart, type Usage } from "../../../src/record/parts.ts";
import { mergeStats } from "../../../src/timeline/stats.ts";
import { begin, openSessionDeps } from "../deps.ts";

const usage = (input: number, rest: Partial<Usage> = {}): Usage => ({
  input,
  output: 10,
  cacheRead: 0,
  cacheWrite: 0,
  ...rest,
});

async function says(session: Session, counted?: Usage, model = "p/m"): Promise<void> {
  await session.step();
  await session.reply({
    model,
    parts: [textPart("Yes.")],
    ...(counted === undefined ? {} : { usage: counted }),
  });
}

/** A step that reads something; the provider's count grows by what was read. */
async function reads(session: Session, call: string, counted: Usage): Promise<number> {
  const number = await session.step();
  await session.reply({
    model: "p/m",
    parts: [{ type: "tool-call", call, name: "Read", input: {} }],
    usage: counted,
  });
  await session.toolStart(call, "Read");
  await session.toolEnd(call, "ok", "noise");
  return number;
}

async function goesBack(session: Session, to: number, counted: Usage, note = "n"): Promise<void> {
  await session.step();
  const part = { type: "tool-call", call: "back", name: "Backtrack", input: {} } as const;
  await session.reply({ model: "p/m", parts: [part], usage: counted });
  await session.toolStart("back", "Backtrack");
  await session.requestBacktrack("back", { to, note, files: "keep" });
  await session.endStep();
}

describe("the numbers of a session", () => {
  it("are those of all branches, by model and by tool", async () => {
    const session = await begin(openSessionDeps());
    const { checkpoint } = await session.prompt("One.");
    await reads(session, "a", usage(100, { cacheRead: 60, cacheWrite: 40 }));
    await says(session, usage(200, { output: 20, cacheRead: 100 }), "p/other");
    await session.rewind(checkpoint);
    await session.prompt("Two.");
    await session.step();
    await session.reply({
      model: "p/m",
      parts: [
        { type: "tool-call", call: "b", name: "Bash", input: {} },
        { type: "tool-call", call: "c", name: "Bash", input: {} },
        { type: "tool-call", call: "d", name: "Bash", input: {} },
      ],
    });
    await session.toolEnd("b", "denied", "no");
    await session.toolStart("c", "Bash");
    await session.toolEnd("c", "error", "exit 1");
    await session.toolStart("d", "Bash");
    expect(await statsOf(session)).toEqual({
      sessions: 1,
      prompts: 2,
      steps: 3,
      models: [
        {
          model: "p/m",
          replies: 2,
          uncounted: 1,
          usage: usage(100, { cacheRead: 60, cacheWrite: 40 }),
          notSent: 0,
        },
        {
          model: "p/other",
          replies: 1,
          uncounted: 0,
          usage: usage(200, { output: 20, cacheRead: 100 }),
          notSent: 0,
        },
      ],
      tools: [
        { name: "Bash", calls: 3, failed: 1, denied: 1, interrupted: 1 },
        { name: "Read", calls: 1, failed: 0, denied: 0, interrupted: 0 },
      ],
      backtracks: { count: 0, entries: 0, tokens: 0, saved: 0, notSent: 0 },
      rewinds: 1,
      redos: 0,
      compactions: [],
    });
  });

  it("tell what a backtrack left, and what later requests did not carry because of it", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("Find it.");
    const start = await reads(session, "a", usage(1_000));
    await reads(session, "b", usage(1_050));
    await goesBack(session, start, usage(9_000));
    const once = await statsOf(session);
    // Counted from the first step on: two exchanges, and the one that backtracked.
    expect(once.backtracks).toMatchObject({ count: 1, entries: 11, notSent: 0 });
    expect(once.backtracks.tokens).toBeGreaterThan(7_500);
    const note = session.outline.ofKind("backtrack")[0]?.estimate ?? 0;
    const each = once.backtracks.tokens - note;
    await says(session, usage(1_100));
    await says(session, usage(1_150), "p/other");
    const { backtracks, models } = await statsOf(session);
    expect(backtracks.notSent).toBe(2 * each);
    // Tokens that left the context are counted once, however many requests follow; later replies do not change it.
    expect([backtracks.tokens, backtracks.saved]).toEqual([once.backtracks.tokens, once.backtracks.tokens]);
    expect(models.map(({ notSent }) => notSent).every((tokens) => tokens === backtracks.notSent / 2)).toBe(
      true,
    );
  });

  it("count nothing as saved after a redo that undid the backtrack", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("Find it.");
    const start = await reads(session, "a", usage(1_000));
    await goesBack(session, start, usage(9_000));
    await session.redo();
    await says(session, usage(9_100));
    expect(await statsOf(session)).toMatchObject({
      backtracks: { count: 1, saved: 0, notSent: 0 },
      redos: 1,
    });
  });

  it("count what was left twice as saved once", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("Find it.");
    const start = await reads(session, "a", usage(1_000));
    await goesBack(session, start, usage(9_000));
    const first = (await statsOf(session)).backtracks;
    await session.redo();
    await reads(session, "b", usage(9_100));
    await goesBack(session, start, usage(9_200), "again");
    const { backtracks } = await statsOf(session);
    expect(backtracks.tokens).toBeGreaterThan(2 * first.tokens);
    expect(backtracks.saved).toBe(backtracks.tokens - first.tokens);
  });

  it("count nothing more as saved after a compaction, and tell how large the context was", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("Find it.");
    const start = await reads(session, "a", usage(1_000));
    await goesBack(session, start, usage(9_000));
    for (const input of [1_100, 1_200, 1_300]) await says(session, usage(input));
    const before = session.tokenCount;
    await session.compact({ summary: "It is in pool.ts." });
    const after = session.tokenCount;
    const { backtracks, compactions } = await statsOf(session);
    expect(backtracks.notSent).toBeGreaterThan(20_000);
    expect(compactions).toEqual([{ reason: "asked", before, after }]);
    await says(session);
    expect((await statsOf(session)).backtracks).toEqual(backtracks);
  });

  it("of a fork leave out what was counted where it came from", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.prompt("One.");
    await says(session, usage(100));
    await deps.clock.wait(5);
    const forked = await forkSession(deps, session);
    const view = await viewSession(deps.store, forked);
    expect(await statsOf(view)).toMatchObject({ prompts: 0, steps: 0, models: [] });
    expect(mergeStats([await statsOf(session), await statsOf(view)])).toMatchObject({
      sessions: 2,
      prompts: 1,
      models: [{ model: "p/m", replies: 1, uncounted: 0, usage: usage(100), notSent: 0 }],
    });
  });
});
