import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { performGc, planGc } from "../../../src/snapshots/keeping/gc.ts";
import { SimulatedDisk } from "../../../src/testing/testing.ts";
import { KeptScene, ONE, prompt, ROOMY, TWO } from "../../snapshots/keeping/kept-scene.ts";
import { looksOf } from "./looks.ts";
import { ended, type Scene, scene, until } from "./scene.ts";

/** The total size of the files; those removed while it runs count as nothing. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
    .reduce((sum, stat) => sum + (stat?.isFile() === true ? stat.size : 0), 0);
}

/** Temporary files and locks that killed programs have left. */
function leftovers({ home, workspace }: Scene): readonly string[] {
  const inStore = readdirSync(join(home, "snapshots"), { recursive: true, encoding: "utf8" });
  const inWorkspace = readdirSync(workspace, { recursive: true, encoding: "utf8" });
  // A dead writer's lock next to an existing segment marks the segment's end as possibly torn; the next
  // writer takes over both.
  const isNeeded = (name: string): boolean =>
    name.endsWith(".lock") && inStore.includes(name.replace(/lock$/u, "seg"));
  return [
    ...inStore.filter((name) => /(^|\/)(leases|journal)\/.|\.lock|tmp/u.test(name) && !isNeeded(name)),
    ...inWorkspace.filter((name) => name.includes(".worldline-restore-")),
  ];
}

describe("a store inside the workspace", () => {
  it("is never captured, so that it does not grow by itself", async () => {
    const { sh, home, workspace, checkpoint, json, rewind } = scene({ homeIn: "workspace" });
    sh("head -c 200000 /dev/urandom > file");
    const first = await checkpoint();
    const grown = sizeOf(home);
    // The log and the store have been written to since, so a capture of them would find changes.
    const second = await checkpoint();
    expect(second.files.snapshot).toBe(first.files.snapshot);
    expect(sizeOf(home) - grown).toBeLessThan(20_000);
    expect(await json(["why", "home"])).toMatchObject({
      coverage: "left-out",
      leftOut: { path: "home", why: "own-store" },
    });
    sh("rm file");
    await rewind(1);
    expect(statSync(join(workspace, "file")).size).toBe(200_000);
    expect(await json(["checkpoints"])).toMatchObject({ checkpoints: [{ number: 2 }, { number: 1 }] });
  });
});

describe("one store", () => {
  it("for all workspaces and sessions keeps the same content once", async () => {
    const { sh, home, outside, checkpoint } = scene();
    sh("head -c 300000 /dev/urandom > file; cp file ../outside/copy; cp file copy");
    await checkpoint();
    const size = sizeOf(join(home, "snapshots"));
    await checkpoint({ cwd: outside });
    await checkpoint();
    expect(size).toBeLessThan(400_000);
    expect(sizeOf(join(home, "snapshots")) - size).toBeLessThan(20_000);
  });

  it("keeps within its cap: gc lets the oldest go, says which, and keeps the newest and what has a name", async () => {
    const { sh, home, json, rewind } = scene();
    const most = 1_100_000;
    for (const name of ["named", "second", "third"]) {
      sh("head -c 500000 /dev/urandom > file");
      await json(name === "named" ? ["checkpoint", name] : ["checkpoint"]);
    }
    const limits = ["--setting", `snapshots.maxBytes=${most}`, "--setting", "checkpointKeepCount=1"];
    const wouldGo = await json(["store", "gc", "--dry-run", ...limits]);
    expect(wouldGo).toMatchObject({ changed: false, released: [{ checkpoint: 2 }], fits: true });
    const collected = await json(["store", "gc", "--yes", ...limits]);
    expect(collected).toMatchObject({ changed: true, released: [{ checkpoint: 2 }] });
    expect(sizeOf(join(home, "snapshots"))).toBeLessThan(most);
    expect(await json(["checkpoints"])).toMatchObject({
      checkpoints: [
        { number: 3, files: { state: "complete" } },
        { number: 2, files: { state: "gone" } },
        { number: 1, files: { state: "complete" } },
      ],
    });
    expect((await rewind(1)).files.outcome).toMatchObject({ restored: 1, failed: 0 });
  });
});

