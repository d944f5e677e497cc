import { describe, expect, it } from "vitest";
import { importBundle } from "../../../../src/machine/exchange/bundle/import-bundle.ts";
import { viewSession } from "../../../../src/machine/open.ts";
import { type SessionId, toSeq } from "../../../../src/record/ids.ts";
import { MemoryRoom, openMemoryStore } from "../../../../src/stores/memory.ts";
import { ManualClock } from "../../../../src/testing/simulated-system.ts";
import { begin, bundleOf, linesOf, memoryPlace } from "../support.ts";

/** A session with a rewind, some lines of which are then damaged. */
async function damagedSession(
  ...lines: readonly number[]
): Promise<{ store: ReturnType<typeof openMemoryStore>; id: SessionId }> {
  const room = new MemoryRoom();
  const clock = new ManualClock({ seed: 9 });
  const store = openMemoryStore({ room, clock });
  const session = await begin({ store, clock, settings: { blobBytes: 60 } });
  await session.prompt("first");
  await session.prompt("second");
  await session.rewind(1);
  await session.prompt("third");
  await session.prompt("fourth");
  await session.close();
  for (const line of lines) room.sessions.get(session.id)?.damage(toSeq(line));
  return { store, id: session.id };
}

describe("a bundle of a session with lost lines", () => {
  it.each([[[3]], [[6]], [[7]], [[4, 5]], [[6, 7]], [[10]], [[9, 10]], [[2, 4, 6, 8, 10]]])(
    "gives the same context when lines %j are lost",
    async (lost) => {
      const { store, id } = await damagedSession(...lost);
      const { deps } = memoryPlace();
      const result = await importBundle(deps, await bundleOf(store, id));
      expect(result.status).toBe("imported");
      expect(result.warnings).toHaveLength(lost.length);
      const here = await viewSession(deps.store, id);
      const there = await viewSession(store, id);
      expect(await here.context()).toEqual(await there.context());
      expect(here.damage).toEqual([]);
      expect((await importBundle(deps, await bundleOf(store, id))).status).toBe("already-here");
    },
  );

  it("says in an error entry which line is missing", async () => {
    const { store, id } = await damagedSession(3);
    const { deps } = memoryPlace();
    await importBundle(deps, await bundleOf(store, id));
    const [lost] = await deps.store.read(id, toSeq(3), toSeq(3));
    expect(lost).toMatchObject({
      seq: 3,
      kind: "error",
      message: "Line 3 could not be read when this session was exported.",
    });
  });

  it("never gives a number again that a lost checkpoint may have had", async () => {
    const { store, id } = await damagedSession(9);
    const { deps } = memoryPlace();
    await importBundle(deps, await bundleOf(store, id));
    expect((await viewSession(deps.store, id)).header.numbersFrom).toBeGreaterThanOrEqual(4);
  });

  it("opens when even the first line is lost", async () => {
    const { store, id } = await damagedSession(1);
    const { deps } = memoryPlace();
    expect((await importBundle(deps, await bundleOf(store, id))).status).toBe("imported");
    expect((await linesOf(deps.store, id)).length).toBe(10);
  });
});
