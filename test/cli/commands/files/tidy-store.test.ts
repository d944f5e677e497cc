import { randomBytes } from "node:crypto";
import { existsSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { realDisk } from "../../../../src/disk/disk.ts";
import { realProcesses } from "../../../../src/disk/lock-owner.ts";
import { systemClock } from "../../../../src/disk/system-clock.ts";
import { openWorkspaceFiles } from "../../../../src/open-files.ts";
import { openSnapshotContext } from "../../../../src/snapshots/context.ts";
import { acquireShared } from "../../../../src/snapshots/keeping/shared-lease.ts";
import { workshop } from "../../support/workshop.ts";

const SIZE = 300_000;
const TIGHT = "--setting snapshots.maxBytes=1048576 --setting checkpointKeepCount=2";

/** Every checkpoint has its own incompressible file, so each takes up room in the store. */
function scene() {
  const shop = workshop();
  /** The warnings of a command. */
  const warned = async (line = `checkpoint ${TIGHT}`): Promise<readonly string[]> =>
    (await shop.data(line)).warnings ?? [];
  const next = (line?: string) => {
    shop.put("a.bin", randomBytes(SIZE));
    return warned(line);
  };
  const states = async () =>
    (await shop.data("checkpoints")).checkpoints.map(
      ({ files }: { files: { state: string } }) => files.state,
    );
  const stamp = join(shop.home, "snapshots", "tidied");
  const tenMinutesPass = () => utimesSync(stamp, 0, 0);
  return { ...shop, warned, next, states, stamp, tenMinutesPass };
}

const letGoOf = (checkpoint: number) =>
  expect.stringMatching(
    new RegExp(
      `^The snapshot store is full, so #${checkpoint} of session \\w+ now keeps only its conversation\\.$`,
      "u",
    ),
  );

describe("a command that captures", () => {
  it("leaves a store alone that is within its limit", async () => {
    const { next, stamp } = scene();
    for (let each = 0; each < 5; each += 1) expect(await next("checkpoint")).toEqual([]);
    expect(existsSync(stamp)).toBe(false);
  });

  it("lets go of the oldest files when the store is over its limit, and names each", async () => {
    const { put, next, states, worldline, text } = scene();
    for (let each = 0; each < 3; each += 1) expect(await next()).toEqual([]);
    put("a.bin", randomBytes(SIZE));
    expect((await worldline(`checkpoint ${TIGHT}`)).stderr).toMatch(
      /warning: The snapshot store is full, so #1 of session .* now keeps only its conversation\.\nRemoved 300\.\d kB from the snapshot store to stay within snapshots\.maxBytes \(1\.0 MB\)\.\n$/u,
    );
    expect(await states()).toEqual(["complete", "complete", "complete", "gone"]);
    expect(await text("checkpoints")).toMatch(/#1 .* conversation only /u);
    expect(await worldline("rewind 2")).toMatchObject({ code: 0 });
    expect(await text("store verify")).toContain("complete and intact");
  });

  it("does not do so again within ten minutes, unless there is a fifth too much", async () => {
    const { next, warned, tenMinutesPass } = scene();
    for (let each = 0; each < 3; each += 1) expect(await next()).toEqual([]);
    expect(await next()).toEqual([letGoOf(1)]);
    expect(await next()).toEqual([]);
    expect(await warned()).toEqual([]);
    tenMinutesPass();
    expect(await warned()).toEqual([letGoOf(2)]);
    expect(await next()).toEqual([]);
    expect(await next()).toEqual([letGoOf(3), letGoOf(4)]);
  });

  it("keeps as much as the user wants, even if the workspace's settings want to keep less", async () => {
    const { next, warned, write, states } = scene();
    write("workspace", JSON.stringify({ checkpointKeepCount: 1 }));
    const line = "checkpoint --trust --setting snapshots.maxBytes=1048576";
    for (let each = 0; each < 4; each += 1) await next(line);
    expect(await warned("checkpoints")).toEqual([]);
    expect(await states()).toEqual(["complete", "complete", "complete", "complete"]);
  });

  it("warns when what must be kept is too much, and then not at every command", async () => {
    const { next, warned } = scene();
    const line = "checkpoint --setting snapshots.maxBytes=1048576";
    for (let each = 0; each < 3; each += 1) expect(await next(line)).toEqual([]);
    expect(await next(line)).toEqual([
      "The snapshot store holds 1.2 MB, more than snapshots.maxBytes (1.0 MB), and nothing more can be released now. " +
        "To see what uses the space: worldline store du",
    ]);
    expect(await warned(line)).toEqual([]);
  });

  it("warns if another program is using the store, and continues", async () => {
    const { home, next, states } = scene();
    for (let each = 0; each < 3; each += 1) await next();
    const processes = realProcesses();
    const deps = openSnapshotContext({ home, disk: realDisk, clock: systemClock, processes });
    const lease = await acquireShared(deps, deps.places.leases, { name: "a capture", waitMs: 0 });
    expect(await next()).toEqual([
      expect.stringMatching(/ could not be cleaned up: .* in use by a capture .* worldline store gc$/u),
    ]);
    await lease.release();
    expect(await states()).toEqual(["complete", "complete", "complete", "complete"]);
  });

  it("does not do so in a dry run", async () => {
    const { next, states, warned } = scene();
    for (let each = 0; each < 4; each += 1) await next("checkpoint");
    expect(await warned(`rewind 1 --dry-run ${TIGHT}`)).toEqual([]);
    expect(await states()).toEqual(["complete", "complete", "complete", "complete"]);
    expect(await warned(`rewind 1 ${TIGHT}`)).toContainEqual(letGoOf(2));
  });
});

describe("files that were let go", () => {
  it("are gone, even while a running program holds the segment that contains them", async () => {
    const { home, workspace, put, worldline, states, data } = scene();
    const files = await openWorkspaceFiles({ home, workspace, threads: "none" });
    put("a.bin", randomBytes(SIZE));
    await worldline("checkpoint");
    // From here on, another program writes to the segment that holds the remaining snapshots.
    const kept: string[] = [];
    const [{ session: id }] = (await data("checkpoints")).checkpoints;
    for (let number = 2; number <= 5; number += 1) {
      put("a.bin", randomBytes(SIZE));
      kept.push(
        (
          await files.capture({
            keptFor: { session: id, checkpoint: number, on: "manual" },
            look: "everything",
          })
        ).snapshot,
      );
    }
    expect(await states()).toEqual(["complete"]);
    const [first, , , last] = kept;
    const has = (opened: typeof files, snapshot: string | undefined) => opened.has(snapshot as never);
    await worldline(`store gc --yes ${TIGHT}`);
    expect([await has(files, first), await has(files, last)]).toEqual([false, true]);
    const other = await openWorkspaceFiles({ home, workspace, threads: "none" });
    expect([await has(other, first), await has(other, last)]).toEqual([false, true]);
    await expect(
      other.keep({ session: id, checkpoint: 9, on: "manual" }, first as never),
    ).rejects.toMatchObject({
      code: "SNAPSHOT_MISSING",
    });
    await other.close();
    await files.close();
  });

  it("are there again when they are captured again", async () => {
    const { put, worldline, states, remove } = scene();
    put("a.txt", "one");
    await worldline("checkpoint");
    for (let each = 0; each < 4; each += 1) {
      put("b.bin", randomBytes(SIZE));
      await worldline("checkpoint");
    }
    await worldline(`store gc --yes ${TIGHT}`);
    expect((await states()).at(-1)).toBe("gone");
    remove("b.bin");
    await worldline("checkpoint");
    expect((await states()).at(-1)).toBe("complete");
    expect(await worldline("rewind 1 --dry-run")).toMatchObject({ code: 0 });
  });
});
