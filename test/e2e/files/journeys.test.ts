import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playground } from "../../cli/support/command-line.ts";
import { looksOf } from "./looks.ts";
import { type Scene, scene } from "./scene.ts";

describe("a rewind of files", () => {
  it("is never final: redo brings back what it left, after more work, more checkpoints and another rewind", async () => {
    const { sh, workspace, checkpoint, rewind, redo, json } = scene();
    sh("printf one > file; mkdir src; printf one > src/a; chmod 0600 src/a");
    await checkpoint();
    sh("printf 'hours of work' > file; rm -r src; printf new > new; ln -s file link");
    const work = looksOf(workspace);
    const { journey } = await rewind(1);
    sh("printf later > later");
    await checkpoint();
    sh("printf more > more");
    await rewind(2);
    // Each command runs in its own process, so nothing of this is kept in memory.
    await redo();
    expect(sh("cat later more; rm later more")).toBe("latermore");
    await redo(journey, "--yes");
    expect(looksOf(workspace)).toEqual(work);
    expect(await json(["redo", "--list"])).toMatchObject({ journeys: expect.any(Array) });
  });

  it("into a workspace that changed since keeps that, too: what it leaves is captured first", async () => {
    const { sh, checkpoint, rewind, redo } = scene();
    sh("printf one > file");
    await checkpoint();
    sh("printf 'never in any checkpoint' > file");
    await rewind(1);
    expect(sh("cat file")).toBe("one");
    await redo();
    expect(sh("cat file")).toBe("never in any checkpoint");
  });
});

