import { describe, expect, it } from "vitest";
import { toSeq } from "../../../src/record/ids.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import {
  ManualClock,
  rejectsWith,
  SimulatedDisk,
  SimulatedProcesses,
  Story,
} from "../../../src/testing/testing.ts";

const REQUEST = { name: "worldline sessions delete", waitMs: 0 };

/** A session on a disk that is completely full. */
async function scene() {
  const disk = new SimulatedDisk();
  const machine = new SimulatedProcesses();
  const open = () =>
    openFilesStore({ root: "/home", disk, clock: new ManualClock(), processes: machine.start() });
  const story = new Story();
  const store = open();
  await store.create(story.begin());
  await store.append(story.session, toSeq(2), [story.prompt("one")]);
  await store.close();
  disk.fillUp();
  return { disk, open, story, session: story.session };
}

describe("sessions on a disk without a single free block", () => {
  it("can be listed, opened and read", async () => {
    const { open, session, story } = await scene();
    const store = open();
    expect(await store.list()).toEqual([session]);
    expect((await store.open(session)).damage).toEqual([]);
    expect(await store.read(session, toSeq(1), toSeq(9))).toEqual(story.entries);
    expect(await store.holder(session)).toBeUndefined();
  });

  it("cannot be written to, and lose nothing", async () => {
    const { open, session, story } = await scene();
    const store = open();
    await rejectsWith("STORE_FULL", store.lease(session, REQUEST));
    expect(await store.read(session, toSeq(1), toSeq(9))).toEqual(story.entries);
  });

  it("can be deleted for good, with the room that was set aside for that", async () => {
    const { open, session, disk } = await scene();
    const store = open();
    const lease = await store.lease(session, { ...REQUEST, room: "reserve" });
    await store.trash(session, 1);
    await lease.release();
    expect(await store.emptyTrash(2)).toEqual([session]);
    expect(await store.list()).toEqual([]);
    expect(disk.list("/home")).toContain("reserve");
  });
});
