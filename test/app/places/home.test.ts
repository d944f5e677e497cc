import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { homeFolder, provideHome } from "../../../src/app/places/home.ts";

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "worldline-home-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe("the home folder", () => {
  it("is WORLDLINE_HOME, or .worldline in the user's own", () => {
    const usual = join(homedir(), ".worldline");
    expect(homeFolder({ WORLDLINE_HOME: "/somewhere/else" })).toBe("/somewhere/else");
    expect(homeFolder({ WORLDLINE_HOME: "here" })).toBe(resolve("here"));
    expect(homeFolder({ WORLDLINE_HOME: "~/kept" })).toBe(join(homedir(), "kept"));
    expect([homeFolder({}), homeFolder({ WORLDLINE_HOME: "" })]).toEqual([usual, usual]);
  });

  it("is made for its owner only", async () => {
    const folder = join(temporary(), "a", "b");
    await provideHome(folder);
    await provideHome(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("that cannot be created is refused at once, where Node itself would try forever", async () => {
    await expect(provideHome("/proc/nope/home")).rejects.toMatchObject({
      code: "STORE_UNWRITABLE",
      message: expect.stringContaining("/proc/nope/home cannot be created"),
      hint: expect.stringContaining("WORLDLINE_HOME"),
    });
  });

  it("may be behind a link, and be created by two processes at once", async () => {
    const root = temporary();
    symlinkSync(root, join(root, "link"));
    const folder = join(root, "link", "a", "b");
    await Promise.all([provideHome(folder), provideHome(folder)]);
    expect(statSync(join(root, "a", "b")).isDirectory()).toBe(true);
  });

  it("cannot be a file, nor inside one", async () => {
    const file = join(temporary(), "file");
    writeFileSync(file, "");
    const refused = { code: "STORE_UNWRITABLE", hint: expect.stringContaining("WORLDLINE_HOME") };
    await expect(provideHome(file)).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining("is not a folder"),
    });
    await expect(provideHome(join(file, "x"))).rejects.toMatchObject(refused);
  });
});
