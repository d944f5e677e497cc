import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inTempFolder } from "../../src/testing/temp-folder.ts";
import { project } from "../support/packed.ts";

/** Runs the launcher next to a dist folder whose program is `program`, or next to none. */
async function launched(program?: string) {
  return inTempFolder(async (folder) => {
    const launcher = join(folder, "bin", "worldline.mjs");
    mkdirSync(join(folder, "bin"));
    copyFileSync(join(project, "bin", "worldline.mjs"), launcher);
    if (program !== undefined) {
      mkdirSync(join(folder, "dist"));
      writeFileSync(join(folder, "package.json"), '{"type":"module"}');
      writeFileSync(join(folder, "dist", "cli.js"), program);
    }
    const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, "a"], { encoding: "utf8" });
    return { status, stdout, stderr };
  });
}

describe("the launcher", () => {
  it("says what to do where nothing was built", async () => {
    const { status, stdout, stderr } = await launched();
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^Worldline is not built: .*\n.*npm run build\n.*--ignore-scripts=false\n$/u);
  });

  it("starts the program with its arguments, and leaves its exit code", async () => {
    const program = "console.log(process.argv.slice(2)); process.exitCode = 7;";
    expect(await launched(program)).toEqual({ status: 7, stdout: "[ 'a' ]\n", stderr: "" });
  });

  it("does not hide what is wrong with a program that was built", async () => {
    const { status, stderr } = await launched('import "./gone.js";');
    expect(status).toBe(1);
    expect(stderr).toContain("gone.js");
    expect(stderr).not.toContain("not built");
  });
});
