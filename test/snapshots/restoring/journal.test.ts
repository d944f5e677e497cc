import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readWhole, writeNew } from "../../../src/disk/durable-files.ts";
import type { PathBytes } from "../../../src/record/files.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import {
  type JournaledRestore,
  listJournals,
  newRestoreId,
  RestoreJournal,
} from "../../../src/snapshots/restoring/restore.ts";
import { FailingDisk } from "../../../src/testing/disk/failing-disk.ts";
import { SimulatedDisk } from "../../../src/testing/disk/simulated-disk.ts";
import { file, folder, JOURNAL, journey, link, stateOf } from "./scene.ts";

const path: PathBytes = "\xff \n\u00e9";

function restore(now: number): JournaledRestore {
  const token = "0123456789abcdef";
  const steps = [
    { path, before: stateOf(file("a")), after: stateOf(link("\xfe")) },
    { path: "gone", before: stateOf(folder()), after: undefined },
  ];
  const session = "abcdefghjk" as SessionId;
  return {
    id: newRestoreId(now, token),
    session,
    journey,
    steps,
    token,
    closed: [{ path: "", mode: 0o555 }],
  };
}

/** JSON has no undefined: an absent state comes back as an absent field, which reads the same. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("the journal of restores", () => {
  it("gives back what was written, oldest first, until it is removed", () => {
    const journal = new RestoreJournal(new SimulatedDisk(), JOURNAL);
    expect(journal.list()).toEqual([]);
    const [older, newer] = [restore(999), restore(1_000)];
    journal.write(newer);
    journal.write(older);
    expect(plain(journal.list())).toEqual(plain([older, newer]));
    expect(journal.list()[0]?.steps[0]?.path).toBe(path);
    journal.remove(older.id);
    expect(plain(journal.list())).toEqual(plain([newer]));
    expect(journal.read(older.id)).toBeUndefined();
  });

  it("lists what the port promises, and no more", () => {
    const disk = new SimulatedDisk();
    new RestoreJournal(disk, JOURNAL).write(restore(1));
    const { id, session, steps } = restore(1);
    expect(plain(listJournals(disk, JOURNAL))).toEqual(plain([{ id, session, journey, steps }]));
  });

  it("survives the loss of power once it is written, and stays away once it is removed", () => {
    const disk = new SimulatedDisk();
    const journal = new RestoreJournal(disk, JOURNAL);
    journal.write(restore(1));
    const after = new RestoreJournal(disk.losePower("nothing"), JOURNAL);
    expect(plain(after.list())).toEqual(plain([restore(1)]));
    journal.remove(restore(1).id);
    expect(new RestoreJournal(disk.losePower("nothing"), JOURNAL).list()).toEqual([]);
  });

  it("sets one aside that is torn or damaged anywhere, after it has reported it, once", () => {
    const source = new SimulatedDisk();
    new RestoreJournal(source, JOURNAL).write(restore(1));
    const name = `${JOURNAL}/${restore(1).id}.json`;
    const bytes = readWhole(source, name);
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(200) ^ 1, 200);
    const torn = Array.from({ length: bytes.length }, (_, length) => bytes.subarray(0, length));
    for (const content of [...torn, flipped, Buffer.alloc(bytes.length)]) {
      const disk = new SimulatedDisk();
      disk.makeFolder(JOURNAL);
      disk.syncFolder("/");
      writeNew(disk, name, content);
      const journal = new RestoreJournal(disk, JOURNAL);
      // Reading never changes a damaged journal.
      expect([journal.list(), journal.read(restore(1).id), journal.damaged()]).toEqual([
        [],
        undefined,
        [restore(1).id],
      ]);
      expect(readWhole(disk, name)).toEqual(content);
      const aside = `${JOURNAL}/${restore(1).id}.damaged`;
      expect(() => journal.reportDamaged()).toThrow(
        expect.objectContaining({ code: "RESTORE_UNFINISHED", hint: expect.stringContaining(aside) }),
      );
      expect(readWhole(disk.losePower("nothing"), aside)).toEqual(content);
      journal.reportDamaged();
      expect([journal.damaged(), disk.list(JOURNAL)]).toEqual([[], [`${restore(1).id}.damaged`]]);
    }
  });

  it("is not written when the disk fails, and says so, whichever operation it is", () => {
    const counting = new FailingDisk(new SimulatedDisk());
    new RestoreJournal(counting, JOURNAL).write(restore(1));
    for (const { number } of counting.operations) {
      const disk = new FailingDisk(new SimulatedDisk(), (call) =>
        call.number === number ? { errno: "ENOSPC" } : undefined,
      );
      const journal = new RestoreJournal(disk, JOURNAL);
      expect(() => journal.write(restore(1))).toThrow(expect.objectContaining({ code: "STORE_FULL" }));
      expect(journal.list()).toEqual([]);
      journal.write(restore(1));
      expect(plain(journal.list())).toEqual(plain([restore(1)]));
    }
  });

  it("is either complete or missing if the power fails while it is written", () => {
    const counting = new FailingDisk(new SimulatedDisk());
    new RestoreJournal(counting, JOURNAL).write(restore(1));
    for (const { number } of counting.operations) {
      const disk = new FailingDisk(new SimulatedDisk(), (call) =>
        call.number === number ? { errno: "power" } : undefined,
      );
      expect(() => new RestoreJournal(disk, JOURNAL).write(restore(1))).toThrow();
      const after = disk.losePower("everything");
      const listed = plain(new RestoreJournal(after, JOURNAL).list());
      expect([plain([]), plain([restore(1)])]).toContainEqual(listed);
      // A file that never got its final name is removed by the next write.
      const next = new RestoreJournal(after, JOURNAL);
      next.write(restore(2));
      next.remove(restore(1).id);
      expect(after.list(JOURNAL)).toEqual([`${restore(2).id}.json`]);
    }
  });

  it("is left to the version that knows its format", () => {
    const disk = new SimulatedDisk();
    disk.makeFolder(JOURNAL);
    const body = Buffer.from('"format":2}');
    const sum = crc32(body).toString(16).padStart(8, "0");
    writeNew(disk, `${JOURNAL}/1.json`, Buffer.concat([Buffer.from(`{"sum":"${sum}",`), body]));
    const journal = new RestoreJournal(disk, JOURNAL);
    expect(() => journal.list()).toThrow(expect.objectContaining({ code: "FORMAT_NEWER" }));
    expect(disk.list(JOURNAL)).toEqual(["1.json"]);
  });
});
