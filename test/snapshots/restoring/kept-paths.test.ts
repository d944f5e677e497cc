import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { remark } from "../../../src/record/error.ts";
import { isOurs } from "../../../src/snapshots/restoring/inspect-paths.ts";
import { performRestore } from "../../../src/snapshots/restoring/restore.ts";
import { realWorkspaceDisk } from "../../../src/snapshots/workspace/real-workspace-disk.ts";
import type { PathStat } from "../../../src/snapshots/workspace/workspace-disk.ts";
import { systemError } from "../../../src/testing/disk/simulated-disk.ts";
import { file, folder, inScene, link, type Scene, type Tree } from "./scene.ts";

describe("what a restore keeps", () => {
  /** Another program makes a change after the restore was planned, while the log is being written. */
  async function afterMeddling(
    scene: Scene,
    trees: { readonly before: Tree; readonly after: Tree },
    meddle: (root: string) => void,
  ): Promise<unknown> {
    scene.plant(trees.before);
    const commit = async (): Promise<void> => meddle(scene.root);
    return performRestore(scene.deps(), scene.request(scene.steps(trees.before, trees.after), { commit }));
  }

  const CHANGED = { outcome: "kept", ...remark("restore-changed-meanwhile") };
  const meddlings: readonly [string, Tree, Tree, (root: string) => void, Tree][] = [
    [
      "a file with other bytes of the same length",
      { x: file("abc") },
      { x: file("new") },
      (root) => writeFileSync(join(root, "x"), "xyz"),
      { x: file("xyz") },
    ],
    [
      "a file with another mode",
      { x: file("abc") },
      {},
      (root) => chmodSync(join(root, "x"), 0o600),
      { x: file("abc", 0o600) },
    ],
    ["a file that is gone", { x: file("abc") }, { x: file("new") }, (root) => rmSync(join(root, "x")), {}],
    [
      "a file that is new",
      {},
      { x: file("new") },
      (root) => writeFileSync(join(root, "x"), "theirs", { mode: 0o600 }),
      { x: file("theirs", 0o600) },
    ],
    [
      "a link that leads elsewhere",
      { x: link("a") },
      { x: link("b") },
      (root) => {
        rmSync(join(root, "x"));
        symlinkSync("c", join(root, "x"));
      },
      { x: link("c") },
    ],
    [
      "a folder with another mode",
      { x: folder(0o755) },
      { x: folder(0o750) },
      (root) => chmodSync(join(root, "x"), 0o711),
      { x: folder(0o711) },
    ],
    [
      "a folder where a file was",
      { x: file("abc") },
      { x: file("new") },
      (root) => {
        rmSync(join(root, "x"));
        mkdirSync(join(root, "x"));
        chmodSync(join(root, "x"), 0o755);
      },
      { x: folder() },
    ],
  ];
  for (const [what, before, after, meddle, stays] of meddlings) {
    it(`is ${what}, and the others are restored`, () =>
      inScene(async (scene) => {
        const trees = { before: { ...before, y: file("y") }, after: { ...after, y: file("z") } };
        expect(await afterMeddling(scene, trees, meddle)).toEqual([
          { path: "x", ...CHANGED },
          { path: "y", outcome: "restored" },
        ]);
        expect(scene.tree()).toEqual({ ...stays, y: file("z") });
      }));
  }

  it("is not what already has the intended content", () =>
    inScene(async (scene) => {
      const trees = { before: { x: file("a") }, after: { x: file("b") } };
      const outcomes = await afterMeddling(scene, trees, (root) => writeFileSync(join(root, "x"), "b"));
      expect(outcomes).toEqual([{ path: "x", outcome: "restored" }]);
    }));

  it("is a file that is edited while its successor is written", () =>
    inScene(async (scene) => {
      const writeNew: typeof realWorkspaceDisk.writeNew = (path, bytes, mode) => {
        realWorkspaceDisk.writeNew(path, bytes, mode);
        writeFileSync(join(scene.root, "x"), "theirs");
      };
      const workspaceDisk = { ...realWorkspaceDisk, writeNew };
      expect(await scene.restore({ x: file("a") }, { x: file("b") }, { workspaceDisk })).toEqual([
        { path: "x", ...CHANGED },
      ]);
      expect(scene.tree()).toEqual({ x: file("theirs") });
    }));

  it("is a file that is written to through a mapping while its successor is made durable", () =>
    inScene(async (scene) => {
      const place = join(scene.root, "x");
      let writes = 0;
      const writeNew: typeof realWorkspaceDisk.writeNew = (path, bytes, mode) => {
        writes += 1;
        // The first attempt, ahead of time, fails, so the file is written only when its turn comes.
        if (writes === 1) throw systemError("EIO", "no room yet");
        realWorkspaceDisk.writeNew(path, bytes, mode);
        writeFileSync(place, "b");
      };
      let seen: PathStat | undefined;
      const stat: typeof realWorkspaceDisk.stat = (path) => {
        if (path !== place) return realWorkspaceDisk.stat(path);
        seen ??= realWorkspaceDisk.stat(path);
        return seen;
      };
      const workspaceDisk = { ...realWorkspaceDisk, writeNew, stat };
      expect(await scene.restore({ x: file("a") }, { x: file("c") }, { workspaceDisk })).toEqual([
        { path: "x", ...CHANGED },
      ]);
      expect(scene.tree()).toEqual({ x: file("b") });
    }));

  for (const [what, after] of [
    ["removed", {}],
    ["given another mode", { x: file("a", 0o600) }],
  ] as const) {
    it(`is a file that is edited right before it is ${what}`, () =>
      inScene(async (scene) => {
        const readFile: typeof realWorkspaceDisk.readFile = (path) => {
          const read = realWorkspaceDisk.readFile(path);
          writeFileSync(join(scene.root, "x"), "theirs");
          return read;
        };
        const workspaceDisk = { ...realWorkspaceDisk, readFile };
        expect(await scene.restore({ x: file("a") }, after, { workspaceDisk })).toEqual([
          { path: "x", ...CHANGED },
        ]);
        expect(scene.tree()).toEqual({ x: file("theirs") });
      }));
  }

  for (const [to, after] of [
    ["nothing", {}],
    ["a file", { x: file("f") }],
    ["a link", { x: link("l") }],
  ] as const) {
    it(`is a folder that holds what is not captured, on its way to ${to}`, () =>
      inScene(async (scene) => {
        const before = { x: folder(0o750), "x/a": file("a") };
        const outcomes = await afterMeddling(scene, { before, after }, (root) => {
          writeFileSync(join(root, "x", "ignored"), "not in any snapshot", { mode: 0o600 });
        });
        expect(outcomes).toEqual([
          { path: "x", outcome: "kept", ...remark("restore-holds-uncaptured") },
          { path: "x/a", outcome: "restored" },
        ]);
        expect(scene.tree()).toEqual({ x: folder(0o750), "x/ignored": file("not in any snapshot", 0o600) });
      }));
  }

  it("keeps the folder that it is in", () =>
    inScene(async (scene) => {
      const before = { x: folder(), "x/a": file("a") };
      const outcomes = await afterMeddling(scene, { before, after: {} }, (root) =>
        writeFileSync(join(root, "x/a"), "theirs"),
      );
      expect(outcomes).toEqual([
        { path: "x", outcome: "kept", ...remark("restore-holds-kept") },
        { path: "x/a", ...CHANGED },
      ]);
    }));

  it("is what was never captured", () =>
    inScene(async (scene) => {
      scene.plant({ a: file("large"), b: file("b") });
      const steps = [
        { path: "a", before: { kind: "left-out", why: "too-large" }, after: undefined },
        {
          path: "b",
          before: scene.steps({ b: file("b") }, {})[0]?.before,
          after: { kind: "left-out", why: "ignored" },
        },
      ] as const;
      expect(await performRestore(scene.deps(), scene.request(steps))).toEqual([
        { path: "a", outcome: "kept", ...remark("restore-left-out") },
        { path: "b", outcome: "kept", ...remark("restore-left-out") },
      ]);
      expect(scene.tree()).toEqual({ a: file("large"), b: file("b") });
    }));
});

