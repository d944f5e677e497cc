import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { keptFilesOf, sdkHome } from "../../../../src/hosts/claude-agent-sdk/sdk/kept-files.ts";
import { inTempFolder } from "../../../../src/testing/temp-folder.ts";

const ONE = "0b6b0d1e-3c5e-4c0a-9d6b-5a2f3e4d5c6b";
const TWO = "22222222-2222-4222-8222-222222222222";

describe("what the SDK keeps of a session", () => {
  it("is every file and folder that is called after it, in whichever folder, and what its project has noted", async () => {
    await inTempFolder(async (home) => {
      const write = (path: string): void => {
        mkdirSync(dirname(join(home, path)), { recursive: true });
        writeFileSync(join(home, path), "{}");
      };
      for (const path of [
        `projects/-work-a/${ONE}.jsonl`,
        `projects/-work-a/${ONE}/subagents/agent-1.jsonl`,
        "projects/-work-a/memory/key.md",
        "projects/-work-c/memory/key.md",
        `projects/-work-b/${ONE}.jsonl`,
        `projects/-work-b/${TWO}.jsonl`,
        `projects/-work-b/${ONE}0.jsonl`,
        `file-history/${ONE}/abc@v1`,
        `file-history/${TWO}/abc@v1`,
        `todos/${ONE}-agent-${ONE}.json`,
        "settings.json",
      ]) {
        write(path);
      }
      for (const empty of [`session-env/${ONE}`, "projects/-work-b/memory"]) {
        mkdirSync(join(home, empty), { recursive: true });
      }
      expect(await keptFilesOf(home, [ONE])).toEqual(
        [
          `file-history/${ONE}`,
          `projects/-work-a/${ONE}`,
          `projects/-work-a/${ONE}.jsonl`,
          "projects/-work-a/memory",
          `projects/-work-b/${ONE}.jsonl`,
          `todos/${ONE}-agent-${ONE}.json`,
        ].map((path) => join(home, path)),
      );
      expect(await keptFilesOf(join(home, "nowhere"), [ONE])).toEqual([]);
    });
  });

  it("is where its environment says, else in the home folder", () => {
    expect(sdkHome({ CLAUDE_CONFIG_DIR: "/config", HOME: "/home/a" })).toBe("/config");
    expect(sdkHome({ HOME: "/home/a" })).toBe(join("/home/a", ".claude"));
    expect(sdkHome({})).toBe(join(homedir(), ".claude"));
  });
});
