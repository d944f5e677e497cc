import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import { workshop } from "../support/workshop.ts";

const DAY = 24 * 60 * 60 * 1000;
const SIZE = 300_000;

/** Incompressible bytes, so that every file takes up its full size in the store. */
function noise(seed: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length: SIZE }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 0xff;
  });
}

async function filled(checkpoints: number) {
  const shop = workshop();
  for (let each = 1; each <= checkpoints; each += 1) {
    shop.put("a.bin", noise(each * 1_000));
    await shop.worldline("checkpoint");
  }
  return shop;
}

describe("worldline store", () => {
  it("says that nothing is stored, and makes nothing", async () => {
    const { worldline, everything } = workshop();
    const before = everything();
    for (const line of ["store du", "store verify", "store gc --yes"]) {
      expect(await worldline(line)).toEqual({ code: 0, stdout: "Nothing is stored yet.\n", stderr: "" });
    }
    expect(everything()).toEqual(before);
  });

  it("says how much room files take, and for whom", async () => {
    const { data, text, workspace } = await filled(2);
    const usage = await data("store du");
    expect(usage).toMatchObject({
      workspaces: [{ workspace, snapshots: 2 }],
      sessions: [{ snapshots: 2 }],
      damaged: [],
    });
    expect(await text("store du")).toContain(`  ${workspace}  2 snapshots, `);
  });

  it("finds what is damaged, names the checkpoint and the path, and so does the doctor", async () => {
    const { home, worldline, data, text } = await filled(1);
    expect(await text("store verify")).toBe("1 snapshot: complete and intact.\n");
    const folder = join(home, "snapshots", "segments");
    for (const name of readdirSync(folder).filter((each) => each.endsWith(".seg"))) {
      const bytes = readFileSync(join(folder, name));
      bytes[1_000] = (bytes[1_000] ?? 0) ^ 0xff;
      writeFileSync(join(folder, name), bytes);
    }
    expect(await worldline("store verify")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/:1: 1 path cannot be restored\n {2}a\.bin: damaged\n/u),
    });
    expect(await data("store verify")).toMatchObject({
      sound: false,
      problems: [{ paths: [{ path: "a.bin", what: "damaged" }] }],
    });
  });

  it("lets the oldest checkpoints' files go when there is too much, after it was agreed to", async () => {
    const { worldline, data, text, everything } = await filled(5);
    const line = "store gc --setting checkpointKeepCount=2 --setting snapshots.maxBytes=1048576";
    const states = async () =>
      (await data("checkpoints")).checkpoints.map(({ files }: { files: { state: string } }) => files.state);
    const before = everything();
    expect(await text(`${line} --dry-run`)).toMatch(
      /^2 checkpoints and journeys will no longer restore files .*:\n {2}\w+:1 .*\n {2}\w+:2 .*\n600\.\d kB in /u,
    );
    expect(await worldline(line)).toMatchObject({
      code: 42,
      stderr: expect.stringContaining("This needs your"),
    });
    expect(await worldline(line, { typed: "\n" })).toMatchObject({ code: 130 });
    expect(everything()).toEqual(before);
    expect(await data(`${line} --yes`)).toMatchObject({
      changed: true,
      released: [{ checkpoint: 1 }, { checkpoint: 2 }],
      fits: true,
    });
    expect(await states()).toEqual(["complete", "complete", "complete", "gone", "gone"]);
    expect(await worldline("rewind 1 --scope files")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("are no longer kept"),
    });
    expect(await worldline("rewind 3")).toMatchObject({ code: 0 });
    expect(await text("store verify")).toContain("complete and intact");
  });

  it("gives up damaged checkpoints only on request", async () => {
    const shop = workshop();
    shop.put("d/a", "one");
    await shop.worldline("checkpoint");
    const segments = join(shop.home, "snapshots", "segments");
    for (const name of readdirSync(segments).filter((each) => each.endsWith(".seg"))) {
      const bytes = readFileSync(join(segments, name));
      // The snapshot object is the last one in the segment.
      const last = bytes.length - 1;
      bytes[last] = (bytes[last] ?? 0) ^ 0xff;
      writeFileSync(join(segments, name), bytes);
    }
    expect(await shop.worldline("store gc --yes")).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /:1 cannot be read completely \(snapshot [0-9a-f]{64}.*--release-damaged/u,
      ),
    });
    expect(await shop.data("store gc --dry-run")).toMatchObject({
      released: [],
      damaged: [{ names: [expect.stringMatching(/:1$/u)] }],
    });
    expect(await shop.data("store gc --release-damaged --yes")).toMatchObject({
      changed: true,
      released: [{ checkpoint: 1 }],
    });
    expect(await shop.worldline("store gc --yes")).toMatchObject({ code: 0 });
  });

  it("names what was forgotten on purpose, and finds nothing wrong with it", async () => {
    const shop = workshop();
    shop.put("key.txt", "secret-secret\n");
    await shop.worldline("checkpoint");
    await shop.worldline("forget --path key.txt --yes");
    expect(await shop.worldline("store verify")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /:1: 1 path cannot be restored\n {2}key\.txt: forgotten on request\n1 snapshot checked\. Everything else is complete and intact\./u,
      ),
    });
    expect(await shop.data("store verify")).toMatchObject({
      sound: true,
      problems: [],
      lacking: [{ paths: [{ path: "key.txt", what: "forgotten" }] }],
    });
  });

  it("keeps the files of a session in the trash, and lets go of them when it is removed for good", async () => {
    const shop = await filled(2);
    const { session } = await shop.data("checkpoints");
    const needed = async () => (await shop.data("store gc --dry-run")).objects;
    await shop.worldline(`sessions delete ${session}`);
    expect((await shop.data("store du")).sessions).toHaveLength(1);
    await shop.worldline(`sessions undelete ${session}`);
    expect(await shop.worldline("rewind 1")).toMatchObject({ code: 0 });
    await shop.worldline(`sessions delete ${session}`);
    expect(await needed()).toBe(0);
    expect(await shop.worldline("sessions delete --empty-trash --yes")).toMatchObject({
      code: 0,
      stderr: "",
    });
    expect((await shop.data("store du")).sessions).toEqual([]);
    expect(await needed()).toBeGreaterThan(0);
    await shop.worldline("store gc --yes");
    expect(await needed()).toBe(0);
  });

  it.each(["sessions delete <new>", "doctor --fix"])("also when `%s` tidies the trash", async (line) => {
    const shop = await filled(1);
    const { session } = await shop.data("checkpoints");
    await openFilesStore({ root: shop.home, clock: systemClock }).trash(session, Date.now() - 31 * DAY);
    const { session: young } = await shop.data("checkpoint");
    await shop.worldline(line.replace("<new>", young));
    const { sessions } = await shop.data("store du");
    expect(sessions.map((each: { session: string }) => each.session)).toEqual([young]);
  });

  it("warns when the files of a removed session could not be let go of", async () => {
    const shop = await filled(1);
    const { session } = await shop.data("checkpoints");
    await shop.worldline(`sessions delete ${session}`);
    const leases = join(shop.home, "snapshots", "leases");
    rmSync(leases, { recursive: true, force: true });
    writeFileSync(leases, "");
    expect(await shop.worldline("sessions delete --empty-trash --yes")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`warning: The files of ${session} still take up space: `),
    });
  });

  it("keeps what has a name", async () => {
    const { worldline, data } = await filled(5);
    await worldline("label 1 precious");
    const line = "store gc --yes --setting checkpointKeepCount=1 --setting snapshots.maxBytes=1048576";
    const { released } = await data(line);
    expect(released.map(({ checkpoint }: { checkpoint: number }) => checkpoint)).not.toContain(1);
    expect(await worldline("rewind precious")).toMatchObject({ code: 0 });
  });
});
