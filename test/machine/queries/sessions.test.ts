import { describe, expect, it } from "vitest";
import { forkSession } from "../../../src/machine/journeys/fork.ts";
import { newHeader, viewSession } from "../../../src/machine/open.ts";
import { searchSession } from "../../../src/machine/queries/search.ts";
import { listSessions, resolveSession } from "../../../src/machine/queries/sessions.ts";
import type { Session } from "../../../src/machine/session.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { ManualClock } from "../../../src/testing/simulated-system.ts";
import { begin, openSessionDeps, refusal, reply, step } from "../deps.ts";

/** A store of sessions with these ids and titles. */
async function storeWith(...sessions: readonly (readonly [id: string, title?: string])[]): Promise<LogStore> {
  const clock = new ManualClock();
  const store = openMemoryStore({ clock });
  for (const [id, title] of sessions) {
    const header = { ...newHeader(clock, { workspace: "/work" }), session: id as SessionId };
    const at = header.at;
    const named = { seq: 2, id: "000000000002", parent: header.id, at, kind: "title", title };
    await store.create(header, title === undefined ? undefined : { entries: [named as never], blobs: [] });
  }
  return store;
}

describe("finding a session", () => {
  const sessions = [
    ["abc0000001", "Fix the leak"],
    ["abd0000002", "Fix the leak in pool.ts"],
    ["xyz0000003", "Write docs"],
  ] as const;

  it.each([
    ["abc0000001", "abc0000001"],
    ["abc", "abc0000001"],
    ["ABC", "abc0000001"],
    ["x", "xyz0000003"],
    ["write docs", "xyz0000003"],
    ["docs", "xyz0000003"],
    ["Fix the leak", "abc0000001"],
  ])("by %j", async (wanted, id) => {
    expect(await resolveSession(await storeWith(...sessions), wanted)).toBe(id);
  });

  it("is refused when several may be meant, with their ids", async () => {
    const store = await storeWith(...sessions);
    const act = resolveSession(store, "ab");
    await expect(act).rejects.toMatchObject({
      code: "SESSION_AMBIGUOUS",
      message: '"ab" matches 2 sessions.',
      hint: "Use a longer id: abc0000001, abd0000002",
    });
    expect(await refusal(resolveSession(store, "leak"))).toContain("SESSION_AMBIGUOUS");
  });

  it.each(["nothing", "", "  ", "../../evil"])("is refused for %j", async (wanted) => {
    expect(await refusal(resolveSession(await storeWith(...sessions), wanted))).toContain("SESSION_UNKNOWN");
  });
});

describe("the list of sessions", () => {
  it("has the last used first, with what is in them", async () => {
    const deps = openSessionDeps();
    const first = await begin(deps);
    await first.prompt("find the\nleak");
    await step(first, "r");
    await deps.clock.wait(1000);
    const second = await begin(deps, { workspace: "/other" });
    await second.retitle("Named");
    const { sessions, broken } = await listSessions(deps.store);
    expect(broken).toEqual([]);
    expect(sessions.map(({ id, title }) => ({ id, title }))).toEqual([
      { id: second.id, title: "Named" },
      { id: first.id, title: "find the leak" },
    ]);
    expect(sessions[1]).toMatchObject({
      prompts: 1,
      entries: 5,
      checkpoints: 2,
      damage: 0,
      workspace: "/work",
    });
    expect((await listSessions(deps.store, "/work")).sessions.map(({ id }) => id)).toEqual([first.id]);
  });

  it("says whose agent its last turn was, where that was not ours", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    const hosts = async () => (await listSessions(deps.store)).sessions.map(({ host }) => host);
    await session.prompt("Mend it.", { kind: "host", host: "claude", hostSession: "0f8b", message: "u1" });
    await step(session, "Done.");
    expect(await hosts()).toEqual(["claude"]);
    await session.prompt("And now ours.");
    expect(await hosts()).toEqual([undefined]);
  });

  it("has a fork, whose entries are older copies, before what it was forked from", async () => {
    const deps = openSessionDeps();
    const source = await begin(deps);
    await source.prompt("find the leak");
    await deps.clock.wait(1000);
    const fork = await forkSession(deps, source);
    const { sessions } = await listSessions(deps.store);
    expect(sessions.map(({ id }) => id)).toEqual([fork, source.id]);
    expect(sessions[0]?.used).toBe(sessions[0]?.created);
  });

  it("names a session that cannot be looked at, and shows the others", async () => {
    const deps = openSessionDeps();
    const [good, bad] = [await begin(deps), await begin(deps)];
    const { open } = deps.store;
    Object.assign(deps.store, {
      open: async (id: SessionId) => {
        if (id === bad.id)
          throw new WorldlineError("stated", { code: "STORE_UNREADABLE", message: "It is on another disk." });
        return open(id);
      },
    });
    const { sessions, broken } = await listSessions(deps.store);
    expect(sessions.map(({ id }) => id)).toEqual([good.id]);
    expect(broken).toEqual([
      {
        id: bad.id,
        why: "It is on another disk.",
        reason: "stated",
        params: { code: "STORE_UNREADABLE", message: "It is on another disk." },
      },
    ]);
  });
});

