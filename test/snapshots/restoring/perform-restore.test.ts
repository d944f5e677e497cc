import { linkSync, lstatSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeNew } from "../../../src/disk/durable-files.ts";
import { type Remark, remark, remarkOf, WorldlineError } from "../../../src/record/error.ts";
import type { PathBytes } from "../../../src/record/files.ts";
import { performRestore } from "../../../src/snapshots/restoring/restore.ts";
import { realWorkspaceDisk } from "../../../src/snapshots/workspace/real-workspace-disk.ts";
import { FailingWorkspaceDisk } from "../../../src/testing/disk/failing-workspace-disk.ts";
import {
  file,
  folder,
  inScene,
  JOURNAL,
  journey,
  link,
  type Node,
  restoredAll,
  type Scene,
  sorted,
  type Tree,
} from "./scene.ts";
import { AFTER, BEFORE } from "./two-trees.ts";

/** The possible states of the path `x`, including everything below it. */
const KINDS: Readonly<Record<string, Tree>> = {
  nothing: {},
  "a file": { x: file("content") },
  "another file": { x: file("content, but not that", 0o600) },
  "an empty folder": { x: folder() },
  "a full folder": { x: folder(0o750), "x/a": folder(), "x/a/b": file("deep"), "x/c": link("a") },
  "a link": { x: link("/etc") },
  "another link": { x: link("y") },
};

async function restoreAndCompare(scene: Scene, before: Tree, after: Tree): Promise<void> {
  const outcomes = await scene.restore(before, after);
  expect(outcomes).toEqual(restoredAll(scene.steps(before, after)));
  expect(scene.tree()).toEqual(sorted(after));
  expect(scene.journalFiles()).toEqual([]);
}

