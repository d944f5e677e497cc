import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { CaptureProgress, WorkspaceFiles } from "../../src/ports/workspace-files.ts";
import type { SnapshotId } from "../../src/record/ids.ts";
import { realWorkspaceDisk } from "../../src/snapshots/workspace/real-workspace-disk.ts";
import { FailingWorkspaceDisk } from "../../src/testing/disk/failing-workspace-disk.ts";
import { inTempFolder, rejectsWith, sessionNumber } from "../../src/testing/testing.ts";
import { FilesWorld, KEEP_REFERENCED, restoreOf } from "../laws/files/files-world.ts";
import { differences, told, walk } from "../laws/files/independent-walk.ts";
import { MeddlingDisk } from "../laws/files/meddling-disk.ts";

interface Scene {
  readonly world: FilesWorld;
  readonly at: (path: string) => string;
  readonly write: (path: string, text: string) => void;
}

async function inScene(work: (scene: Scene) => Promise<void>): Promise<void> {
  await inTempFolder(async (folder) => {
    const world = new FilesWorld(folder);
    const at = (path: string): string => join(world.workspace, path);
    const write = (path: string, text: string): void => {
      mkdirSync(join(at(path), ".."), { recursive: true });
      writeFileSync(at(path), text);
    };
    await work({ world, at, write });
  });
}

async function captured(
  files: WorkspaceFiles,
  look: "everything" | string[] = "everything",
): Promise<SnapshotId> {
  const { snapshot, state } = await files.capture({ look });
  expect(state).toBe("complete");
  return snapshot;
}

/** Checks that a new snapshot equals an independent walk. */
async function expectExact(
  files: WorkspaceFiles,
  look: "everything" | string[] = "everything",
): Promise<void> {
  const snapshot = await captured(files, look);
  expect(differences(told(await files.list(snapshot)), walk(files.folder))).toEqual([]);
}

/** Stops a capture after it has looked at everything but before it has stored anything. */
async function stopped(files: WorkspaceFiles): Promise<void> {
  const controller = new AbortController();
  const onProgress = ({ phase }: CaptureProgress): void => {
    if (phase === "storing") controller.abort();
  };
  await rejectsWith(
    "CANCELLED",
    files.capture({ look: "everything", signal: controller.signal, onProgress }),
  );
}

/** Writes more files than are stored in one go, so that a capture can be stopped in between. */
function writeMany({ write }: Scene, folder: string): void {
  for (let number = 0; number < 20; number += 1) write(`${folder}/${number}`, `${number}`);
}

describe("a capture that was stopped", () => {
  it("leaves what it found to the next one", async () => {
    await inScene(async (scene) => {
      writeMany(scene, "d");
      const files = scene.world.open();
      await stopped(files);
      await expectExact(files);
      await files.close();
    });
  });

  it("leaves nothing of what was replaced in between", async () => {
    await inScene(async (scene) => {
      const { world, at, write } = scene;
      write("d/old", "old");
      const files = world.open();
      await captured(files);
      writeMany(scene, "d/new");
      symlinkSync("nowhere", at("d/new/link"));
      await stopped(files);
      rmSync(at("d/new"), { recursive: true });
      write("d/new", "a file now");
      await expectExact(files);
      await files.close();
    });
  });

  it.each(["gone", "a file"])(
    "does not bring back what a folder held that was %s in between",
    async (kind) => {
      await inScene(async (scene) => {
        const { world, at, write } = scene;
        write("d/old", "old");
        const files = world.open();
        await captured(files);
        writeMany(scene, "others");
        rmSync(at("d"), { recursive: true });
        if (kind === "a file") write("d", "a file");
        await stopped(files);
        rmSync(at("d"), { force: true });
        write("d/new", "new");
        await expectExact(files);
        await files.close();
      });
    },
  );

  it("is followed by one that looks at everything, whatever paths it is given", async () => {
    await inScene(async (scene) => {
      const { world, at, write } = scene;
      write("a", "one");
      const files = world.open();
      await captured(files);
      rmSync(at("a"));
      writeMany(scene, "others");
      await stopped(files);
      write("a", "two");
      await expectExact(files, ["a"]);
      await files.close();
    });
  });
});

describe("a capture that failed", () => {
  it("is followed by one that sees what it had seen", async () => {
    await inScene(async ({ world, write }) => {
      write("a/one", "one");
      write("b/two", "two");
      const disk = new FailingWorkspaceDisk(realWorkspaceDisk);
      const files = world.open({ workspaceDisk: disk });
      await captured(files);
      write("a/one", "changed");
      write("b/two", "changed");
      const from = disk.operations.length;
      disk.faults = ({ number, name, path }) =>
        number > from + 1 && name === "stat" && path === world.workspace ? "EIO" : undefined;
      await rejectsWith("WORKSPACE_UNUSABLE", files.capture({ look: "everything" }));
      disk.faults = () => undefined;
      await expectExact(files);
      await files.close();
    });
  });
});