describe("searching a session", () => {
  async function found(session: Session, text: string): Promise<string[]> {
    const hits: string[] = [];
    for await (const hit of searchSession(session, text))
      hits.push(`${hit.kind} ${hit.branch}: ${hit.excerpt}`);
    return hits;
  }

  async function told(): Promise<Session> {
    const session = await begin(openSessionDeps({ blobBytes: 64 }));
    await session.prompt("Find the LEAK");
    await session.step();
    await session.reply({ model: "leaky-model", parts: reply("no leak here", "leak-1") });
    await session.toolStart("leak-1", "Bash", { input: { command: ["grep", "leak"] } });
    await session.toolEnd("leak-1", "ok", `${"x".repeat(100)} leak ${"y".repeat(100)}`);
    await session.rewind(1);
    await session.todos([{ text: "plug the leak", status: "open" }]);
    await session.compact({ summary: "the leak" }).catch(() => undefined);
    return session;
  }

  it("looks through all text, branches that were left and blobs included, whatever the case", async () => {
    expect(await found(await told(), "leak")).toEqual([
      "prompt left: Find the LEAK",
      "reply left: no leak here",
      "tool-start left: leak",
      `tool-end left: …${"x".repeat(59)} leak ${"y".repeat(59)}…`,
      "todos here: plug the leak",
    ]);
  });

  it.each(["text", "tool-call", "leaky-model", "complete", "leak-1", "open"])(
    "does not take %j, which only holds an entry in place, for text",
    async (word) => {
      expect(await found(await told(), word)).toEqual([]);
    },
  );

  it("finds the system prompt and names, and nothing where there is nothing", async () => {
    const session = await begin(openSessionDeps(), { system: "Be brief." });
    await session.checkpoint("green tests");
    await session.retitle("The green one");
    expect(await found(session, "brief")).toEqual(["session here: Be brief."]);
    expect(await found(session, "green")).toEqual(["label here: green tests", "title here: The green one"]);
    expect(await found(await told(), "elephant")).toEqual([]);
  });

  it("finds each session of another agent once", async () => {
    const session = await begin(openSessionDeps());
    for (const hostSession of ["sdk-1", "sdk-1", "sdk-2", "sdk-1"])
      await session.append({ kind: "host", host: "claude", hostSession, message: "m" });
    expect(await found(session, "claude")).toEqual(["host here: claude", "host here: claude"]);
    expect(await found(session, "sdk-2")).toEqual(["host here: sdk-2"]);
  });

  it("looks at what is stored, also in a session that is not held", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.prompt("find me");
    const view = await viewSession(deps.store, session.id);
    const hits = [];
    for await (const hit of searchSession(view, "find")) hits.push(hit.seq);
    expect(hits).toEqual([3]);
  });
});
