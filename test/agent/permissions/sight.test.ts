import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { diskSight, programFolders } from "../../../src/agent/permissions/unasked/sight.ts";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";

/** Creates files below a folder. A text such as `-> ../a` stands for a link. */
function create(root: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    const target = /^-> (?<target>.+)$/u.exec(String(text))?.groups?.["target"];
    if (target === undefined) writeFileSync(join(root, name), text, { mode: 0o755 });
    else symlinkSync(target, join(root, name));
  }
}

describe("a repository", () => {
  const HEAD = "ref: refs/heads/main\n";
  const CONFIG = "[core]\n\tbare = false\n[user]\n\tname = filter\n";

  /** Returns the top folder of the repository that may be read from a folder of the workspace. */
  async function topFrom(
    name: string,
    files: Readonly<Record<string, string | Buffer>>,
  ): Promise<string | undefined> {
    return inTempFolder((root) => {
      create(root, { secret: "x", "work/src/b.ts": "", "work/.git/HEAD": HEAD, ...files });
      const top = diskSight(join(root, "work"), {}).repository(join(root, name));
      return top === undefined ? undefined : top.slice(root.length + 1);
    });
  }

  /** A worktree whose main repository is the workspace's. */
  const inner = (shared: string) => ({
    "work/sub/.git": "gitdir: ../.git/worktrees/sub\n",
    "work/.git/worktrees/sub/gitdir": "/none\n",
    "work/.git/worktrees/sub/commondir": shared,
  });

  it.each([
    ["is the nearest one", "work/src", {}, "work"],
    ["is in a folder", "work/sub", { "work/sub/.git/HEAD": HEAD }, "work/sub"],
    ["has a configuration", "work", { "work/.git/config": CONFIG }, "work"],
    ["has a long configuration", "work", { "work/.git/config": "#".repeat(1_000_000) }, "work"],
    ["has links that stay inside", "work", { "work/.git/info/exclude": "-> ../../src/b.ts" }, "work"],
    ["has broken links", "work", { "work/.git/info/exclude": "-> none" }, "work"],
    ["is above a folder with a HEAD", "work/x", { "work/x/HEAD": HEAD }, "work"],
    ["is above a folder with objects", "work/x", { "work/x/objects/a": "", "work/x/commondir": "" }, "work"],
    ["has hooks elsewhere", "work", { "work/.git/hooks/pre-commit": "-> ../../../secret" }, "work"],
    [
      "is named in a file",
      "work/sub",
      { "work/sub/.git": "gitdir: ../modules/a b", "work/modules/a b/HEAD": HEAD },
      "work/sub",
    ],
    [
      "is named in a file with empty lines",
      "work/sub",
      { "work/sub/.git": "gitdir: ../modules/a b\n\n", "work/modules/a b/HEAD": HEAD },
      "work/sub",
    ],
    ["is a worktree of the workspace's", "work/sub", inner("../..\n"), "work/sub"],
    ["is a worktree without an end of the line", "work/sub", inner("../.."), "work/sub"],
  ] as const)("may be read if it %s", async (_, folder, files, top) => {
    expect(await topFrom(folder, files)).toBe(top);
  });

  it("may be read if it is a worktree of a repository elsewhere that knows the worktree", async () => {
    const topOf = async (back: (root: string) => string, files: Readonly<Record<string, string>> = {}) =>
      inTempFolder((root) => {
        create(root, {
          secret: "x",
          "work/sub/.git": "gitdir: ../../main/.git/worktrees/sub\n",
          "main/.git/HEAD": HEAD,
          "main/.git/worktrees/sub/commondir": "../..\n",
          "main/.git/worktrees/sub/gitdir": back(root),
          ...files,
        });
        return diskSight(join(root, "work"), {})
          .repository(join(root, "work/sub"))
          ?.slice(root.length + 1);
      });
    const itself = (root: string) => `${root}/work/sub/.git\n`;
    expect(await topOf(itself)).toBe("work/sub");
    expect(await topOf(itself, { "main/.git/config": CONFIG })).toBe("work/sub");
    expect(await topOf(itself, { "main/.git/config": '[filter "x"]\n' })).toBeUndefined();
    expect(await topOf(itself, { "main/.git/packed-refs": "-> ../../secret" })).toBeUndefined();
    expect(await topOf(itself, { "main/.git/objects/info/alternates": "/x" })).toBeUndefined();
    expect(await topOf((root) => `${root}/work/other/.git\n`)).toBeUndefined();
    expect(await topOf((root) => `${root}/secret\n`)).toBeUndefined();
    expect(await topOf(() => "none\n")).toBeUndefined();
  });

  const outside = "-> ../../../secret";
  it.each([
    ["is a bare one", "work/bare", { "work/bare/HEAD": HEAD, "work/bare/objects/x": "" }],
    ["is a bare one in parts", "work/bare", { "work/bare/HEAD": HEAD, "work/bare/commondir": "../x" }],
    ["is outside", "main", { "main/.git/HEAD": HEAD }],
    ["is a link", "work/sub", { "work/sub/.git": "-> ../.git" }],
    ["is not named at the start of its file", "work/sub", { "work/sub/.git": "x\ngitdir: ../.git\n" }],
    ["is not named alone in its file", "work/sub", { "work/sub/.git": "gitdir: ../.git\nx" }],
    ["is named in an empty file", "work/sub", { "work/sub/.git": "" }],
    ["is named, but missing", "work/sub", { "work/sub/.git": "gitdir: ../none\n" }],
    ["is named, but elsewhere", "work/sub", { "work/sub/.git": "gitdir: ../../a\n", "a/HEAD": HEAD }],
    [
      "is named by a path through a link",
      "work/sub",
      {
        "work/sub/.git": "gitdir: deep/../x\n",
        "work/sub/deep": "-> ../a/b",
        "work/sub/x/HEAD": HEAD,
        "work/a/b/c": "",
        "work/a/x/config": "[filter]\n",
      },
    ],
    [
      "has a name that is not UTF-8",
      "work/sub",
      { "work/sub/.git": Buffer.from("gitdir: x\xff\n", "latin1"), "work/sub/x\uFFFD/HEAD": HEAD },
    ],
    ["has filters", "work", { "work/.git/config": `${CONFIG}[filter "x"]\n` }],
    ["has filters in capitals", "work", { "work/.git/config": "[FILTER.x]\n" }],
    ["has filters after a blank", "work", { "work/.git/config": '[ \tfilter "x"]\n' }],
    ["has filters on a line with others", "work", { "work/.git/config": "[core] a = b [filter]\n" }],
    ["includes files", "work", { "work/.git/config": "[include]\n" }],
    ["includes files sometimes", "work", { "work/.git/config": '[includeIf "x"]\n' }],
    ["has a list for blame", "work", { "work/.git/config": "[blame]\n" }],
    ["has filters for a worktree", "work", { "work/.git/config.worktree": "[filter]\n" }],
    ["has a linked configuration", "work", { "work/.git/config": "-> ../a", "work/a": CONFIG }],
    ["has a huge configuration", "work", { "work/.git/config": "#".repeat(1_000_001) }],
    ["has a folder as configuration", "work", { "work/.git/config/a": "" }],
    ["uses objects elsewhere", "work", { "work/.git/objects/info/alternates": "x" }],
    ["shares a folder elsewhere", "work", { "work/.git/commondir": "../../main\n", "main/HEAD": HEAD }],
    ["shares a folder with a blank", "work", { "work/.git/commondir": "../x \n", "work/x/HEAD": HEAD }],
    ["shares a folder named in a link", "work", { "work/.git/commondir": "-> ../a", "work/a": "../x\n" }],
    ["shares a folder in a folder", "work/sub", inner("x/../..\n")],
    ["shares a folder below", "work/sub", inner("../../x\n")],
    ["shares no named folder", "work", { "work/.git/commondir": "" }],
    ["is in a folder that it shares", "work", { "work/.git/commondir": "../..\n" }],
    ["has linked attributes", "work", { "work/.git/info/attributes": outside }],
    ["has linked refs", "work", { "work/.git/packed-refs": "-> ../../secret" }],
    ["has a linked rebase", "work", { "work/.git/rebase-merge/head-name": outside }],
    ["has a linked patch", "work", { "work/.git/rebase-apply/onto": outside }],
    [
      "has a linked list of graphs",
      "work",
      { "work/.git/objects/info/commit-graphs/a": `-> ${"../".repeat(5)}secret` },
    ],
    ["has a linked worktree", "work", { "work/.git/worktrees/a/gitdir": "-> ../../../../secret" }],
    ["has a linked folder", "work", { "work/.git/logs": "-> ../.." }],
  ] as const)("needs permission if it %s", async (_, folder, files) => {
    expect(await topFrom(folder, files)).toBeUndefined();
  });

  it("needs permission if there is none, even if the workspace is the root", async () => {
    await inTempFolder((root) => {
      for (const workspace of [root, "/"]) expect(diskSight(workspace, {}).repository(root)).toBeUndefined();
    });
  });
});

