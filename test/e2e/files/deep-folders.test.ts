import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Scene, scene } from "./scene.ts";

/** 3,200 bytes: every system accepts such a path. */
const DEEP = 1600;
/** 6,000 bytes: no system accepts such a path in one call, but the folders can be created step by step. */
const TOO_DEEP = 3000;
/** Allows for thousands of folders, each synced, on a busy machine. */
const PATIENCE_MS = 240_000;

/** Runs as a separate process that enters each folder it creates, which works at any depth. */
function nest(workspace: string, top: string, levels: number): void {
  const script = `
    const { mkdirSync, writeFileSync } = require("node:fs");
    mkdirSync(${JSON.stringify(top)});
    process.chdir(${JSON.stringify(top)});
    for (let level = 1; level < ${levels}; level += 1) {
      mkdirSync("d");
      process.chdir("d");
    }
    writeFileSync("bottom.txt", "at the bottom");`;
  execFileSync(process.execPath, ["-e", script], { cwd: workspace });
}

function deepScene(): Scene {
  const opened = scene();
  // Registered last so that it runs before the scene is removed: rm enters each folder, so it has no depth
  // limit either.
  onTestFinished(() => {
    execFileSync("/bin/rm", ["-rf", opened.workspace]);
  });
  return opened;
}

function depthOf(workspace: string, top: string): number {
  let path = join(workspace, top);
  let depth = 1;
  for (; readdirSync(path).includes("d"); depth += 1) path = `${path}/d`;
  return depth;
}

async function expectInOrder({ worldline }: Scene): Promise<void> {
  for (const command of [["store", "verify"], ["store", "gc"], ["doctor"]])
    expect(await worldline(command)).toMatchObject({ code: 0 });
}

describe("folders nested very deep", () => {
  it("are captured, compared, removed and brought back", { timeout: PATIENCE_MS }, async () => {
    const opened = deepScene();
    const { workspace, checkpoint, worldline, rewind, redo } = opened;
    const bottom = join(workspace, "top", ...Array.from({ length: DEEP - 1 }, () => "d"), "bottom.txt");
    writeFileSync(join(workspace, "file.txt"), "one");
    const first = await checkpoint();
    nest(workspace, "top", DEEP);
    writeFileSync(join(workspace, "file.txt"), "two");
    expect((await checkpoint()).files).toMatchObject({ state: "complete" });
    expect((await worldline(["diff", `${first.number}`])).stdout).toContain("1,601 created");

    const back = await rewind(first.number, "--yes");
    expect(back.files.outcome).toMatchObject({ restored: 1, removed: 1, kept: 0, failed: 0 });
    expect(readFileSync(join(workspace, "file.txt"), "utf8")).toBe("one");
    expect(existsSync(join(workspace, "top"))).toBe(false);

    const forward = await redo("--yes");
    expect(forward.files.outcome).toMatchObject({ restored: 1, created: 1, kept: 0, failed: 0 });
    expect(depthOf(workspace, "top")).toBe(DEEP);
    expect(readFileSync(bottom, "utf8")).toBe("at the bottom");
    await expectInOrder(opened);
  });

  it("cost only themselves where no path can reach the deepest", { timeout: PATIENCE_MS }, async () => {
    const opened = deepScene();
    const { workspace, checkpoint, rewind, redo, worldline } = opened;
    writeFileSync(join(workspace, "file.txt"), "one");
    const first = await checkpoint();
    nest(workspace, "top", TOO_DEEP);
    writeFileSync(join(workspace, "file.txt"), "two");
    const { files } = await checkpoint();
    expect(files).toMatchObject({ state: "partial", gaps: [{ why: "path-too-long" }] });
    const [gap] = files.gaps ?? [];
    expect((await worldline(["why", gap?.path ?? ""])).stdout).toContain("longer than the system allows");
    expect((await worldline(["diff", `${first.number}`])).code).toBe(0);

    const back = await rewind(first.number, "--yes");
    expect(back.files.outcome).toMatchObject({ restored: 1, failed: 0 });
    expect(readFileSync(join(workspace, "file.txt"), "utf8")).toBe("one");
    expect(existsSync(join(workspace, "top", "d", "d"))).toBe(true);
    const forward = await redo("--yes");
    expect(forward.files.outcome).toMatchObject({ restored: 1, failed: 0 });
    expect(readFileSync(join(workspace, "file.txt"), "utf8")).toBe("two");
    await expectInOrder(opened);
  });
});