describe("restoring", () => {
  for (const [from, before] of Object.entries(KINDS)) {
    for (const [to, after] of Object.entries(KINDS)) {
      it(`turns ${from} into ${to}`, () => inScene((scene) => restoreAndCompare(scene, before, after)));
    }
  }

  it("restores paths so long that no temporary name fits next to them", () =>
    inScene(async (scene) => {
      const before: Record<PathBytes, Node> = {};
      const after: Record<PathBytes, Node> = {};
      const longest = process.platform === "darwin" ? 1023 : 4095;
      let path = "d".repeat(200);
      for (; scene.root.length + path.length < longest - 210; path += `/${"d".repeat(200)}`) {
        Object.assign(before, { [path]: folder() });
        Object.assign(after, { [path]: folder() });
      }
      const fill = (name: string): string =>
        `${path.slice(0, path.lastIndexOf("/"))}/${name.repeat(longest - scene.root.length - 2 - path.lastIndexOf("/"))}`;
      Object.assign(before, { [fill("a")]: file("now") });
      Object.assign(after, { [fill("a")]: file("then"), [fill("b")]: link("x"), [fill("c")]: folder() });
      await restoreAndCompare(scene, before, after);
    }));

  it("makes every kind of change at once", () => inScene((scene) => restoreAndCompare(scene, BEFORE, AFTER)));

  it("syncs what it wrote before it moves it, and each place that it touched, once, before the journal goes", () =>
    inScene(async (scene) => {
      const written: string[] = [];
      const writeNew: typeof realWorkspaceDisk.writeNew = (path, bytes, mode) => {
        realWorkspaceDisk.writeNew(path, bytes, mode);
        // Recorded only after a successful write: in a closed folder, the first attempt is refused.
        written.push(path.slice(scene.root.length + 1));
      };
      const workspaceDisk = new FailingWorkspaceDisk({ ...realWorkspaceDisk, writeNew }, ({ name }) => {
        if (name === "sync") expect(scene.journalFiles()).toHaveLength(1);
        return undefined;
      });
      await scene.restore(BEFORE, AFTER, { workspaceDisk });
      expect(scene.tree()).toEqual(sorted(AFTER));
      const synced = workspaceDisk.operations
        .filter(({ name }) => name === "sync")
        .map(({ path }) => path.slice(scene.root.length + 1));
      expect(synced.slice(0, written.length).sort()).toEqual(written.sort());
      expect(synced.slice(written.length).sort()).toEqual(
        [
          "",
          "closed",
          "closing",
          "edit",
          "edit/mode",
          "made",
          "made/deep",
          "made/empty",
          "turn1",
          "turn1/x",
        ].concat(["turn2", "turn3", "turn3/x", "turn4", "turn5"]),
      );
    }));

  it("reaches every name that a file system can hold", () =>
    inScene((scene) =>
      restoreAndCompare(
        scene,
        { "\xff\xfe": file("not UTF-8"), "new\nline": folder(), "new\nline/ ": file("a space") },
        {
          "\xc3\xa9\xff": folder(),
          "\xc3\xa9\xff/\x80": link("\xff"),
          "-rf *": file("no option"),
          ["n".repeat(255)]: file(""),
        },
      ),
    ));

  it("brings back all twelve bits of a mode, of folders too", () =>
    inScene((scene) =>
      restoreAndCompare(
        scene,
        { a: file("a", 0o600), c: folder(), d: folder(0o700) },
        {
          a: file("a", 0o6755),
          b: file("b", 0o4711),
          c: folder(0o1777),
          d: folder(0o2755),
          e: folder(0o3700),
        },
      ),
    ));

  it("changes a mode alone where the bytes are the same, without the bytes", () =>
    inScene(async (scene) => {
      const steps = scene.steps({ a: file("a", 0o644) }, { a: file("a", 0o600) });
      scene.plant({ a: file("a", 0o644) });
      const { ino } = lstatSync(join(scene.root, "a"));
      scene.contents.clear();
      expect(await performRestore(scene.deps(), scene.request(steps))).toEqual(restoredAll(steps));
      const stat = lstatSync(join(scene.root, "a"));
      expect([stat.ino, stat.mode & 0o7777]).toEqual([ino, 0o600]);
    }));

  it("gives the workspace itself its mode", () =>
    inScene(async (scene) => {
      const steps = scene.steps({ "": folder(0o755) }, { "": folder(0o700), a: file("a") });
      expect(await performRestore(scene.deps(), scene.request(steps))).toEqual(restoredAll(steps));
      expect(lstatSync(scene.root).mode & 0o7777).toBe(0o700);
    }));

  it("gives what it restores a new time, so that build tools notice", () =>
    inScene(async (scene) => {
      const steps = scene.steps({ a: file("new") }, { a: file("old") });
      scene.plant({ a: file("new") });
      utimesSync(join(scene.root, "a"), 1, 1);
      await performRestore(scene.deps(), scene.request(steps));
      expect(lstatSync(join(scene.root, "a")).mtimeMs).toBeGreaterThan(Date.now() - 60_000);
    }));

  for (const [what, after] of [
    ["its content", file("a2")],
    ["its mode", file("a", 0o600)],
  ] as const) {
    it(`says that a hard link was broken, and leaves the other name alone, when ${what} changes`, () =>
      inScene(async (scene) => {
        scene.plant({ a: file("a") });
        linkSync(join(scene.root, "a"), join(scene.outside, "other"));
        const steps = scene.steps({ a: file("a") }, { a: after });
        expect(await performRestore(scene.deps(), scene.request(steps))).toEqual([
          { path: "a", outcome: "restored", ...remark("path-hard-link-split") },
        ]);
        expect(scene.tree()).toEqual({ a: after });
        const other = join(scene.outside, "other");
        expect([readFileSync(other, "latin1"), lstatSync(other).mode & 0o7777]).toEqual(["a", 0o644]);
      }));
  }

  it("tells how far it is", () =>
    inScene(async (scene) => {
      const seen: [number, number][] = [];
      const steps = scene.steps({}, { a: file("a"), b: folder(), "b/c": link("a") });
      const onProgress = (done: number, of: number): void => void seen.push([done, of]);
      await performRestore(scene.deps(), scene.request(steps, { onProgress }));
      expect(seen).toEqual([
        [1, 3],
        [2, 3],
        [3, 3],
      ]);
    }));
});

