import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { importBundle } from "../../../../src/machine/exchange/bundle/import-bundle.ts";
import { performForget } from "../../../../src/machine/forget/perform-forget.ts";
import { holdSession, type SessionContext, viewSession } from "../../../../src/machine/open.ts";
import type { Session } from "../../../../src/machine/session.ts";
import { type OutsideChange, outsideOf } from "../../../../src/record/files.ts";
import {
  begin,
  bundleOf,
  holding,
  linesOf,
  memoryPlace,
  type Place,
  stores,
} from "../../exchange/support.ts";
import { newFolder, outcomes, put, toldAt, writes } from "./outside-world.ts";

const SECRET = "hunter2-hunter2";

describe.each(stores)("what is kept of files outside, in a store of $name", ({ open }) => {
  let place: Place;
  let deps: SessionContext;
  let folder: string;
  let session: Session;
  let to: number;

  beforeEach(async () => {
    place = open();
    deps = { ...place.deps, touchedFiles: "follow" };
    folder = newFolder();
    session = await begin(deps);
    put(`${folder}/a`, `key=${SECRET}`);
    put(`${folder}/b`, "one");
    to = await writes(session, [`${folder}/a`, "key=\xff"], [`${folder}/b`, "two"]);
    await session.rewind({ to, scope: "files" });
    await session.redo();
  });
  afterEach(async () => place.close());

  async function kept(): Promise<readonly OutsideChange[]> {
    return (await linesOf(place.deps.store, session.id)).flatMap(outsideOf);
  }

  async function contents(): Promise<readonly string[]> {
    const { store } = place.deps;
    const texts: string[] = [];
    for (const hash of await store.listBlobs(session.id)) {
      texts.push(Buffer.from(await store.getBlob(session.id, hash)).toString("latin1"));
    }
    return texts.filter((text) => text.startsWith("key=") || text.length < 4).sort();
  }

  it("is there after a look at everything, and nothing is wrong with it", async () => {
    expect(await contents()).toEqual([`key=${SECRET}`, "key=\xff", "one", "two"].sort());
    expect(await place.deps.store.verify(session.id)).toEqual([]);
  });

  it("goes whole where it has a text that is forgotten, and is kept then by journeys", async () => {
    await session.close();
    const { sessions, left } = await performForget(deps, { what: "text", text: SECRET }, holding);
    expect([sessions, left]).toEqual([[{ session: session.id, entries: 3, times: 3 }], []]);
    expect(await contents()).toEqual(["key=\xff", "one", "two"].sort());
    const again = await holdSession(deps, session.id, holding);
    await again.rewind({ to, scope: "files" });
    expect(await outcomes(again)).toEqual([
      `${folder}/a: kept (captured neither at the checkpoint nor now)`,
      `${folder}/b: restored`,
    ]);
    expect([toldAt(`${folder}/a`), toldAt(`${folder}/b`)]).toEqual(["key=\xff 644", "one 644"]);
  });

  it("goes whole with its file, in what tools and journeys did", async () => {
    await session.close();
    await performForget(deps, { what: "path", path: `${folder}/a` }, holding);
    expect(await contents()).toEqual(["one", "two"]);
    const ofA = (await kept()).filter(({ path }) => path === `${folder}/a`);
    const gone = { why: "forgotten" };
    expect(ofA).toEqual(
      Array.from({ length: 3 }, () => ({ path: `${folder}/a`, before: gone, after: gone })),
    );
  });

  it("stays here when the session is taken elsewhere, and is not believed from there", async () => {
    const bundle = await bundleOf(place.deps.store, session.id);
    const other = memoryPlace();
    const { session: id } = await importBundle(other.deps, bundle);
    expect((await linesOf(other.deps.store, id)).flatMap(outsideOf)).toEqual([]);
    expect(await importBundle(other.deps, bundle)).toMatchObject({ status: "already-here" });
    expect(await importBundle(place.deps, bundle)).toMatchObject({ status: "already-here" });
    expect((await viewSession(other.deps.store, id)).damage).toEqual([]);
    await other.close();
  });
});
