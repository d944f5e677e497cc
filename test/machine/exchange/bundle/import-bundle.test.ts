import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { importBundle } from "../../../../src/machine/exchange/bundle/import-bundle.ts";
import { forkSession } from "../../../../src/machine/journeys/fork.ts";
import { holdSession, viewSession } from "../../../../src/machine/open.ts";
import type { SessionId } from "../../../../src/record/ids.ts";
import {
  arrived,
  begin,
  bundleOf,
  codeOf,
  filesPlace,
  holding,
  linesOf,
  memoryPlace,
  type Place,
  stores,
} from "../support.ts";

const LONG = "a long text that goes to a blob, because it has more than sixty characters";

async function someSession(place: Place): Promise<SessionId> {
  const session = await begin(place.deps);
  await session.prompt("find the leak");
  await session.step();
  await session.reply({ parts: [{ type: "text", text: LONG }], model: "scripted" });
  await session.checkpoint("before refactoring");
  await session.rewind(1);
  await session.prompt(`another way. ${LONG}`);
  await session.retitle("The leak");
  await session.close();
  return session.id;
}

describe.each(stores)("importing a bundle into a store of $name", ({ open }) => {
  let from: Place;
  let to: Place;
  beforeEach(() => {
    from = memoryPlace();
    to = open();
  });
  afterEach(async () => {
    await from.close();
    await to.close();
  });

  it("brings in the same lines, blobs and context, under the same id", async () => {
    const id = await someSession(from);
    const result = await importBundle(to.deps, await bundleOf(from.deps.store, id));
    expect(result).toEqual({
      status: "imported",
      session: id,
      original: id,
      entries: 11,
      blobs: 2,
      warnings: [],
      remarks: [],
    });
    expect(await linesOf(to.deps.store, id)).toEqual(
      arrived(await linesOf(from.deps.store, id), to.deps.clock),
    );
    const here = await viewSession(to.deps.store, id);
    const there = await viewSession(from.deps.store, id);
    expect(await here.context()).toEqual(await there.context());
    expect(await to.deps.store.verify(id)).toEqual([]);
  });

  it("can be continued, and the numbers continue too", async () => {
    const id = await someSession(from);
    await importBundle(to.deps, await bundleOf(from.deps.store, id));
    const session = await holdSession(to.deps, id, holding);
    expect(await session.checkpoint()).toBe(5);
    await session.close();
  });

  it("finds that it is already here, even if the session has continued since", async () => {
    const id = await someSession(to);
    const bundle = await bundleOf(to.deps.store, id);
    expect((await importBundle(to.deps, bundle)).status).toBe("already-here");
    const session = await holdSession(to.deps, id, holding);
    await session.prompt("and on");
    await session.close();
    expect(await importBundle(to.deps, bundle)).toMatchObject({ status: "already-here", session: id });
    expect(await to.deps.store.list()).toEqual([id]);
  });

  it("gives a new id if another session has the same id, and says where it came from", async () => {
    const id = await someSession(from);
    const early = await bundleOf(from.deps.store, id);
    const session = await holdSession(from.deps, id, holding);
    await session.prompt("one way");
    await session.close();
    await importBundle(to.deps, await bundleOf(from.deps.store, id));
    const other = await holdSession(to.deps, id, holding);
    await other.rewind(1);
    await other.close();
    const again = await importBundle(from.deps, await bundleOf(to.deps.store, id));
    expect(again).toMatchObject({ status: "new-id", original: id });
    const view = await viewSession(from.deps.store, again.session);
    expect(view.header.imported).toMatchObject({ from: "bundle", name: id });
    expect(view.outline.length).toBe(14);
    expect((await importBundle(to.deps, early)).status).toBe("already-here");
  });

  it("does not take the id of a session in the trash", async () => {
    const id = await someSession(to);
    const bundle = await bundleOf(to.deps.store, id);
    await to.deps.store.trash(id, 1_000);
    const result = await importBundle(to.deps, bundle);
    expect(result.status).toBe("new-id");
    expect(result.warnings).toEqual([
      `Session ${id} is in the trash, so the imported session was given a new id.`,
    ]);
    await to.deps.store.undelete(id);
    expect([...(await to.deps.store.list())].sort()).toEqual([id, result.session].sort());
  });

  it("uses another workspace if one is given", async () => {
    const id = await someSession(from);
    const bundle = await bundleOf(from.deps.store, id);
    await importBundle(to.deps, bundle, { workspace: "/elsewhere" });
    expect((await viewSession(to.deps.store, id)).header.workspace).toBe("/elsewhere");
    expect((await importBundle(to.deps, bundle, { workspace: "/elsewhere" })).status).toBe("already-here");
  });

  it("brings in a fork like any other session", async () => {
    const id = await someSession(from);
    const fork = await forkSession(from.deps, await viewSession(from.deps.store, id));
    await importBundle(to.deps, await bundleOf(from.deps.store, fork));
    expect(await linesOf(to.deps.store, fork)).toEqual(
      arrived(await linesOf(from.deps.store, fork), to.deps.clock),
    );
  });

  it("brings in a log that is kept in several files", async () => {
    const rotating = filesPlace({ rotateBytes: 600 });
    const id = await someSession(rotating);
    const lines = await linesOf(rotating.deps.store, id);
    expect(lines.filter((entry) => entry.kind === "rotated").length).toBeGreaterThan(1);
    await importBundle(to.deps, await bundleOf(rotating.deps.store, id));
    expect(await linesOf(to.deps.store, id)).toEqual(arrived(lines, to.deps.clock));
    const session = await holdSession(to.deps, id, holding);
    await session.prompt("and on");
    await session.close();
    expect(await to.deps.store.verify(id)).toEqual([]);
    await rotating.close();
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["one byte", Buffer.from([0x1f])],
    ["text", Buffer.from("not a bundle")],
    ["gzip of something else", gzipSync("not a bundle\n")],
    ["gzip of nothing", gzipSync("")],
  ])("refuses %s", async (_what, bytes) => {
    expect(await codeOf(importBundle(to.deps, bytes))).toBe("BUNDLE_INVALID");
    expect(await to.deps.store.list()).toEqual([]);
  });

  it("refuses a bundle that unpacks to more than it may", async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000, "a"));
    expect(await codeOf(importBundle(to.deps, bomb, { maxBytes: 1_000_000 }))).toBe("BUNDLE_INVALID");
    expect(await to.deps.store.list()).toEqual([]);
  });
});