describe("the list that rewind shows", () => {
  it("has (current) chosen beforehand: no answer, and the end of the input, change nothing", async () => {
    const { worldline, workspace, everything } = playground();
    writeFileSync(join(workspace, "file"), "one");
    await worldline("checkpoint");
    writeFileSync(join(workspace, "file"), "two");
    const before = everything();
    for (const typed of ["\n", "", "0\n", "\u001b\n"]) {
      const said = await worldline("rewind", { typed });
      expect(said).toMatchObject({ code: 0, stdout: "Nothing was changed.\n" });
      expect(said.stderr).toMatch(/^ {2}0 {2}\(current\)$/mu);
      expect(said.stderr).toContain("default 0");
    }
    // The same holds for the second question: choosing a row does not rewind yet.
    expect(await worldline("rewind", { typed: "1\n\n" })).toMatchObject({ code: 0 });
    // Only the opening of the menu is recorded, outside of any timeline.
    const noted = "/home/activity.jsonl";
    expect(everything().filter(([path]) => path !== noted)).toEqual(before);
    const lines = everything().find(([path]) => path === noted)?.[1] ?? "";
    expect(lines).toMatch(/^(\{"at":"[^"]+","did":"rewind-menu-opened",[^\n]+\}\n){5}$/u);
  });

  it("is not guessed at without a terminal", async () => {
    const { sh, workspace, checkpoint, worldline } = scene();
    sh("printf one > file");
    await checkpoint();
    sh("printf two > file");
    const before = looksOf(workspace);
    expect(await worldline(["rewind"])).toMatchObject({ code: 2, stdout: "" });
    expect(looksOf(workspace)).toEqual(before);
  });

  it("asks again before many deletions, and takes no answer for a no", async () => {
    const { sh, workspace, checkpoint, worldline, rewind } = scene();
    sh("printf one > file");
    await checkpoint();
    sh("mkdir new; cd new; n=0; while [ $n -lt 60 ]; do : > $n; n=$((n+1)); done");
    const before = looksOf(workspace);
    const refused = await worldline(["rewind", "1"]);
    expect([refused.code, refused.stdout]).toEqual([42, ""]);
    expect(looksOf(workspace)).toEqual(before);
    expect((await rewind(1, "--yes")).files.outcome).toMatchObject({ restored: 0, removed: 60, failed: 0 });
  });
});

describe("a rewind that cannot do what it says", () => {
  it("says so: a damaged content is not called restored, the rest is, and verify names the path", async () => {
    const stage = scene();
    const { sh, checkpoint, worldline } = stage;
    sh("printf 'precious words' > precious; printf one > other");
    await checkpoint();
    sh("printf two > precious; printf two > other");
    damageInStore(stage, "precious words");
    const said = await worldline(["rewind", "1", "--json"]);
    expect(said.code).toBe(1);
    expect(JSON.parse(said.stdout)).toMatchObject({
      files: {
        outcome: {
          restored: 1,
          failed: 1,
          paths: [
            { path: "other", outcome: "restored" },
            { path: "precious", outcome: "failed", why: expect.stringMatching(/damaged/u) },
          ],
        },
      },
    });
    expect(sh("cat precious other")).toBe("twoone");
    const verified = await worldline(["store", "verify", "--json"]);
    expect([verified.code, JSON.parse(verified.stdout)]).toMatchObject([
      1,
      { sound: false, problems: [{ paths: [{ path: "precious", what: "damaged" }] }] },
    ]);
    const shown = await worldline(["show", "1:precious", "--json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ error: { code: "SNAPSHOT_DAMAGED" } });
  });

  it("is refused when it is not known what was there: a damaged folder deletes nothing", async () => {
    const stage = scene();
    const { sh, workspace, checkpoint, worldline } = stage;
    sh("mkdir folder; printf one > folder/a-rare-name; printf one > other");
    await checkpoint();
    sh("printf two > folder/a-rare-name; printf new > folder/new; printf two > other");
    const before = looksOf(workspace);
    damageInStore(stage, "a-rare-name");
    const said = await worldline(["rewind", "1", "--json"]);
    expect([said.code, JSON.parse(said.stdout)]).toMatchObject([1, { error: { code: "SNAPSHOT_DAMAGED" } }]);
    expect(looksOf(workspace)).toEqual(before);
  });

  it("says so: where nothing differs, nothing is claimed to be restored", async () => {
    const { sh, checkpoint, worldline } = scene();
    sh("printf one > file");
    await checkpoint();
    const said = await worldline(["rewind", "1", "--json"]);
    expect([said.code, JSON.parse(said.stdout)]).toMatchObject([
      1,
      { error: { code: "REWIND_REFUSED", message: "The files already match checkpoint 1." } },
    ]);
  });

  it("does it even if a mode is in the way, and leaves the modes as they were", async () => {
    const { sh, workspace, checkpoint, rewind } = scene({ user: "plain" });
    sh(
      "mkdir closed; printf one > closed/file; printf one > closed/gone; chmod 0444 closed/file; chmod 0500 closed",
    );
    const before = looksOf(workspace);
    await checkpoint();
    sh(
      "chmod 0700 closed; chmod 0600 closed/file; printf two > closed/file; rm closed/gone; chmod 0500 closed",
    );
    expect((await rewind(1)).files.outcome).toMatchObject({ failed: 0, kept: 0 });
    expect(looksOf(workspace)).toEqual(before);
  });
});

/** Changes one byte of `words` in a segment. */
function damageInStore({ home }: Scene, words: string): void {
  const folder = join(home, "snapshots", "segments");
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".seg"))) {
    const bytes = readFileSync(join(folder, name));
    const at = bytes.indexOf(words);
    if (at < 0) continue;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(join(folder, name), bytes);
    return;
  }
  throw new Error(`no segment holds ${words}`);
}

describe("where links lead out of the workspace, a restore", () => {
  it("writes nothing through a folder that was replaced by a link", async () => {
    const { sh, workspace, outside, checkpoint, rewind, redo } = scene();
    sh("mkdir -p src/deep ../outside/etc/deep; printf one > src/file; printf one > src/deep/file");
    sh("printf passwd > ../outside/etc/file; printf passwd > ../outside/etc/deep/other");
    const [before, theirs] = [looksOf(workspace), looksOf(outside, { times: "seen" })];
    await checkpoint();
    sh('rm -rf src; ln -s "$PWD/../outside/etc" src');
    const linked = looksOf(workspace);
    await rewind(1);
    expect(looksOf(workspace)).toEqual(before);
    expect(looksOf(outside, { times: "seen" })).toEqual(theirs);
    // In the other direction, our folder is removed, not the one that the link leads to.
    await redo();
    expect(looksOf(workspace)).toEqual(linked);
    expect(looksOf(outside, { times: "seen" })).toEqual(theirs);
  });

  it("writes nothing through a file that was replaced by a link, nor through a link that became a folder", async () => {
    const { sh, workspace, outside, checkpoint, rewind } = scene();
    sh(
      "mkdir ../outside/etc; printf passwd > ../outside/etc/passwd; ln -s ../outside/etc link; printf one > file",
    );
    const [before, theirs] = [looksOf(workspace), looksOf(outside, { times: "seen" })];
    await checkpoint();
    sh("rm file link; ln -s ../outside/etc/passwd file; mkdir link; printf mine > link/passwd");
    await rewind(1);
    expect(looksOf(workspace)).toEqual(before);
    expect(looksOf(outside, { times: "seen" })).toEqual(theirs);
  });
});