describe("a link in the way", () => {
  const LINKED = { outcome: "kept", ...remark("restore-link-in-the-way") };

  it("is never gone through: what is below it is kept", () =>
    inScene(async (scene) => {
      writeFileSync(join(scene.outside, "old"), "theirs");
      scene.plant({ src: link(scene.outside) });
      const steps = scene.steps(
        { "src/old": file("theirs") },
        { "src/new": file("n"), "src/sub": folder(), "src/sub/l": link("x") },
      );
      expect(await performRestore(scene.deps(), scene.request(steps))).toEqual(
        steps.map(({ path }) => ({ path, ...LINKED })),
      );
      expect(readdirSync(scene.outside)).toEqual(["old"]);
      expect(scene.tree()).toEqual({ src: link(scene.outside) });
    }));

  it("gives way first when it is part of the restore, so that nothing is written where it leads", () =>
    inScene(async (scene) => {
      writeFileSync(join(scene.outside, "passwd"), "root", { mode: 0o644 });
      const after = { src: folder(), "src/passwd": file("ours") };
      expect(await scene.restore({ src: link(scene.outside) }, after)).toEqual([
        { path: "src", outcome: "restored" },
        { path: "src/passwd", outcome: "restored" },
      ]);
      expect(scene.tree()).toEqual(after);
      expect(readFileSync(join(scene.outside, "passwd"), "latin1")).toBe("root");
    }));

  it("keeps everything below it when it has to stay", () =>
    inScene(async (scene) => {
      scene.plant({ src: link(scene.outside) });
      const steps = scene.steps({ src: link("elsewhere") }, { src: folder(), "src/passwd": file("ours") });
      expect(await performRestore(scene.deps(), scene.request(steps))).toEqual([
        { path: "src", outcome: "kept", ...remark("restore-changed-meanwhile") },
        { path: "src/passwd", ...LINKED },
      ]);
      expect(readdirSync(scene.outside)).toEqual([]);
    }));

  it("is found however deep, and a file in the way is treated the same", () =>
    inScene(async (scene) => {
      scene.plant({ a: folder(), "a/b": link(scene.outside), f: file("f") });
      mkdirSync(join(scene.outside, "c"));
      const steps = scene.steps({}, { "a/b/c/d": file("d"), "f/g": file("g") });
      expect(await performRestore(scene.deps(), scene.request(steps))).toEqual([
        { path: "a/b/c/d", ...LINKED },
        { path: "f/g", outcome: "kept", ...remark("restore-file-in-the-way") },
      ]);
      expect(readdirSync(join(scene.outside, "c"))).toEqual([]);
    }));

  it("is not needed to leave the workspace: such paths are refused, as is git's own folder", () =>
    inScene(async (scene) => {
      const paths = [
        "../outside/x",
        "a/../../outside/x",
        "/etc/x",
        "a//b",
        "./a",
        ".git/config",
        "sub/.git",
        "a\0b",
      ];
      const steps = scene.steps({}, Object.fromEntries(paths.map((path) => [path, file("x")])));
      expect(await performRestore(scene.deps(), scene.request(steps))).toEqual(
        steps.map(({ path }) => ({ path, outcome: "failed", ...remark("restore-not-allowed") })),
      );
      expect([scene.tree(), readdirSync(scene.outside)]).toEqual([{}, []]);
    }));
});