describe("capturing known paths", () => {
  it("sees the edit, and only looks there", async () => {
    await inScene(async ({ world, write }) => {
      write("a", "one");
      write("b", "one");
      const files = world.open();
      const before = await captured(files);
      write("a", "two");
      write("b", "two");
      const after = await captured(files, ["a"]);
      expect((await files.compare(before, after)).map(({ path }) => path)).toEqual(["a"]);
      await expectExact(files);
      await files.close();
    });
  });

  it("looks at everything after a restart, because what happened in between is unknown", async () => {
    await inScene(async ({ world, write }) => {
      write("a", "one");
      write("b", "one");
      const first = world.open();
      await captured(first);
      await first.close();
      write("a", "two");
      write("b", "two");
      const files = world.open();
      await expectExact(files, ["a"]);
      await files.close();
    });
  });

  it.each(["../outside", "a/../../outside", "./a", "a//b", "d/", "/etc"])(
    "does not leave the workspace, nor miss anything, with %j",
    async (path) => {
      await inScene(async ({ world, write }) => {
        write("d/in", "one");
        writeFileSync(join(world.workspace, "..", "outside"), "not ours");
        const files = world.open();
        await captured(files);
        write("d/in", "two");
        await expectExact(files, [path]);
        await files.close();
      });
    },
  );

  it("does not take for there what is gone with its folder while it looks", async () => {
    await inScene(async ({ world, at, write }) => {
      const disk = new MeddlingDisk();
      write("d/a", "one");
      const files = world.open({ workspaceDisk: disk });
      await captured(files);
      write("d/a", "two");
      write("new/b", "new");
      for (let looks = 0; looks < 8; looks += 1) {
        mkdirSync(at("d"), { recursive: true });
        write("d/a", `two ${looks}`);
        disk.after(looks, () => rmSync(at("d"), { recursive: true }));
        await files.capture({ look: ["d/a", "new"] });
        disk.after(0, () => undefined);
        await expectExact(files);
      }
      await files.close();
    });
  });
});

describe("an edit right after a capture", () => {
  it("is seen although size and times are as they were, on a disk whose clock ticks slowly", async () => {
    await inScene(async ({ world, at, write }) => {
      const files = world.open({ workspaceDisk: new MeddlingDisk() });
      for (let round = 0; round < 30; round += 1) {
        write("a", `${round}`.padStart(4));
        await captured(files);
        write("a", `${round + 100}`.padStart(4));
        utimesSync(at("a"), 1, 1);
        await captured(files);
        write("a", `${round + 200}`.padStart(4));
        utimesSync(at("a"), 1, 1);
        await expectExact(files);
      }
      await files.close();
    });
  });
});

describe("an edit right after a file was read", () => {
  it.each([
    ["known", ["a"]],
    ["found", "everything"],
  ] as const)("is seen by the next capture, however long the first one takes (%s)", async (_how, look) => {
    for (let looks = 0; looks < 5; looks += 1) {
      await inScene(async ({ world, write }) => {
        const disk = new MeddlingDisk(40);
        write("a", "zero");
        const files = world.open({ workspaceDisk: disk });
        await captured(files);
        write("a", "1111");
        disk.after(looks, () => {
          write("a", "2222");
          for (const until = Date.now() + 60; Date.now() < until; );
        });
        await files.capture({ look });
        disk.after(0, () => undefined);
        await expectExact(files);
        await files.close();
      });
    }
  });
});

describe("the store within the workspace", () => {
  it("is not captured, wherever a link to it leads", async () => {
    await inTempFolder(async (folder) => {
      const workspace = join(folder, "workspace");
      mkdirSync(join(workspace, "kept", "here"), { recursive: true });
      symlinkSync(join(workspace, "kept", "here"), join(folder, "home"));
      const world = new FilesWorld(folder);
      const files = world.open();
      const first = await captured(files);
      expect(await captured(files)).toBe(first);
      expect(await files.stateAt(first, "kept/here")).toEqual({ kind: "left-out", why: "own-store" });
      await files.close();
    });
  });
});

