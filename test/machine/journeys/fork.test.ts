import { describe, expect, it } from "vitest";
import { forkSession } from "../../../src/machine/journeys/fork.ts";
import { holdSession, newHeader, viewSession } from "../../../src/machine/open.ts";
import type { Session } from "../../../src/machine/session.ts";
import type { Entry } from "../../../src/record/entry.ts";
import { TAG } from "../../story.ts";
import { begin, holding, openSessionDeps, refusal, says, step, type WatchContext } from "../deps.ts";

async function logOf(deps: WatchContext, id: Session["id"]): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of (await viewSession(deps.store, id)).all()) entries.push(entry);
  return entries;
}

async function told(deps: WatchContext): Promise<Session> {
  const session = await begin(deps);
  await session.prompt("first");
  await step(session, "left", "a");
  await session.rewind(1);
  await session.prompt("second");
  await step(session, "kept", "b");
  await session.checkpoint("named");
  return session;
}

describe("a fork", () => {
  it("has the same context to the byte, on its own straight line", async () => {
    const deps = openSessionDeps({ blobBytes: 64 });
    const source = await told(deps);
    const fork = await viewSession(deps.store, await forkSession(deps, source));
    expect(JSON.stringify(await fork.context())).toBe(JSON.stringify(await source.context()));
    expect(fork.tokenCount).toBe(source.tokenCount);
    expect(fork.outline.rows().map((row) => row.parent)).toEqual(
      fork.outline.rows().map((row) => row.seq - 1),
    );
    expect(fork.header).toMatchObject({
      tag: source.header.tag,
      workspace: "/work",
      forkedFrom: { session: source.id, entry: source.outline.head?.id },
    });
  });

  it("keeps the form of its source: the system prompt, and how notices are framed", async () => {
    const deps = openSessionDeps();
    const source = await told(deps);
    const { system, tag } = source.header;
    const fork = await viewSession(deps.store, await forkSession(deps, source));
    expect(fork.header).toMatchObject({ system, frames: "quoted" });
    expect(system.split(`<system-${tag}>`)).toHaveLength(2);

    // A header with an explicit tag has the old form, from before notices were quoted.
    const header = newHeader(deps.clock, { workspace: "/work", system: "Be brief.", tag: TAG });
    await deps.store.create(header);
    const old = await holdSession(deps, header.session, holding);
    await old.prompt(`${TAG} and ${TAG.toUpperCase()}`);
    await old.append({ kind: "notice", text: TAG });
    const oldFork = await viewSession(deps.store, await forkSession(deps, old));
    expect(oldFork.header).toMatchObject({ system: "Be brief.", tag: TAG });
    expect(oldFork.header.frames).toBeUndefined();
    expect(await oldFork.context()).toEqual(await old.context());
    expect(await says(oldFork)).toEqual(["user: k3f9x·2m7q1 and K3F9X2M7Q1", "user: [k3f9x·2m7q1]"]);
  });

  it("in another folder says so to the model, whose system prompt names the first one", async () => {
    const deps = openSessionDeps();
    const source = await told(deps);
    const id = await forkSession(deps, source, { workspace: "/elsewhere" });
    const fork = await viewSession(deps.store, id);
    expect(fork.header.workspace).toBe("/elsewhere");
    const [notice] = await fork.entriesOf("notice");
    expect(notice?.text).toBe(
      'This session is a copy. Its workspace is now "/elsewhere" (previously "/work").',
    );
    expect(JSON.stringify(await fork.context())).toContain("Its workspace is now");
  });

  it("leaves the source as it is", async () => {
    const deps = openSessionDeps();
    const source = await told(deps);
    const before = await logOf(deps, source.id);
    const fork = await holdSession(deps, await forkSession(deps, source), holding);
    await fork.prompt("elsewhere");
    expect(await logOf(deps, source.id)).toEqual(before);
  });

  it("counts on from the highest number of the source, left branches included", async () => {
    const deps = openSessionDeps();
    const source = await told(deps);
    const fork = await holdSession(deps, await forkSession(deps, source, { at: 1 }), holding);
    expect((await fork.checkpoints()).map(({ number }) => number)).toEqual([1]);
    expect(await fork.checkpoint()).toBe(6);
    const again = await forkSession(deps, fork, { at: 1 });
    expect(await (await holdSession(deps, again, holding)).checkpoint()).toBe(7);
  });

  it("begins at a checkpoint, also on a branch that was left", async () => {
    const deps = openSessionDeps();
    const source = await told(deps);
    const fork = await viewSession(deps.store, await forkSession(deps, source, { at: 2 }));
    expect(await says(fork)).toEqual(await says(source, 2));
    expect(await refusal(forkSession(deps, source, { at: 99 }))).toContain("CHECKPOINT_UNKNOWN");
  });

  it("carries the names over that were given later, elsewhere in the log", async () => {
    const deps = openSessionDeps();
    const source = await told(deps);
    await source.rewind(1);
    await source.label(3, "the second prompt");
    await source.label(2, "on the left branch");
    await source.retitle("The leak");
    await source.rewind(4);
    const fork = await viewSession(deps.store, await forkSession(deps, source));
    const labels = (await fork.checkpoints()).map(({ number, label }) => ({ number, label }));
    expect(labels).toEqual([
      { number: 1, label: undefined },
      { number: 3, label: "the second prompt" },
      { number: 4, label: undefined },
    ]);
    expect(await fork.title()).toBe("The leak");
  });

  it("keeps a compaction in force, whatever line the kept part began with", async () => {
    const deps = openSessionDeps();
    const source = await begin(deps);
    await source.prompt("a");
    await step(source, "one", "a");
    await source.retitle("between");
    await step(source, "two", "b");
    await step(source, "three");
    await source.compact({ summary: "it went well", keep: 2 });
    await source.prompt("b");
    const fork = await viewSession(deps.store, await forkSession(deps, source));
    expect(await fork.context()).toEqual(await source.context());
  });

  it("rewinds and redoes on its own, and says where to redo what it did not see", async () => {
    const deps = openSessionDeps();
    const source = await told(deps);
    const fork = await holdSession(deps, await forkSession(deps, source), holding);
    const before = await fork.context();
    await fork.rewind(1);
    await fork.redo();
    expect(await fork.context()).toEqual(before);
    expect(await refusal(fork.redo())).toBe("NOTHING_TO_REDO Nothing to redo.");
    const [copied] = await fork.journeys();
    expect(await refusal(fork.redo(copied?.entry.id))).toContain(
      "it was made before this session was forked",
    );
  });

  it("may work in another folder, and lives on when a blob of the source is lost", async () => {
    const deps = openSessionDeps({ blobBytes: 64 });
    const source = await begin(deps);
    await source.prompt("x".repeat(100));
    deps.room.sessions.get(source.id)?.blobs.clear();
    const fork = await viewSession(deps.store, await forkSession(deps, source, { workspace: "/other" }));
    expect(fork.header.workspace).toBe("/other");
    expect((await says(fork))[0]).toMatch(/^user: \[This text is lost: blob [0-9a-f]{64} is missing\]$/u);
  });
});
