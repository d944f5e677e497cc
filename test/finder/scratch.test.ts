import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Scratch } from "../../src/finder/scratch/scratch.ts";
import { newTemporaryFolder, removeLeftovers } from "../../src/finder/scratch/temporary-folder.ts";
import { runTest, type TestCommand } from "../../src/finder/trials.ts";
import { openWorkspaceFiles } from "../../src/open-files.ts";
import { tempFolder } from "../../src/testing/temp-folder.ts";
import { looksOf } from "../e2e/files/looks.ts";
import { isLiving } from "../living.ts";

async function stage() {
  const { path: root, remove } = tempFolder();
  onTestFinished(remove);
  const workspace = join(root, "workspace");
  mkdirSync(workspace);
  const files = await openWorkspaceFiles({ workspace, home: join(root, "home"), threads: "none" });
  onTestFinished(async () => files.close());
  return {
    files,
    workspace,
    put(path: string, content: string, mode = 0o644) {
      const place = join(workspace, path);
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, content);
      chmodSync(place, mode);
    },
    capture: async () => (await files.capture({ look: "everything" })).snapshot,
    async open() {
      const scratch = await Scratch.open(files, (await files.capture({ look: "everything" })).snapshot);
      onTestFinished(() => scratch.remove());
      return scratch;
    },
  };
}

describe("a scratch copy", () => {
  it("is what each state was, whatever the one before it was: modes, links, empty folders, kinds", async () => {
    const { put, workspace, capture, open } = await stage();
    put("a", "one");
    put("sub/deep/file", "x", 0o755);
    symlinkSync("a", join(workspace, "link"));
    mkdirSync(join(workspace, "empty"), { mode: 0o750 });
    const looks = [looksOf(workspace)];
    const states = [await capture()];
    rmSync(join(workspace, "sub"), { recursive: true });
    put("sub", "a file now");
    rmSync(join(workspace, "link"));
    put("link", "no link any more", 0o600);
    chmodSync(join(workspace, "empty"), 0o700);
    looks.push(looksOf(workspace));
    states.push(await capture());
    const scratch = await open();
    for (const index of [0, 1, 0, 1]) {
      await scratch.goTo(states[index] as never);
      expect(looksOf(scratch.folder)).toEqual(looks[index]);
    }
    scratch.remove();
    expect(existsSync(dirname(scratch.folder))).toBe(false);
  });

  it("has nothing of what a test wrote into it before", async () => {
    const { put, workspace, capture, open } = await stage();
    put("a", "one");
    put("b/c", "two");
    const looks = looksOf(workspace);
    const snapshot = await capture();
    const scratch = await open();
    await scratch.goTo(snapshot);
    await scratch.settled();
    writeFileSync(join(scratch.folder, "a"), "eno");
    rmSync(join(scratch.folder, "b"), { recursive: true });
    mkdirSync(join(scratch.folder, "made/here"), { recursive: true });
    writeFileSync(join(scratch.folder, "b"), "in its place");
    await scratch.goTo(snapshot);
    expect(looksOf(scratch.folder)).toEqual(looks);
  });

  it("links what is not captured to the workspace's own, but not .git", async () => {
    const { put, workspace, open, capture } = await stage();
    put(".gitignore", "node_modules/\n");
    put("node_modules/one/index.js", "1");
    put("packages/a/node_modules/two/index.js", "2");
    put("packages/a/main.js", "");
    put(".git/HEAD", "ref: refs/heads/main\n");
    const scratch = await open();
    await scratch.goTo(await capture());
    expect(scratch.linked).toEqual(["node_modules", "packages/a/node_modules"]);
    expect(readlinkSync(join(scratch.folder, "node_modules"))).toBe(join(workspace, "node_modules"));
    expect(readFileSync(join(scratch.folder, "packages/a/node_modules/two/index.js"), "utf8")).toBe("2");
    expect(existsSync(join(scratch.folder, ".git"))).toBe(false);
    scratch.remove();
    expect(existsSync(join(workspace, "node_modules/one/index.js"))).toBe(true);
  });

  it("is stopped while it is written out, and is whole again with the next", async () => {
    const { put, workspace, capture, open } = await stage();
    for (let index = 0; index < 300; index += 1) put(`many/${index}`, String(index));
    const looks = looksOf(workspace);
    const snapshot = await capture();
    const scratch = await open();
    const stop = new AbortController();
    const going = scratch.goTo(snapshot, undefined, stop.signal);
    // The abort lands midway only if `goTo` pauses by itself.
    setImmediate(() => stop.abort());
    await expect(going).rejects.toMatchObject({ code: "CANCELLED" });
    await scratch.goTo(snapshot);
    expect(looksOf(scratch.folder)).toEqual(looks);
  });

  it("can only be looked into by its owner", async () => {
    const scratch = await (await stage()).open();
    expect(statSync(dirname(scratch.folder)).mode & 0o777).toBe(0o700);
  });

  it("of a killed program is removed at the next start, one of a living program is not", async () => {
    const living = await (await stage()).open();
    const dead = mkdtempSync(join(tmpdir(), "worldline-find-"));
    onTestFinished(() => rmSync(dead, { recursive: true, force: true }));
    const owner = JSON.parse(readFileSync(join(dirname(living.folder), "owner.json"), "utf8"));
    const { pid } = spawnSync(process.execPath, ["--version"]);
    writeFileSync(join(dead, "owner.json"), JSON.stringify({ ...owner, pid, started: "0" }));
    mkdirSync(join(dead, "copy"), { mode: 0 });
    await removeLeftovers();
    expect([existsSync(dead), existsSync(living.folder)]).toEqual([false, true]);
  });

  it("of a killed program has its tests ended too, and no others", async () => {
    const living = await (await stage()).open();
    const dead = realpathSync(mkdtempSync(join(tmpdir(), "worldline-find-")));
    onTestFinished(() => rmSync(dead, { recursive: true, force: true }));
    const owner = JSON.parse(readFileSync(join(dirname(living.folder), "owner.json"), "utf8"));
    const { pid } = spawnSync(process.execPath, ["--version"]);
    writeFileSync(join(dead, "owner.json"), JSON.stringify({ ...owner, pid, started: "0" }));
    mkdirSync(join(dead, "copy"));
    const sleeper = (cwd: string, env: NodeJS.ProcessEnv): ChildProcess => {
      const child = spawn("/bin/sh", ["-c", "trap '' TERM; sleep 1000; :"], {
        cwd,
        env: { PATH: process.env["PATH"], ...env },
        stdio: "ignore",
        detached: true,
      });
      onTestFinished(() => endGroup(child));
      return child;
    };
    const [marked, within] = [
      sleeper(tmpdir(), { WORLDLINE_FIND: join(dead, "copy", "sub") }),
      sleeper(join(dead, "copy"), {}),
    ];
    const others = [sleeper(living.folder, { WORLDLINE_FIND: living.folder }), sleeper(tmpdir(), {})];
    await removeLeftovers();
    const all = [marked, within, ...others].map((child) => isLiving(child.pid ?? 0));
    expect([...all, existsSync(dead)]).toEqual([false, false, true, true, false]);
  });

  it("says what to do where there is no folder for temporary files", async () => {
    vi.stubEnv("TMPDIR", join(tmpdir(), "no-such-folder"));
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(() => newTemporaryFolder("worldline-find-")).toThrow(
      expect.objectContaining({
        code: "STORE_UNWRITABLE",
        message: expect.stringMatching(
          /^The folder for temporary files, .*no-such-folder, does not exist\.$/u,
        ),
        hint: "Set TMPDIR to a folder that you can write to.",
      }),
    );
  });
});