describe("a gc in another process", () => {
  const keptFor = { session: sessionNumber(1), checkpoint: 1, on: "prompt" } as const;

  it("is noticed: what it let go is not there, and is captured again", async () => {
    await inScene(async ({ world, at, write }) => {
      write("a", "kept");
      const files = world.open();
      await files.capture({ look: "everything", keptFor });
      write("d/b", "not kept");
      const loose = await captured(files);
      renameSync(at("d"), at("e"));
      await captured(files);
      await files.close();
      const others = world.open();
      const stays = world.open();
      expect(await stays.has(loose)).toBe(true);
      await others.close();
      const upkeep = world.upkeep();
      rmSync(at("e"), { recursive: true });
      await captured(stays);
      await stays.close();
      const reader = world.open();
      expect(await reader.has(loose)).toBe(true);
      await upkeep.collect({ ...KEEP_REFERENCED, maxBytes: 1 }, async () => "yes");
      expect(await reader.has(loose)).toBe(false);
      await rejectsWith("SNAPSHOT_MISSING", reader.keep(keptFor, loose));
      write("d/b", "not kept");
      await expectExact(reader);
      expect(await upkeep.verify()).toMatchObject({ damage: [], problems: [], refDamage: [] });
      await reader.close();
      upkeep.close();
    });
  });

  it("keeps what a process that stays open has captured and kept", async () => {
    await inScene(async ({ world, write }) => {
      write("a", "one");
      const files = world.open();
      const { snapshot } = await files.capture({ look: "everything", keptFor });
      const other = world.open();
      expect(await other.has(snapshot)).toBe(true);
      const upkeep = world.upkeep();
      expect(await upkeep.verify()).toMatchObject({ snapshots: 1, damage: [], problems: [] });
      await upkeep.collect({ ...KEEP_REFERENCED, maxBytes: 1 }, async () => "yes");
      write("a", "two");
      const now = await captured(files);
      const outcomes = await files.restore(restoreOf(await files.compare(now, snapshot), now));
      expect(outcomes).toEqual([{ path: "a", outcome: "restored" }]);
      expect(await upkeep.verify()).toMatchObject({ damage: [], problems: [], refDamage: [] });
      upkeep.close();
      await other.close();
      await files.close();
    });
  });
});

describe("a FIFO in the place of git's files", () => {
  it.each([".git", ".git/HEAD"])("is not waited for (%s)", async (path) => {
    await inScene(async ({ world, at, write }) => {
      if (path !== ".git") write(".git/config", "");
      execFileSync("mkfifo", [at(path)]);
      const files = world.open();
      const { gitHead, state } = await files.capture({ look: "everything" });
      expect({ gitHead, state }).toEqual({ gitHead: undefined, state: "complete" });
      await files.close();
    });
  });
});

describe("the manifest of a large capture", () => {
  it("spares another process the reading while the first one still runs", async () => {
    await inScene(async ({ world, write }) => {
      for (let number = 0; number < 1_100; number += 1) write(`d${number % 10}/${number}`, `${number}`);
      // Wait until the files are old enough to be trusted; otherwise they would be read again.
      await setTimeout(100);
      const first = world.open();
      const snapshot = await captured(first);
      const disk = new FailingWorkspaceDisk(realWorkspaceDisk);
      const second = world.open({ workspaceDisk: disk });
      expect(await captured(second)).toBe(snapshot);
      // Only ignore rules from outside the workspace may be read.
      const read = disk.operations.filter(({ name, path }) => name === "readFile" && path.includes("/d"));
      expect(read).toEqual([]);
      await second.close();
      await first.close();
    });
  });
});

/**
 * Removes a captured folder and runs `during` after each possible number of looks of the next capture, in a
 * fresh scene each time.
 */
async function whileLookedAt(story: {
  readonly before: (scene: Scene) => void;
  readonly during: (scene: Scene) => void;
  readonly look: readonly string[];
}): Promise<void> {
  for (let looks = 0; looks < 16; looks += 1) {
    await inScene(async (scene) => {
      const disk = new MeddlingDisk();
      scene.write("d/old", "old");
      const files = scene.world.open({ workspaceDisk: disk });
      await captured(files);
      rmSync(scene.at("d"), { recursive: true });
      story.before(scene);
      disk.after(looks, () => story.during(scene));
      await files.capture({ look: story.look });
      disk.after(0, () => undefined);
      await expectExact(files);
      await files.close();
    });
  }
}

describe("a folder that changes while it is looked at", () => {
  it("holds nothing of what it held before, when it becomes a file and a folder again", () =>
    whileLookedAt({
      before: ({ write }) => {
        write("d", "a file");
        write("new/b", "new");
      },
      during: ({ at }) => {
        rmSync(at("d"));
        mkdirSync(at("d"));
      },
      look: ["d", "d/old", "new"],
    }));

  it("is in that snapshot or in the next one, if it is created again", () =>
    whileLookedAt({
      before: () => undefined,
      during: ({ at }) => mkdirSync(at("d"), { recursive: true }),
      look: ["d", "d/old"],
    }));
});

describe("a path that is too long because of one long name", () => {
  it("is the only path that is left out", () =>
    inScene(async ({ world, write }) => {
      write("file.txt", "one");
      const name = "n".repeat(250);
      // Creates and removes the folders from inside, because no call accepts the longest paths.
      const inside = (script: string) => execFileSync("/bin/sh", ["-c", script], { cwd: world.workspace });
      inside(`for level in $(seq 20); do mkdir ${name} && cd -P ${name}; done; echo bottom > bottom.txt`);
      try {
        const files = world.open();
        const { state, snapshot } = await files.capture({ look: "everything" });
        const [gap, ...others] = await files.gaps(snapshot);
        expect([state, gap?.why, others]).toEqual(["partial", "path-too-long", []]);
        expect(gap?.path.length).toBeGreaterThan(3_500);
      } finally {
        inside(`rm -rf ${name}`);
      }
    }));
});
