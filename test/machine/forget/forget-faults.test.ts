import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Disk } from "../../../src/disk/disk.ts";
import { readWhole } from "../../../src/disk/durable-files.ts";
import { performForget } from "../../../src/machine/forget/perform-forget.ts";
import { isWorldlineError } from "../../../src/record/error.ts";
import { toSeq } from "../../../src/record/ids.ts";
import { openSnapshotContext } from "../../../src/snapshots/context.ts";
import { StoredForgettableFiles } from "../../../src/snapshots/forgetting/forgettable-files.ts";
import { realWorkspaceDisk } from "../../../src/snapshots/workspace/real-workspace-disk.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import {
  FailingDisk,
  type Faults,
  ManualClock,
  SimulatedDisk,
  SimulatedProcesses,
  Story,
  sessionNumber,
} from "../../../src/testing/testing.ts";
import { KeptScene, prompt } from "../../snapshots/keeping/kept-scene.ts";
import { partOf } from "../../support/part-of.ts";
import { SecretSearch } from "../../support/secrets/search-bytes.ts";

const SECRET = "sk-live-0123456789/abcdef";
const request = { what: "text", text: SECRET } as const;
const machine = new SimulatedProcesses();

/** Two sessions with a blob each, one in the trash, and snapshots with two contents and a label. */
async function written(): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk();
  const store = openFilesStore({ root: "/home", disk, clock: new ManualClock(), processes: machine.start() });
  for (const number of [1, 2, 3]) {
    const story = new Story(sessionNumber(number));
    await store.create(story.begin());
    await store.putBlob(story.session, Buffer.from(`loose ${number}: ${SECRET}`));
    const entries = [story.prompt(`one ${SECRET}`), story.reply("innocent"), story.prompt(`two ${SECRET}`)];
    await store.append(story.session, toSeq(2), entries);
    if (number === 3) await store.trash(story.session, 7);
  }
  await store.close();
  const kept = new KeptScene(disk, { processes: machine.start() });
  kept.keep({ "a.txt": `a ${SECRET}`, "b.txt": "innocent" }, { ...prompt(1), label: `named ${SECRET}` }, 1);
  kept.keep({ "a.txt": "clean".padEnd(500, "."), "c.txt": `c ${SECRET}` }, prompt(2), 2);
  kept.store.close();
  return disk;
}

async function forget(disk: Disk): Promise<unknown> {
  const processes = machine.start();
  const clock = new ManualClock({ seed: processes.pid });
  const store = openFilesStore({ root: "/home", disk, clock, processes });
  const deps = openSnapshotContext({ home: "/home", disk, clock, processes });
  const files = new StoredForgettableFiles(
    { store: deps, disk: realWorkspaceDisk },
    { name: "a test", waitMs: 0 },
  );
  try {
    return await performForget({ store, clock }, request, {
      name: "a test",
      waitMs: 0,
      room: "reserve",
      files,
    });
  } catch (error) {
    return error;
  } finally {
    machine.kill(processes.pid);
  }
}

/**
 * Every file with its bytes, except for locks and leases, and for the indexes, which are dropped to make room
 * on a full disk.
 */
function contents(disk: Disk, folder = "/home"): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (const name of disk.list(folder).sort()) {
    const path = `${folder}/${name}`;
    if (/\/(?:lock|exclusive|shared-|reserve)[^/]*$|\.lock|\.idx$/u.test(path)) continue;
    if (disk.stat(path)?.kind === "folder")
      for (const [each, bytes] of contents(disk, path)) found.set(each, bytes);
    else found.set(path, readWhole(disk, path));
  }
  return found;
}

function holders(disk: Disk): string[] {
  const search = new SecretSearch(SECRET);
  return [...contents(disk)].filter(([, bytes]) => search.formsIn(bytes).length > 0).map(([path]) => path);
}

const powerGoesAt =
  (failing: number): Faults =>
  ({ number }) =>
    number === failing ? { errno: "power" } : undefined;

/**
 * The disk stays full from then on: thanks to the reserved space, a single failed write would simply be
 * repeated.
 */
const isFullFrom =
  (failing: number): Faults =>
  ({ number, name }) =>
    number >= failing && (name === "create" || name === "write") ? { errno: "ENOSPC" } : undefined;

/** Injects one fault at each operation of a complete forget. */
async function atEach(
  before: SimulatedDisk,
  faultsFrom: (failing: number) => Faults,
  check: (disk: FailingDisk, error: unknown) => Promise<void>,
): Promise<void> {
  expect(holders(before).length).toBeGreaterThan(7);
  const whole = new FailingDisk(before.losePower("everything"));
  await forget(whole);
  expect(holders(whole)).toEqual([]);
  const numbers = whole.operations.map(({ number }) => number);
  expect(numbers.length).toBeGreaterThan(50);
  for (const failing of partOf(numbers, 4)) {
    const disk = new FailingDisk(before.losePower("everything"), faultsFrom(failing));
    const outcome = await forget(disk);
    await check(disk, outcome);
  }
}

describe("a forget that is cut off", () => {
  it.each(["everything", "nothing"] as const)(
    "is completed by the next one, wherever it was cut; kept of what was not synced: %s",
    async (survival) => {
      await atEach(await written(), powerGoesAt, async (disk) => {
        const after = disk.losePower(survival);
        const again = await forget(after);
        expect(isWorldlineError(again) ? again.code : "done").toMatch(/^(?:done|NOTHING_TO_FORGET)$/u);
        expect(holders(after)).toEqual([]);
      });
    },
  );

  it("by a full disk says how far it came, or has changed nothing; and the next one completes it", async () => {
    const before = await written();
    const sums = (disk: Disk) => [...contents(disk)].map(([path, bytes]) => `${path} ${crc32(bytes)}`);
    let refused = 0;
    await atEach(before, isFullFrom, async (disk, error) => {
      if (isWorldlineError(error) && error.reason !== "forget-cut-off") {
        refused += 1;
        expect(sums(disk)).toEqual(sums(before));
      }
      disk.faults = () => undefined;
      await forget(disk);
      expect(holders(disk)).toEqual([]);
    });
    expect(refused).toBeGreaterThan(0);
  });
});
