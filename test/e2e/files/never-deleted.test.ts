import { describe, expect, it } from "vitest";
import { looksOf, within } from "./looks.ts";
import { scene } from "./scene.ts";

const keptOf = ({ files }: { files: { kept: readonly { path: string; why: string }[] } }) =>
  files.kept.map(({ path, why }) => [path, why]);

describe("a restore deletes nothing that it never captured:", () => {
  it("not a large ignored folder that another program made meanwhile", async () => {
    const { sh, workspace, checkpoint, rewind } = scene();
    sh("printf 'output/\\n' > .gitignore; printf one > file");
    await checkpoint();
    sh("printf two > file; mkdir output; dd if=/dev/zero of=output/film bs=1 count=0 seek=40000000 2>&1");
    const output = within(looksOf(workspace), "output");
    const rewound = await rewind(1);
    expect(keptOf(rewound)).toEqual([["output", "not-captured"]]);
    expect(within(looksOf(workspace), "output")).toEqual(output);
    expect(output).toHaveProperty(["output/film"]);
    expect(sh("cat file")).toBe("one");
  });

  it("not a large ignored folder that was there before, whatever was done in it since", async () => {
    const { sh, workspace, checkpoint, rewind } = scene();
    sh("mkdir -p app/node_modules/dep; printf one > app/node_modules/dep/index.js; printf one > file");
    await checkpoint();
    sh("printf two > app/node_modules/dep/index.js; printf new > app/node_modules/new.js; printf two > file");
    const packages = within(looksOf(workspace), "app/node_modules");
    await rewind(1);
    expect(within(looksOf(workspace), "app/node_modules")).toEqual(packages);
    expect(sh("cat file")).toBe("one");
  });

  it("not a file over the size limit, neither a new one nor one that has outgrown it", async () => {
    const { sh, workspace, json } = scene();
    const limited = ["--setting", "snapshots.maxFileBytes=1000"];
    sh("mkdir data; printf small > data/growing; head -c 5000 /dev/zero > data/dump");
    await json(["checkpoint", ...limited]);
    sh(
      "head -c 4000 /dev/zero > data/growing; head -c 2000 /dev/urandom > data/new; head -c 99 /dev/zero > data/dump",
    );
    const data = looksOf(workspace);
    const rewound = await json(["rewind", "1", ...limited, "--scope", "files"]);
    expect(rewound).toMatchObject({
      files: {
        kept: [
          { path: "data/dump", why: "not-captured" },
          { path: "data/growing", why: "not-captured" },
          { path: "data/new", why: "not-captured" },
        ],
        outcome: { restored: 0, kept: 3, failed: 0 },
      },
    });
    expect(looksOf(workspace)).toEqual(data);
  });

  it("not a pipe or a socket of a running program, nor a repository that appeared", async () => {
    const { sh, workspace, checkpoint, rewind } = scene();
    sh("printf one > file");
    await checkpoint();
    sh(
      "printf two > file; mkfifo pipe; git init -q -b main clone; git -C clone commit -q --allow-empty -m one",
    );
    const git = within(looksOf(workspace, { without: ["pipe"] }), "clone/.git");
    expect(keptOf(await rewind(1))).toEqual([
      ["clone", "holds-kept"],
      ["clone/.git", "not-captured"],
      ["pipe", "not-captured"],
    ]);
    expect(within(looksOf(workspace, { without: ["pipe"] }), "clone/.git")).toEqual(git);
    expect(sh("test -p pipe && cat file")).toBe("one");
  });

  it("not a small ignored file that another program made in between", async () => {
    const { sh, checkpoint, rewind, redo } = scene();
    sh("printf '*.local\\n' > .gitignore; printf one > file");
    await checkpoint();
    sh("printf 'TOKEN=2' > .env.local; printf new > new; printf two > file");
    expect(keptOf(await rewind(1))).toEqual([[".env.local", "ignored"]]);
    expect(sh("cat .env.local file; ls")).toBe("TOKEN=2onefile\n");
    // Files that were captured before the rewind removed them can come back.
    await redo();
    expect(sh("cat new .env.local file")).toBe("newTOKEN=2two");
  });
});

describe("what was never captured, and was deleted since,", () => {
  it("cannot come back, and is named as such, while everything around it does", async () => {
    const { sh, json } = scene();
    const limited = ["--setting", "snapshots.maxFileBytes=1000"];
    sh("mkdir node_modules; printf x > node_modules/x; head -c 2000 /dev/zero > dump; printf one > file");
    sh("git init -q -b main nested; printf one > nested/file");
    await json(["checkpoint", ...limited]);
    sh("rm -rf node_modules dump nested file");
    expect(await json(["rewind", "1", ...limited])).toMatchObject({
      files: {
        notRestorable: [
          { path: "dump", why: "never-captured" },
          { path: "nested/.git", why: "never-captured" },
          { path: "node_modules", why: "never-captured" },
        ],
        outcome: { restored: 0, created: 2, kept: 0, notRestorable: 3, failed: 0 },
      },
    });
    expect(sh("cat file nested/file; ls -A . nested")).toBe("oneone.:\nfile\nnested\n\nnested:\nfile\n");
  });
});

describe("with a .gitignore that changed between checkpoint and restore", () => {
  it("data that was ignored then and is not now stays", async () => {
    const { sh, checkpoint, rewind } = scene();
    sh("printf 'data/\\n' > .gitignore; mkdir data; printf old > data/old");
    await checkpoint();
    sh(": > .gitignore; printf theirs > data/new");
    expect(keptOf(await rewind(1))).toEqual([["data/new", "ignored"]]);
    expect(sh("cat .gitignore data/old data/new")).toBe("data/\noldtheirs");
  });

  it("data that is ignored now and was not then stays", async () => {
    const { sh, checkpoint, rewind } = scene();
    sh("printf one > file");
    await checkpoint();
    sh("printf 'data/\\n' > .gitignore; mkdir data; printf theirs > data/new");
    expect(keptOf(await rewind(1))).toEqual([
      ["data", "ignored"],
      ["data/new", "ignored"],
    ]);
    expect(sh("cat data/new; ls -A")).toBe("theirsdata\nfile\n");
  });

  it("an ignored file goes only if this timeline created it and nothing has touched it since", async () => {
    const { sh, worldline, rewind } = scene();
    sh("printf 'build/\\n' > .gitignore");
    const build = "mkdir build; echo made > build/made; echo made > build/touched";
    const ran = await worldline(["run", "--", "/bin/sh", "-ec", build]);
    expect(ran.code).toBe(0);
    sh("printf by-hand >> build/touched; printf other > build/other");
    const rewound = await rewind(1);
    expect(keptOf(rewound)).toEqual([
      ["build", "holds-kept"],
      ["build/other", "ignored"],
      ["build/touched", "ignored"],
    ]);
    expect(sh("ls build; cat build/touched")).toBe("other\ntouched\nmade\nby-hand");
  });
});