describe("the log's moment", () => {
  it("comes when the journal is there and before anything is touched", () =>
    inScene(async (scene) => {
      scene.plant(BEFORE);
      const steps = scene.steps(BEFORE, AFTER);
      const commit = async (): Promise<void> => {
        expect(scene.journal.list().map(({ journey: its, steps: all }) => ({ its, all }))).toEqual([
          { its: journey, all: steps },
        ]);
        expect(scene.tree()).toEqual(sorted(BEFORE));
      };
      expect(await performRestore(scene.deps(), scene.request(steps, { commit }))).toEqual(
        restoredAll(steps),
      );
    }));

  it("ends the restore when it fails, with nothing touched and no journal left", () =>
    inScene(async (scene) => {
      scene.plant(BEFORE);
      const steps = scene.steps(BEFORE, AFTER);
      const commit = (): Promise<void> => Promise.reject(new Error("the log is full"));
      await expect(performRestore(scene.deps(), scene.request(steps, { commit }))).rejects.toThrow(
        "the log is full",
      );
      expect(scene.tree()).toEqual(sorted(BEFORE));
      expect(scene.journalFiles()).toEqual([]);
    }));
});

describe("a restore after one whose journal is damaged", () => {
  it("is refused before anything is touched, says where the journal is now, and goes through the next time", () =>
    inScene(async (scene) => {
      scene.journalDisk.makeFolder(JOURNAL);
      writeNew(scene.journalDisk, `${JOURNAL}/1.json`, Buffer.from("{"));
      scene.plant(BEFORE);
      const steps = scene.steps(BEFORE, AFTER);
      const commit = (): Promise<void> => Promise.reject(new Error("nothing may be committed"));
      await expect(performRestore(scene.deps(), scene.request(steps, { commit }))).rejects.toMatchObject({
        code: "RESTORE_UNFINISHED",
        hint: `See what differs (worldline diff), then try again. The journal was set aside as ${JOURNAL}/1.damaged`,
      });
      expect(scene.tree()).toEqual(sorted(BEFORE));
      expect(await performRestore(scene.deps(), scene.request(steps))).toEqual(restoredAll(steps));
      expect(scene.journalFiles()).toEqual(["1.damaged"]);
    }));
});

describe("what a restore cannot vouch for", () => {
  it("is a file whose content is missing: it stays, and the others are restored", () =>
    inScene(async (scene) => {
      const [before, after] = [
        { a: file("a"), b: file("b") },
        { a: file("lost"), b: file("c") },
      ];
      scene.plant(before);
      const steps = scene.steps(before, after);
      const [lost] = [...scene.contents].find(([, bytes]) => bytes.toString() === "lost") ?? [""];
      scene.contents.delete(lost);
      expect(await performRestore(scene.deps(), scene.request(steps))).toEqual([
        { path: "a", outcome: "failed", ...missingContent(lost) },
        { path: "b", outcome: "restored" },
      ]);
      expect(scene.tree()).toEqual({ a: file("a"), b: file("c") });
    }));

  it("is what a disk has not written as ordered", () =>
    inScene(async (scene) => {
      const writeNew: typeof realWorkspaceDisk.writeNew = (path, bytes, mode) =>
        realWorkspaceDisk.writeNew(path, Buffer.from(bytes).reverse(), mode);
      const workspaceDisk = { ...realWorkspaceDisk, writeNew };
      const after = { a: file("ab"), b: folder(), "b/c": link("a") };
      expect(await scene.restore({}, after, { workspaceDisk })).toEqual([
        { path: "a", outcome: "failed", ...remark("restore-wrong-after-writing") },
        { path: "b", outcome: "restored" },
        { path: "b/c", outcome: "restored" },
      ]);
    }));

  it("is a mode that the file system does not keep", () =>
    inScene(async (scene) => {
      const workspaceDisk = { ...realWorkspaceDisk, chmod: () => {} };
      const [before, after] = [
        { a: file("a"), b: folder() },
        { a: file("a", 0o600), b: folder(0o700) },
      ];
      expect(await scene.restore(before, after, { workspaceDisk })).toEqual([
        { path: "a", outcome: "failed", ...remark("restore-wrong-after-writing") },
        {
          path: "b",
          outcome: "failed",
          ...remark("restore-mode-not-set", {
            problem: { reason: "restore-wrong-after-writing", params: {} },
          }),
        },
      ]);
    }));
});

function missingContent(hash: string): Remark {
  return remarkOf(new WorldlineError("object-missing", { kind: "content", hash }));
}
