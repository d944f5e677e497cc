import { describe, expect, it } from "vitest";
import { statsOfAll, statsOfSession } from "../../../src/app/queries/stats.ts";
import { openStore } from "../../../src/app/sessions/store.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { createSession, viewSession } from "../../../src/machine/open.ts";
import { openSession } from "../../../src/open-session.ts";
import { textPart } from "../../../src/record/parts.ts";
import { reportingContext } from "../support/reporting-context.ts";
import { ruinLog } from "../support/ruin-log.ts";

const usage = { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0 };
const settings = { models: { "p/m": { input: 10, output: 100, cacheRead: 1, cacheWrite: 20 } } };

/** A session with one prompt and one reply, whose sub-agent gave another reply. */
async function answered() {
  const at = reportingContext({ settings });
  const { home, workspace, context } = at;
  const session = await openSession({ home, workspace, system: "Be brief." });
  await session.prompt("one");
  await session.reply({ model: "p/m", parts: [textPart("Yes.")], usage });
  await session.close();
  const store = openStore(context);
  const task = { session: session.id, call: "c" } as const;
  const deps = { store, clock: systemClock };
  const worker = await createSession(deps, { workspace, task }, { name: "a test" });
  await worker.prompt("look");
  await worker.reply({ model: "p/m", parts: [textPart("Yes.")], usage });
  await worker.close();
  return { ...at, store, id: session.id, worker: worker.id };
}

const models = [
  {
    ...{ model: "p/m", replies: 2, uncounted: 0, cost: expect.closeTo(0.04, 6) },
    usage: { input: 2_000, output: 200, cacheRead: 0, cacheWrite: 0 },
  },
];

describe("the statistics of a session", () => {
  it("include its sub-agents, but not their prompts", async () => {
    const { context, store, id } = await answered();
    expect(await statsOfSession(context, store, await viewSession(store, id))).toMatchObject({
      ...{ session: id, sessions: 2, prompts: 1, replies: 2, models, cost: expect.closeTo(0.04, 6) },
    });
  });

  it("have built-in prices only if the settings cannot be read, which is reported", async () => {
    const { context, store, id, write, reported } = await answered();
    write("user", "{");
    const { cost, unpriced } = await statsOfSession(context, store, await viewSession(store, id));
    expect([cost, unpriced]).toEqual([null, ["p/m"]]);
    expect(reported).toEqual([
      { code: "settings-unusable", problem: expect.objectContaining({ reason: expect.any(String) }) },
    ]);
  });
});

describe("the statistics of all sessions", () => {
  it("add up every session, and report those that cannot be read", async () => {
    const { context, home, id, worker, reported } = await answered();
    expect(await statsOfAll(context)).toMatchObject({
      session: null,
      sessions: 2,
      prompts: 2,
      replies: 2,
      models,
    });
    expect(reported).toEqual([]);
    ruinLog(home, worker);
    const rest = reportingContext({ place: { ...reportingContext(), home } });
    expect(await statsOfAll(rest.context)).toMatchObject({ sessions: 1, prompts: 1, replies: 1 });
    expect(rest.reported).toEqual([
      {
        code: "session-broken",
        session: worker,
        problem: expect.objectContaining({ reason: expect.any(String) }),
      },
    ]);
    const named = reportingContext({ common: { session: id } });
    await expect(statsOfAll(named.context)).rejects.toMatchObject({
      ...{ reason: "reach-contradicts", params: { other: "--session" } },
    });
  });
});