describe("a gc of many segments", () => {
  it("needs little more room than it has, whatever it moves, and not twice the space", () => {
    const disk = new SimulatedDisk();
    let most = 0;
    const measured = new Proxy(disk, {
      get: (target, name: keyof SimulatedDisk) => {
        const value: unknown = target[name];
        if (typeof value !== "function") return value;
        return (...given: unknown[]): unknown => {
          const result: unknown = Reflect.apply(value, target, given);
          if (name === "write") most = Math.max(most, storedOn(target));
          return result;
        };
      },
    });
    const kept = new KeptScene(measured);
    const trees = Array.from({ length: 60 }, (_, n) => ({ "own.txt": `own ${n}`.padEnd(90, ".") }));
    // Every other snapshot is unreferenced, so each segment has to be rewritten.
    const all = trees.map((tree, n) => kept.keep(tree, prompt(n, n % 2 === 0 ? ONE : TWO), n));
    kept.refs.dropSession(TWO);
    const mine = all.filter(({ keptFor }) => keptFor.session === ONE);
    const before = storedOn(disk);
    most = 0;
    const { freedBytes } = performGc(kept, planGc(kept, ROOMY));
    expect(freedBytes).toBeGreaterThan(0.4 * before);
    // Segments are 600 bytes here: one is being copied while the next one is begun.
    expect(most - before).toBeLessThan(2 * 600);
    expect(before).toBeGreaterThan(20 * 600);
    expect(mine.map(({ snapshot }) => kept.isThere(snapshot))).toEqual(mine.map(() => true));
  });
});

function storedOn(disk: SimulatedDisk): number {
  const folder = join("/home", "snapshots", "segments");
  const segments = disk.list(folder).filter((name) => name.endsWith(".seg"));
  return segments.reduce((sum, name) => sum + (disk.stat(join(folder, name))?.size ?? 0), 0);
}

describe("a program that is killed with -9", () => {
  it("in the middle of a capture leaves nothing that gc does not remove, and costs nothing that was kept", async () => {
    const stage = scene();
    const { sh, home, start, checkpoint, json, rewind } = stage;
    sh("printf one > file");
    await checkpoint();
    const segments = join(home, "snapshots", "segments");
    const before = sizeOf(segments);
    sh(
      "mkdir many; cd many; for n in 1 2 3 4 5 6 7 8; do head -c 4000000 /dev/urandom > $n; done; printf two > ../file",
    );
    const child = start(["checkpoint"]);
    await until(() => sizeOf(segments) > before + 1_000_000 || child.exitCode !== null);
    child.kill("SIGKILL");
    await ended(child);
    sh("rm -r many");
    // The next writer cuts off the incomplete record; gc removes complete objects that have no reference.
    expect((await checkpoint()).files.state).toBe("complete");
    await json(["store", "gc", "--yes"]);
    expect(leftovers(stage)).toEqual([]);
    expect(sizeOf(segments)).toBeLessThan(before + 100_000);
    expect(await json(["store", "verify"])).toMatchObject({ sound: true });
    await rewind(1);
    expect(sh("cat file")).toBe("one");
  });

  it("in the middle of a restore leaves each file as it was or as it was to be, and the next command finishes it", async () => {
    const stage = scene();
    const { sh, workspace, start, checkpoint, json, worldline } = stage;
    const many = (word: string): string =>
      sh(`mkdir -p many; n=0; while [ $n -lt 200 ]; do echo ${word} > many/$n; n=$((n+1)); done`);
    many("one");
    const one = looksOf(workspace);
    await checkpoint();
    many("two");
    const two = looksOf(workspace);
    const folder = join(workspace, "many");
    const child = start(["rewind", "1"]);
    const isAtWork = (): boolean =>
      readdirSync(folder).some((name) => name.startsWith(".worldline-restore-"));
    await until(() => isAtWork() || child.exitCode !== null);
    child.kill("SIGKILL");
    await ended(child);
    // If the program was too fast, it has ended and left nothing.
    if (child.exitCode === null) expect(leftovers(stage)).not.toEqual([]);
    const cut = looksOf(workspace);
    for (const [path, look] of Object.entries(cut)) {
      if (!path.includes(".worldline-restore-")) expect([one[path], two[path]]).toContain(look);
    }
    const next = await worldline(["checkpoint"]);
    expect(next.code).toBe(0);
    expect(looksOf(workspace)).toEqual(one);
    await json(["store", "gc", "--yes"]);
    expect(leftovers(stage)).toEqual([]);
    // The redo needs the id: the checkpoint is new work, which a plain redo does not leave.
    const { journeys } = (await json(["redo", "--list"])) as { journeys: readonly { id: string }[] };
    expect(journeys).toHaveLength(1);
    await json(["redo", journeys[0]?.id ?? "", "--yes"]);
    expect(looksOf(workspace)).toEqual(two);
  });
});