describe("what is git's own", () => {
  const ours = (platform: NodeJS.Platform, paths: readonly string[]): readonly string[] =>
    paths.filter((path) => isOurs(path, platform));
  const others = ["", "a/git", ".gitignore", ".gitmodules", "a/.git2", "git~2", ".GITattributes"];

  it("is one name where case counts", () => {
    expect(ours("linux", [".git", "a/.git/config"])).toEqual([]);
    const names = [...others, ".GIT", "a/.Git/config", ".git.", "git~1", "a\\b", "a:b"];
    expect(ours("linux", names)).toEqual(names);
  });

  it("is every name that macOS takes for it", () => {
    expect(ours("darwin", [".git", ".GIT/config", "a/.Git", ".g\xe2\x80\x8cit/hooks"])).toEqual([]);
    expect(ours("darwin", [".git.", "GIT~1/hooks"])).toEqual([]);
    const names = [...others, "a\\b", "a:b", "\xff.git"];
    expect(ours("darwin", names)).toEqual(names);
  });

  it("is every name that Windows takes for it, where some names lead elsewhere", () => {
    const names = [
      ".git",
      ".GIT/config",
      "a/.Git. .",
      "GIT~1/config",
      ".git::$INDEX_ALLOCATION",
      "a\\..\\b",
      "C:b",
    ];
    expect(ours("win32", names)).toEqual([]);
    expect(ours("win32", others)).toEqual(others);
  });
});