describe("a run of the test", () => {
  const command = (script: string, given: Partial<TestCommand> = {}): TestCommand => ({
    program: "/bin/sh",
    arguments: ["-c", script],
    environment: { PATH: process.env["PATH"], HOME: "/nowhere" },
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    ...given,
  });

  it.each([
    ["exit 0", { result: "pass" }],
    ["exit 1", { result: "fail" }],
    ["exit 255", { result: "fail" }],
    ["kill -SEGV $$", { result: "fail" }],
    ["exit 125", { result: "unjudged", why: { code: "skipped" } }],
    ['test "$WORLDLINE_FIND$HOME" = "$PWD/nowhere" && test "$PWD" -ef .', { result: "pass" }],
  ])("says of `%s` what it means", async (script, run) => {
    expect(await runTest(command(script), tmpdir())).toEqual(run);
  });

  it("cannot judge what is not there", async () => {
    expect(await runTest(command("no-such-command-here"), tmpdir())).toEqual({
      result: "unjudged",
      why: { code: "not-runnable", exit: 127 },
    });
    expect(await runTest(command("", { program: "no-such-program-here" }), tmpdir())).toEqual({
      result: "unjudged",
      why: {
        code: "not-started",
        program: "no-such-program-here",
        // EACCES if a folder of PATH is closed to this user.
        problem: expect.stringMatching(/^spawn no-such-program-here (?:ENOENT|EACCES)$/u),
      },
    });
    expect(await runTest(command("exit 0"), join(tmpdir(), "no-such-folder"))).toEqual({
      result: "unjudged",
      why: { code: "folder-missing" },
    });
  });

  it("is ended with everything that it started when it takes too long", async () => {
    const { path, remove } = tempFolder();
    onTestFinished(remove);
    const script = "trap '' TERM; sleep 1000 & echo $! > child; wait";
    expect(await runTest(command(script, { timeoutMs: 2_000 }), path)).toEqual({
      result: "unjudged",
      why: { code: "timeout", seconds: 2 },
    });
    await ended(Number(readFileSync(join(path, "child"), "utf8")));
  });

  it("leaves nothing running that it started and did not wait for", async () => {
    const { path, remove } = tempFolder();
    onTestFinished(remove);
    expect(await runTest(command("sleep 1000 & echo $! > child"), path)).toEqual({ result: "pass" });
    await ended(Number(readFileSync(join(path, "child"), "utf8")));
  });

  it("is ended when it is cancelled", async () => {
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(), 50);
    await expect(runTest(command("sleep 1000", { signal: cancel.signal }), tmpdir())).rejects.toMatchObject({
      code: "CANCELLED",
    });
  });
});

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // The process group has already ended.
  }
}

/** Waits until a process is gone; a zombie counts as gone. */
async function ended(pid: number): Promise<void> {
  while (isLiving(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
}
