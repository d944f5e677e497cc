import {
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HeldFolders } from "../../../src/disk/held-folder.ts";
import type { PathOutcome } from "../../../src/ports/workspace-files.ts";
import { performRestore, settleRestore } from "../../../src/snapshots/restoring/restore.ts";
import {
  realWorkspaceDisk,
  workspaceDiskThrough,
} from "../../../src/snapshots/workspace/real-workspace-disk.ts";
import type { WorkspaceDisk } from "../../../src/snapshots/workspace/workspace-disk.ts";
import { FailingWorkspaceDisk, Killed, killAt } from "../../../src/testing/disk/failing-workspace-disk.ts";
import { partOf } from "../../support/part-of.ts";
import { file, folder, inScene, link, type Scene, type Tree } from "./scene.ts";

const before: Tree = {
  a: folder(),
  "a/changed": file("old"),
  "a/deleted": file("to go"),
  "a/emptied": folder(),
  "a/emptied/last": file("the last one"),
  "a/mode": file("same", 0o600),
  "a/sub": folder(0o700),
  "a/sub/deep": file("deep"),
  "a/turned": file("a file"),
};
const after: Tree = {
  a: folder(),
  "a/changed": file("new"),
  "a/created": file("created"),
  "a/link": link("changed"),
  "a/made": folder(),
  "a/made/inside": file("inside"),
  "a/mode": file("same", 0o755),
  "a/sub": folder(0o750),
  "a/sub/deep": file("deeper"),
  "a/turned": folder(),
};

/** The real disk without syncing; these tests cut no power. */
const disk: WorkspaceDisk = { ...realWorkspaceDisk, sync: async () => new Map() };

/**
 * Simulates another process that replaces a workspace folder with a link to an identical-looking one outside,
 * and later swaps it back.
 */
class Swapper {
  readonly #place: string;
  readonly #away: string;
  readonly #outside: string;
  #state: "folder" | "link" = "folder";

  constructor({ root, outside }: Scene) {
    this.#place = join(root, "a");
    this.#away = join(root, "a-away");
    this.#outside = join(outside, "a");
  }

