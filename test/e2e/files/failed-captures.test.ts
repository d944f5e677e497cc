import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { looksOf } from "./looks.ts";
import { scene } from "./scene.ts";

describe("a capture that is partial", () => {
  it("says so and names the files, and a rewind to it leaves alone what it does not have", async () => {
    const { sh, worldline, checkpoint, json, rewind } = scene({ user: "plain" });
    sh(
      "printf one > file; printf then > locked; mkdir closed; printf then > closed/inner; chmod 0 locked closed",
    );
    const made = await checkpoint();
    expect(made.files).toMatchObject({
      state: "partial",
      gaps: [
        { path: "closed", why: "unreadable" },
        { path: "locked", why: "unreadable" },
      ],
    });
    expect(await json(["checkpoints"])).toMatchObject({
      checkpoints: [{ number: 1, files: { state: "partial", why: expect.stringContaining("locked") } }],
    });
    sh("chmod 0700 closed locked; printf now > locked; printf now > closed/inner; printf two > file");
    const told = await worldline(["checkpoint"]);
    expect(told.stdout).not.toContain("locked");
    const { files } = await rewind(1);
    expect(files.kept).toMatchObject([
      { path: "closed", why: "not-captured" },
      { path: "closed/inner", why: "not-captured" },
      { path: "locked", why: "not-captured" },
    ]);
    expect(sh("cat file locked closed/inner")).toBe("onenownow");
  });

  it("names in its text what could not be read", async () => {
    const { sh, worldline } = scene({ user: "plain" });
    sh("printf one > file; printf then > locked; chmod 0 locked");
    const told = await worldline(["checkpoint"]);
    expect([told.code, told.stdout]).toEqual([0, expect.stringContaining("locked")]);
  });

  it("of the present restores the rest, and does not write over what it could not read", async () => {
    const { sh, checkpoint, rewind } = scene({ user: "plain" });
    sh("printf one > file; printf then > secret");
    await checkpoint();
    sh("printf two > file; printf now > secret; chmod 0 secret");
    const { files } = await rewind(1);
    expect(files.kept).toMatchObject([{ path: "secret", why: "unreadable" }]);
    expect(sh("chmod 0600 secret; cat file secret")).toBe("onenow");
  });
});

describe("a capture that failed", () => {
  it("is refused as a target, an older state never takes its place, and the next one works again", async () => {
    const { sh, workspace, home, worldline, checkpoint, rewind } = scene({ user: "plain" });
    const segments = join(home, "snapshots", "segments");
    sh("printf one > file");
    await checkpoint();
    sh("printf two > file; printf new > new");
    chmodSync(segments, 0o500);
    const made = await worldline(["checkpoint"]);
    expect([made.code, made.stdout]).toEqual([
      1,
      expect.stringMatching(/#2 .*\nNo file checkpoints: The snapshot store could not be written/u),
    ]);
    const asData = await worldline(["checkpoint", "--json"]);
    expect([asData.code, JSON.parse(asData.stdout)]).toMatchObject([
      1,
      { number: 3, files: { state: "none", why: expect.stringContaining("could not be written") } },
    ]);
    chmodSync(segments, 0o700);
    sh("printf three > file");
    const before = looksOf(workspace);
    const refused = await worldline(["rewind", "2", "--scope", "files", "--json"]);
    expect([refused.code, JSON.parse(refused.stdout)]).toEqual([
      1,
      {
        error: {
          code: "REWIND_REFUSED",
          reason: "files-not-captured",
          params: expect.objectContaining({ checkpoint: 2 }),
          message: expect.stringContaining("2"),
          hint: expect.any(String),
        },
      },
    ]);
    expect(looksOf(workspace)).toEqual(before);
    expect((await checkpoint()).files.state).toBe("complete");
    sh("rm new");
    await rewind(4);
    expect(sh("cat file new")).toBe("threenew");
  });

  it("because the workspace could not be listed is not a checkpoint of an empty one", async () => {
    const { sh, root, workspace, worldline, checkpoint, json } = scene({ user: "plain" });
    const here = ["--workspace", workspace];
    sh("printf one > file; mkdir folder; printf one > folder/inner");
    await checkpoint();
    chmodSync(workspace, 0o300);
    const refused = await worldline(["checkpoint", "--json", ...here], { cwd: root });
    chmodSync(workspace, 0o755);
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: "WORKSPACE_UNUSABLE" } });
    expect(await json(["checkpoints"])).toMatchObject({ checkpoints: [{ number: 1 }] });
    expect(sh("cat file folder/inner")).toBe("oneone");
  });

  it("or whose snapshot the store has lost is refused, and nothing is touched", async () => {
    const { sh, workspace, home, worldline, checkpoint } = scene();
    sh("printf one > file");
    await checkpoint();
    sh("printf two > file; printf new > new");
    const before = looksOf(workspace);
    sh(`rm -f '${home}'/snapshots/segments/*`);
    const refused = await worldline(["rewind", "1", "--scope", "files", "--json"]);
    expect([refused.code, JSON.parse(refused.stdout)]).toMatchObject([
      1,
      { error: { code: "REWIND_REFUSED", message: "The files for checkpoint 1 are no longer kept." } },
    ]);
    expect(looksOf(workspace)).toEqual(before);
  });
});

describe("a capture of an empty workspace", () => {
  it("is a state like any other: to go there empties the workspace, and both ways back are open", async () => {
    const { sh, workspace, checkpoint, rewind, redo } = scene();
    sh("mkdir folder; printf one > folder/file; printf one > other");
    const full = looksOf(workspace);
    await checkpoint();
    sh("rm -rf folder other");
    expect((await checkpoint()).files.state).toBe("complete");
    await rewind(1);
    expect(looksOf(workspace)).toEqual(full);
    await rewind(2);
    expect(looksOf(workspace)).toEqual({});
    await redo();
    expect(looksOf(workspace)).toEqual(full);
  });
});
