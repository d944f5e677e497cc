import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CopyLimits, copyFolder } from "../../../demo/prove/copy-folder.ts";
import { plantSample } from "../../../demo/prove/plant-sample.ts";
import { differences, Surveyor } from "../../../demo/survey.ts";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";

const limits = { files: 10_000, bytes: 10_000_000 };

function request(
  root: string,
  given: CopyLimits = limits,
  signal: AbortSignal = new AbortController().signal,
) {
  const [from, to] = [join(root, "from"), join(root, "to")];
  for (const folder of [from, to]) mkdirSync(folder, { recursive: true });
  return { from, to, limits: given, onProgress: () => undefined, signal };
}

describe("copying a folder", () => {
  it("copies every kind of path, with modes and odd names, and stubs for large folders", async () => {
    await inTempFolder(async (root) => {
      const copy = request(root);
      plantSample(copy.from, "");
      chmodSync(join(copy.from, "docs"), 0o555);
      execFileSync("sh", ["-c", 'mkfifo "$0"', join(copy.from, "fifo")]);
      const copied = await copyFolder(copy);
      expect(copied).toMatchObject({ leftOut: ["node_modules"], skipped: ["fifo"] });
      const [before, after] = [new Surveyor(copy.from), new Surveyor(copy.to)];
      const differ = differences(await before.survey(), await after.survey()).map(({ path }) => path);
      expect(differ).toEqual([
        "fifo",
        "node_modules/dependency",
        "node_modules/dependency/index.js",
        "node_modules/stand-in",
        "node_modules/stand-in/index.js",
      ]);
      chmodSync(join(copy.from, "docs"), 0o755);
      chmodSync(join(copy.to, "docs"), 0o755);
    });
  });

  it.each([
    ["files", { ...limits, files: 2 }],
    ["bytes", { ...limits, bytes: 2 }],
  ])("refuses what has too many %s, before anything is written", async (_what, given) => {
    await inTempFolder(async (root) => {
      const copy = request(root, given);
      for (const name of ["a", "b", "c"]) writeFileSync(join(copy.from, name), name);
      await expect(copyFolder(copy)).rejects.toMatchObject({
        code: "INPUT_INVALID",
        hint: expect.stringContaining("--limit"),
      });
      expect(readdirSync(copy.to)).toEqual([]);
    });
  });

  it("does not copy the copy into itself", async () => {
    await inTempFolder(async (root) => {
      const copy = { ...request(root), from: root };
      writeFileSync(join(root, "a"), "a");
      expect(await copyFolder(copy)).toMatchObject({ files: 1 });
      expect(readdirSync(copy.to).sort()).toEqual(["a", "from"]);
    });
  });
});