describe("a path", () => {
  it("is followed to its real place as the system does, even if nothing is there", async () => {
    await inTempFolder((root) => {
      create(root, {
        "work/a": "",
        "other/b": "",
        "work/out": "-> ../other",
        "work/dangling": "-> out/../none",
        "work/far": "-> dangling",
        "work/deep/none": `-> ${root}/other/none`,
        "work/round": "-> about",
        "work/about": "-> round",
      });
      const { place } = diskSight(join(root, "work"), {});
      const placed = (name: string) => place(join(root, "work") + name).replace(root, "");
      expect(
        ["/a", "/none/x", "/out/b", "/out/../x", "/dangling", "/far/x", "/deep/none", "/none/../out/x"].map(
          placed,
        ),
      ).toEqual(["/work/a", "/work/none/x", "/other/b", "/x", "/none", "/none/x", "/other/none", "/other/x"]);
      expect(placed("/round")).toMatch(/^\/work\/(?:round|about)$/u);
    });
  });

  it("has a kind", async () => {
    await inTempFolder((root) => {
      create(root, { a: "", "b/c": "", d: "-> b" });
      execFileSync("mkfifo", [join(root, "pipe")]);
      const { kind } = diskSight(root, {});
      expect(["a", "b", "none", "d", "pipe"].map((name) => kind(join(root, name)))).toEqual([
        "file",
        "folder",
        "missing",
        "folder",
        "special",
      ]);
    });
  });
});

describe("a program", () => {
  it("is found only outside the workspace, also if a folder or the program is a link", async () => {
    await inTempFolder((root) => {
      create(root, {
        "work/bin/ls": "",
        "tools/bin/ls": "",
        "tools/bin/link": "-> ../../work/bin/ls",
        "tools/bin/broken": "-> none",
        "tools/bin/folder/x": "",
        "tools/work": "-> ../work/bin",
      });
      const workspace = join(root, "work");
      const folders = ["bin", "", "tools/work", "none", "work/bin", "work/none", "tools/bin"];
      const PATH = [...folders.map((each) => join(root, each)), "bin", "."].join(":");
      const outside = ["bin", "", "none", "tools/bin"].map((each) => join(root, each));
      expect(programFolders(workspace, { PATH })).toEqual(outside);
      expect(programFolders(workspace, {})).toEqual([]);
      const { program } = diskSight(workspace, { PATH });
      expect(["ls", "link", "broken", "folder", "none"].map((name) => program(name))).toEqual([
        join(root, "tools/bin/ls"),
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
      writeFileSync(join(root, "tools/bin/text"), "", { mode: 0o644 });
      expect(program("text")).toBeUndefined();
    });
  });
});
