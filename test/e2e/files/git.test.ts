import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Looks, looksOf } from "./looks.ts";
import { openScene, scene } from "./scene.ts";

const pointer = `version https://git-lfs.github.com/spec/v1\\noid sha256:${"4".repeat(64)}\\nsize 12345\\n`;

/**
 * A repository whose filters change bytes in both directions, and whose hooks leave a trace whenever git runs
 * in it.
 */
const hostile = `
  git init -q -b main .
  printf '*.txt text eol=lf\\n*.bat text eol=crlf\\n*.sec filter=scramble\\n*.big filter=lfs diff=lfs merge=lfs -text\\n' > .gitattributes
  printf 'one\\r\\ntwo\\nthree\\r\\n' > mixed.txt; printf 'one\\ntwo\\r\\n' > run.bat; printf 'plain\\r\\n' > plain
  printf 'secret words' > words.sec; printf '${pointer}' > model.big; head -c 3000 /dev/urandom > real.big
  git add .gitattributes plain && git commit -q -m one
  mkdir ../outside/hooks
  for hook in pre-commit post-checkout post-index-change reference-transaction fsmonitor; do
    printf '#!/bin/sh\\necho %s >> "%s/ran"\\n' $hook "$PWD/../outside" > ../outside/hooks/$hook
    chmod 0755 ../outside/hooks/$hook
  done
  git config core.hooksPath "$PWD/../outside/hooks"; git config core.fsmonitor "$PWD/../outside/hooks/fsmonitor"
  git config core.autocrlf true; git config core.safecrlf true
  for filter in scramble lfs; do
    git config filter.$filter.clean "echo clean >> '$PWD/../outside/ran'; tr a-z b-za"
    git config filter.$filter.smudge "echo smudge >> '$PWD/../outside/ran'; tr b-za a-z"
    git config filter.$filter.required true
  done
  git config alias.status '!echo alias >> ../outside/ran'
  git init -q -b other ../outside/theirs; git -C ../outside/theirs commit -q --allow-empty -m theirs
`;

describe("in a repository with its own filters, hooks and line endings", () => {
  const stage = openScene();
  const git = { without: [] as string[], times: "seen" } as const;
  const repositories = (): readonly Looks[] =>
    [join(stage.workspace, ".git"), join(stage.outside, "theirs")].map((folder) => looksOf(folder, git));
  const look = (): Looks => looksOf(stage.workspace, { without: [".git"] });
  /**
   * Variables that an editor's terminal, a hook or a script may set; here they all point at another
   * repository.
   */
  const environment = {
    GIT_DIR: join(stage.outside, "theirs", ".git"),
    GIT_WORK_TREE: join(stage.outside, "theirs"),
    GIT_INDEX_FILE: join(stage.workspace, ".git", "index"),
    GIT_OBJECT_DIRECTORY: join(stage.outside, "theirs", ".git", "objects"),
    GIT_EXTERNAL_DIFF: join(stage.outside, "hooks", "pre-commit"),
    GIT_SSH_COMMAND: "false",
    GIT_CEILING_DIRECTORIES: "/",
  };
  let untouched: readonly Looks[];
  let before: Looks;
  let after: Looks;
  let redone: Looks;
  let damaged: Looks;

  beforeAll(async () => {
    stage.sh(hostile);
    stage.sh("rm -f ../outside/ran");
    [untouched, before] = [repositories(), look()];
    await stage.checkpoint({ environment });
    stage.sh(
      "rm mixed.txt words.sec model.big; printf 'x' > real.big; printf 'a\\nb\\n' > run.bat; : > plain",
    );
    damaged = look();
    const all = { environment };
    await stage.json(["diff", "1"], all);
    await stage.json(["rewind", "1"], all);
    after = look();
    await stage.json(["redo"], all);
    redone = look();
    await stage.json(["rewind", "1"], all);
    await stage.json(["store", "gc", "--yes"], all);
  });
  afterAll(stage.remove);

  it("files come back byte for byte: eol, autocrlf, clean and smudge filters and LFS change nothing", () => {
    expect(after).toEqual(before);
    expect(redone).toEqual(damaged);
    expect(stage.sh("od -An -c mixed.txt | tr -d ' '")).toBe("one\\r\\ntwo\\nthree\\r\\n\n");
  });

  it("the user's .git is identical before and after, HEAD, index and refs not even written again", () => {
    const [own] = untouched;
    expect(Object.keys(own ?? {})).toEqual(expect.arrayContaining(["HEAD", "index", "refs/heads/main"]));
    expect(repositories()[0]).toEqual(own);
  });

  it("nothing is committed into the repository that GIT_DIR, GIT_WORK_TREE and GIT_INDEX_FILE point at", () => {
    expect(repositories()[1]).toEqual(untouched[1]);
  });

  it("git is never run: no hook, no filter, no fsmonitor leaves its trace", () => {
    expect(existsSync(join(stage.outside, "ran"))).toBe(false);
    // Prove that the traps work: git itself triggers them.
    stage.sh("git add words.sec");
    expect(stage.sh("cat ../outside/ran")).toContain("clean");
  });
});

describe("a rewind to before git went elsewhere", () => {
  it("says in preview and JSON where HEAD was and is, and moves neither HEAD nor a branch", async () => {
    const { sh, workspace, worldline, checkpoint, rewind } = scene();
    sh("git init -q -b main .; printf one > file; git add file; git commit -q -m one");
    const main = sh("git rev-parse --short=10 HEAD").trim();
    await checkpoint();
    sh("git checkout -q -b topic; printf two > file; git commit -q -a -m two");
    const topic = sh("git rev-parse --short=10 HEAD").trim();
    const moved = { target: `main ${main}`, present: `topic ${topic}` };
    const git = looksOf(join(workspace, ".git"), { times: "seen" });

    const shown = await worldline(["rewind", "1", "--dry-run"]);
    expect(shown.code).toBe(0);
    for (const place of Object.values(moved)) expect(shown.stdout).toContain(place);
    expect((await rewind(1, "--dry-run")).files.git).toEqual(moved);
    expect((await rewind(1)).files.git).toEqual(moved);
    expect(looksOf(join(workspace, ".git"), { times: "seen" })).toEqual(git);
    expect(sh("git symbolic-ref --short HEAD; cat file; git log --format=%s topic")).toBe(
      "topic\none" + "two\none\n",
    );
  });

  it("knows HEAD in a linked worktree, where .git is a file, and with packed refs", async () => {
    const { sh, outside, checkpoint, json } = scene();
    sh(
      "git init -q -b main .; printf one > file; git add file; git commit -q -m one; git branch topic; git pack-refs --all",
    );
    sh("git worktree add -q ../outside/tree topic");
    const commit = sh("git rev-parse --short=10 HEAD").trim();
    const there = { cwd: join(outside, "tree") };
    await checkpoint(there);
    sh("cd ../outside/tree; git checkout -q --detach; printf two > file");
    expect(await json(["rewind", "1"], there)).toMatchObject({
      files: { git: { target: `topic ${commit}`, present: commit }, outcome: { restored: 1 } },
    });
    expect(sh("cat ../outside/tree/file; git -C ../outside/tree status --porcelain")).toBe("one");
  });

  it("says nothing of git where HEAD is where it was", async () => {
    const { sh, worldline, checkpoint } = scene();
    sh("git init -q -b main .; printf one > file; git add file; git commit -q -m one");
    await checkpoint();
    sh("printf two > file");
    expect((await worldline(["rewind", "1", "--dry-run"])).stdout).not.toMatch(/git|HEAD|main/iu);
  });
});