  swapIn(): void {
    if (this.#state === "link" || lstatSync(this.#place, { throwIfNoEntry: false }) === undefined) return;
    renameSync(this.#place, this.#away);
    symlinkSync(this.#outside, this.#place);
    this.#state = "link";
  }

  swapBack(): void {
    if (this.#state === "folder") return;
    unlinkSync(this.#place);
    renameSync(this.#away, this.#place);
    this.#state = "folder";
  }
}

/** Everything below a folder with its kind, mode and time of change. */
function canaries(place: string): string[] {
  return readdirSync(place, { recursive: true, encoding: "utf8" })
    .sort()
    .concat(".")
    .map((name) => {
      const path = join(place, name);
      const stat = lstatSync(path);
      const content = stat.isFile()
        ? readFileSync(path, "utf8")
        : stat.isSymbolicLink()
          ? readlinkSync(path)
          : "";
      return [name, stat.mode, stat.mtimeMs, stat.ino, content].join(" ");
    });
}

/**
 * Plants an outside folder that looks like the workspace's: each of its files could be mistaken for one of
 * ours.
 */
function plantOutside(scene: Scene): void {
  scene.plant(nextTo(before));
}

function nextTo(tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).map(([path, node]) => [`../outside/${path}`, node]));
}

interface Swap {
  readonly at: number;
  /** After how many calls the folder is swapped back; "never" means not during the restore. */
  readonly back: number | "never";
}

async function restoreWhileSwapping(scene: Scene, swap: Swap, real: WorkspaceDisk = disk): Promise<number> {
  scene.plant(before);
  plantOutside(scene);
  const untouched = canaries(scene.outside);
  const swapper = new Swapper(scene);
  const swapping = swappingDisk(swapper, swap, real);
  const steps = scene.steps(before, after);
  const outcomes = await performRestore(scene.deps({ workspaceDisk: swapping }), scene.request(steps));
  swapper.swapBack();
  expect(canaries(scene.outside)).toEqual(untouched);
  expectHonest(scene, outcomes);
  return swapping.operations.length;
}

async function finishWhileSwapping(scene: Scene, swap: Swap): Promise<number> {
  scene.plant(before);
  plantOutside(scene);
  const untouched = canaries(scene.outside);
  const killed = new FailingWorkspaceDisk(disk, killAt(6));
  const request = scene.request(scene.steps(before, after));
  await expect(performRestore(scene.deps({ workspaceDisk: killed }), request)).rejects.toBeInstanceOf(Killed);
  const swapper = new Swapper(scene);
  const swapping = swappingDisk(swapper, swap);
  const id = scene.journal.list()[0]?.id ?? "";
  const outcomes = await settleRestore(scene.deps({ workspaceDisk: swapping }), { id }, "forward");
  swapper.swapBack();
  expect(canaries(scene.outside)).toEqual(untouched);
  expectHonest(scene, outcomes);
  return swapping.operations.length;
}

function swappingDisk(swapper: Swapper, { at, back }: Swap, real = disk): FailingWorkspaceDisk {
  return new FailingWorkspaceDisk(real, ({ number }) => {
    if (number === at) swapper.swapIn();
    if (back !== "never" && number === at + back) swapper.swapBack();
    return undefined;
  });
}

async function inNewScene(work: (scene: Scene) => Promise<number>): Promise<number> {
  let calls = 0;
  await inScene(async (scene) => {
    calls = await work(scene);
  });
  return calls;
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** Checks that paths reported as restored really are, in the folder that always belonged to the workspace. */
function expectHonest(scene: Scene, outcomes: readonly PathOutcome[]): void {
  const tree = scene.tree();
  const restored = outcomes.filter(({ outcome }) => outcome === "restored").map(({ path }) => path);
  expect(Object.fromEntries(restored.map((path) => [path, tree[path]]))).toEqual(
    Object.fromEntries(restored.map((path) => [path, after[path]])),
  );
}

describe("restoring while another process swaps a folder for a link to the outside", () => {
  it.each(["never", 1, 2, 4] as const)(
    "touches nothing outside, at whatever call (back after %s)",
    async (back) => {
      const calls = await inNewScene(async (scene) => restoreWhileSwapping(scene, { at: Infinity, back }));
      expect(calls).toBeGreaterThan(100);
      const from = ["never", 1, 2, 4].indexOf(back);
      for (const at of partOf(upTo(calls), 4, from))
        await inNewScene(async (scene) => restoreWhileSwapping(scene, { at, back }));
    },
  );

  it("touches nothing outside where folders cannot be held, and are checked", async () => {
    const checking = { ...workspaceDiskThrough(new HeldFolders("checks")), sync: disk.sync };
    const calls = await inNewScene(async (scene) =>
      restoreWhileSwapping(scene, { at: Infinity, back: 1 }, checking),
    );
    for (const at of partOf(upTo(calls), 16))
      await inNewScene(async (scene) => restoreWhileSwapping(scene, { at, back: 1 }, checking));
  });

  it("says of a path whose folder was replaced that it failed for that", async () => {
    await inScene(async (scene) => {
      scene.plant(before);
      plantOutside(scene);
      const swapper = new Swapper(scene);
      const steps = scene.steps({ "a/changed": file("old") }, { "a/changed": file("new") });
      const swapping = new FailingWorkspaceDisk(disk, ({ name }) => {
        if (name === "rename") swapper.swapIn();
        return undefined;
      });
      const outcomes = await performRestore(scene.deps({ workspaceDisk: swapping }), scene.request(steps));
      swapper.swapBack();
      expect(outcomes).toEqual([
        expect.objectContaining({ path: "a/changed", outcome: "failed", detail: "parent-changed" }),
      ]);
      expect(scene.tree()["a/changed"]).toEqual(before["a/changed"]);
    });
  });

  it("touches nothing outside while it finishes a restore that was cut off", async () => {
    const calls = await inNewScene(async (scene) => finishWhileSwapping(scene, { at: Infinity, back: 2 }));
    expect(calls).toBeGreaterThan(100);
    for (const at of partOf(upTo(calls), 8))
      await inNewScene(async (scene) => finishWhileSwapping(scene, { at, back: 2 }));
  });
});

describe("reading what another process swaps", () => {
  it("finds no names, contents or link targets of the outside", async () => {
    await inScene(async (scene) => {
      const inside = { a: folder(), "a/file": file("ours"), "a/l": link("ours"), "a/sub": folder() };
      scene.plant({ ...inside, "a/sub/ours": file("") });
      const outside = { a: folder(), "a/file": file("theirs"), "a/l": link("theirs"), "a/sub": folder() };
      scene.plant(nextTo({ ...outside, "a/sub/theirs": file("") }));
      const place = join(scene.root, "a");
      const calls = {
        readFile: () => realWorkspaceDisk.readFile(`${place}/file`).bytes.toString(),
        readLink: () => realWorkspaceDisk.readLink(`${place}/l`),
        stat: () => realWorkspaceDisk.stat(`${place}/file`)?.inode,
      };
      const ours = { readFile: "ours", readLink: "ours", stat: calls.stat() };
      const swapper = new Swapper(scene);
      for (const [name, call] of Object.entries(calls)) {
        expect(call(), name).toEqual(ours[name as keyof typeof ours]);
        swapper.swapIn();
        // The folder is still held, so the call reads the original content and not the outside's.
        expect(call(), name).toEqual(ours[name as keyof typeof ours]);
        await Promise.resolve();
        expect(call, name).toThrow(expect.objectContaining({ code: "PARENT_CHANGED" }));
        swapper.swapBack();
      }
      expect(realWorkspaceDisk.names(`${place}/sub`)).toEqual(["ours"]);
      swapper.swapIn();
      expect(() => realWorkspaceDisk.names(`${place}/sub`)).toThrow(
        expect.objectContaining({ code: "PARENT_CHANGED" }),
      );
      expect(realWorkspaceDisk.isPlainFolder?.(place)).toBe(false);
    });
  });
});
