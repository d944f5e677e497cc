import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withAgent } from "./agent-scene.ts";
import { scene } from "./scene.ts";

const LINES = "one\\ntwo\\nthree\\n";

describe("the report of a restore", () => {
  it("counts what was put back, created, removed and kept apart, path by path, in the log too", async () => {
    const { sh, checkpoint, rewind, worldline, json, home } = scene();
    sh("printf one > changed; printf one > gone");
    await checkpoint();
    sh("printf two > changed; rm gone; printf new > new");
    const { files } = await rewind(1);
    const counts = { restored: 1, created: 1, removed: 1, merged: 0, kept: 0, notRestorable: 0, failed: 0 };
    expect(files.outcome).toMatchObject(counts);
    expect(files.outcome.paths).toEqual([
      { path: "changed", outcome: "restored" },
      { path: "gone", outcome: "created" },
      { path: "new", outcome: "removed" },
    ]);
    const log = (await json(["log"])) as { session: string };
    const lines = readFileSync(join(home, "sessions", log.session, "log.jsonl"), "utf8");
    expect(lines).toContain(
      '"restored":1,"created":1,"removed":1,"merged":0,"kept":0,"notRestorable":0,"failed":0',
    );
    expect((await worldline(["redo"])).stdout).toContain(
      "Files: 1 restored, 1 created, 1 removed, 0 kept, 0 failed",
    );
  });

  it("does not say that a deleted folder stays which was never captured", async () => {
    const { sh, checkpoint, worldline, rewind } = scene();
    sh("mkdir -p node_modules/a; printf x > node_modules/a/b; printf one > file");
    await checkpoint();
    sh("rm -r node_modules; printf two > file");
    const foreseen = await worldline(["rewind", "1", "--dry-run"]);
    expect(foreseen.stdout).toContain("not restorable  node_modules  (never captured)");
    expect(foreseen.stdout).not.toContain("kept  node_modules");
    const { files } = await rewind(1);
    expect(files.outcome).toMatchObject({ restored: 1, kept: 0, notRestorable: 1, failed: 0 });
    expect(files.outcome.paths).toContainEqual({
      path: "node_modules",
      outcome: "not-restorable",
      why: "never captured",
      reason: "kept-never-captured",
    });
  });

  it("knows before a merge whether it is clean, and does not call a file restored that was kept", async () => {
    await withAgent(async ({ session, prompt, step, sh, json, worldline, modelSees }) => {
      sh(`printf '${LINES}' > clean; printf '${LINES}' > torn`);
      const to = await prompt("change both");
      await step("printf 'ONE\\ntwo\\nthree\\n' > clean; printf 'ONE\\ntwo\\nthree\\n' > torn");
      sh("printf 'ONE\\ntwo\\nTHREE\\n' > clean; printf 'mine\\n' > torn");
      const { conflicts } = await session.previewFiles({ to });
      expect(conflicts.map(({ path, choice, merge }) => [path, choice, merge])).toEqual([
        ["clean", "keep", "clean"],
        ["torn", "keep", "unclean"],
      ]);
      const torn = await session.rewind({ to, scope: "files", only: ["torn"], choice: "merge" });
      expect(torn.files).toMatchObject({ restored: 0, merged: 0, kept: 1, failed: 0 });
      const merged = await session.rewind({ to, scope: "files", choice: "merge" });
      expect(merged.files).toMatchObject({ restored: 0, merged: 1, kept: 1, failed: 0 });
      expect(sh("cat clean torn")).toBe("one\ntwo\nTHREE\nmine\n");
      expect(await modelSees()).toContain("Changed on disk, with later changes merged in:");
      await session.close();
      const said = await worldline(["rewind", `${to}`, "--only", "torn", "--merge", "--scope", "files"]);
      expect(said.stdout).toMatch(/^No files were restored to checkpoint: #1 /u);
      expect(said.stdout).not.toContain("Restored to checkpoint");
      expect(await json(["rewind", `${to}`, "--only", "torn", "--dry-run"])).toMatchObject({
        files: { conflicts: [{ path: "torn", merge: "unclean" }] },
      });
    });
  });
});
