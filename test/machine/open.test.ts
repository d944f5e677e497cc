import { describe, expect, it } from "vitest";
import { createSession, holdSession, newHeader, viewSession } from "../../src/machine/open.ts";
import type { Entry } from "../../src/record/entry.ts";
import { newEntryId, toSeq } from "../../src/record/ids.ts";
import { begin, holding, kinds, openSessionDeps, refusal, reopen, says } from "./deps.ts";

describe("holding a session", () => {
  it("is refused at once while another one holds it, with its name", async () => {
    const deps = openSessionDeps();
    const session = await createSession(deps, { workspace: "/work" }, { name: "the other window" });
    expect(await refusal(holdSession(deps, session.id, holding))).toContain("is in use by the other window");
    await session.close();
    const next = await holdSession(deps, session.id, holding);
    expect(next.id).toBe(session.id);
  });

  it("is refused for a session that a newer program wrote, which can still be looked at", async () => {
    const deps = openSessionDeps();
    const header = { ...newHeader(deps.clock, { workspace: "/work" }), version: 2 };
    await deps.store.create(header);
    expect(await refusal(holdSession(deps, header.session, holding))).toBe(
      `FORMAT_NEWER Session ${header.session} was written by a newer version of Worldline.`,
    );
    expect((await viewSession(deps.store, header.session)).header).toEqual(header);
    // The refused session is not held.
    expect(await refusal(holdSession(deps, header.session, holding))).toContain("FORMAT_NEWER");
  });

  it("is refused when a newer program has begun a file of the log", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.prompt("a");
    await session.close();
    const { head } = session.outline;
    const rotated: Entry = {
      seq: toSeq(4),
      id: newEntryId((count) => deps.clock.random(count)),
      parent: head?.id ?? null,
      at: new Date(0).toISOString(),
      kind: "rotated",
      file: 2,
      session: session.id,
      version: 7,
    };
    await deps.store.append(session.id, toSeq(4), [rotated]);
    expect(await refusal(holdSession(deps, session.id, holding))).toContain("FORMAT_NEWER");
  });

  it("is refused for a session that is not there", async () => {
    const deps = openSessionDeps();
    expect(await refusal(holdSession(deps, "zzzzzzzzzz" as never, holding))).toContain("SESSION_UNKNOWN");
  });
});

describe("opening a session", () => {
  it("keeps entries of a kind that it does not know, and passes over them", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.prompt("a");
    await session.close();
    const head = session.outline.head;
    const foreign: Entry = {
      seq: toSeq(4),
      id: newEntryId((count) => deps.clock.random(count)),
      parent: head?.id ?? null,
      at: new Date(0).toISOString(),
      kind: "foreign",
      foreignKind: "hologram",
      fields: { color: "blue" },
    };
    await deps.store.append(session.id, toSeq(4), [foreign]);
    const again = await holdSession(deps, session.id, holding);
    await again.prompt("b");
    expect(await kinds(again)).toEqual([
      "session",
      "checkpoint",
      "prompt",
      "foreign",
      "checkpoint",
      "prompt",
    ]);
    expect((await again.history())[3]).toEqual(foreign);
    expect(await says(again)).toEqual(["user: a", "user: b"]);
  });

  it("opens the rest if the first line is lost, with the same stand-in each time", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.prompt("a");
    await session.close();
    deps.room.sessions.get(session.id)?.damage(toSeq(1));
    const again = await holdSession(deps, session.id, holding);
    expect(again.header).toMatchObject({ session: session.id, workspace: "", tag: `lost${session.id}` });
    expect(again.damage).toHaveLength(1);
    await again.prompt("b");
    expect(await says(again)).toEqual(["user: a", "user: b"]);
    const { header } = again;
    expect((await reopen(deps, again)).header).toEqual(header);
  });

  it("names what is damaged, continues without it, and uses no number twice", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.prompt("a");
    await session.prompt("b");
    await session.prompt("c");
    await session.close();
    deps.room.sessions.get(session.id)?.damage(toSeq(6));
    const again = await holdSession(deps, session.id, holding);
    expect(again.damage).toMatchObject([{ what: "line", line: 6 }]);
    expect((await again.checkpoints()).map(({ number }) => number)).toEqual([1, 2]);
    expect(await says(again)).toEqual(["user: a", "user: b", "user: c"]);
    expect(await again.checkpoint()).toBe(4);
    expect(await again.checkpoint()).toBe(5);
  });

  it("can be done while another one writes, and changes nothing", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.prompt("a");
    const view = await viewSession(deps.store, session.id);
    await session.prompt("b");
    expect(await says(view)).toEqual(["user: a"]);
    expect(await says(await viewSession(deps.store, session.id))).toEqual(["user: a", "user: b"]);
  });
});
