import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { noteActivity } from "../../../src/app/places/home.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { tempFolder } from "../../../src/testing/temp-folder.ts";

function newFolder(): string {
  const folder = tempFolder();
  onTestFinished(() => folder.remove());
  return folder.path;
}

const OPENED = { did: "rewind-menu-opened", in: "terminal", session: "k3f9x2m7q1" as SessionId } as const;

describe("the activity log", () => {
  it("gets a line for each time, which only its owner reads", async () => {
    const home = join(newFolder(), "home");
    expect(await noteActivity(home, OPENED)).toBe("written");
    await noteActivity(home, { did: "rewind-menu-opened", in: "command-line" });
    const path = join(home, "activity.jsonl");
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { at: expect.any(String), ...OPENED },
      { at: expect.any(String), did: "rewind-menu-opened", in: "command-line" },
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("does not grow past two files of 256 KiB", async () => {
    const home = newFolder();
    const path = join(home, "activity.jsonl");
    writeFileSync(path, "x".repeat(256 * 1024));
    await noteActivity(home, OPENED);
    expect(existsSync(`${path}.1`)).toBe(false);
    const { size } = statSync(path);
    await noteActivity(home, OPENED);
    expect(statSync(`${path}.1`).size).toBe(size);
    expect(readFileSync(path, "utf8").split("\n")).toHaveLength(2);
  });

  it("costs nothing but its line where it cannot be written", async () => {
    const home = newFolder();
    mkdirSync(join(home, "activity.jsonl"));
    expect(await noteActivity(home, OPENED)).toBe("not-written");
    expect(existsSync(join(home, "activity.jsonl.1"))).toBe(false);
  });
});
