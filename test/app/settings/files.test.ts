import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  readClaudeFolder,
  readMcpFile,
  readSettingsFile,
  readUserSetting,
  settingsFiles,
} from "../../../src/app/settings/files.ts";
import { inTempFolder } from "../../../src/testing/testing.ts";

/** Creates the folder's files, with their parent folders. */
function put(folder: string, files: Readonly<Record<string, string | Uint8Array>>) {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

const makeFifo = (path: string) => execFileSync("sh", ["-c", 'mkfifo "$0"', path]);
const MIB = 1024 * 1024;

describe("the settings files", () => {
  it("are the user's, the workspace's, and the local one, lowest precedence first", async () => {
    expect(await settingsFiles("/home", "/work")).toEqual([
      { layer: "user", path: "/home/settings.json" },
      { layer: "workspace", path: "/work/.worldline/settings.json" },
      { layer: "local", path: "/work/.worldline/settings.local.json" },
    ]);
  });

  it("are only the user's if the workspace's folder is the home, even through a link", () =>
    inTempFolder(async (root) => {
      const user = { layer: "user", path: "/work/.worldline/settings.json" };
      expect(await settingsFiles("/work/.worldline", "/work")).toEqual([user]);
      mkdirSync(join(root, "home"));
      symlinkSync(join(root, "home"), join(root, ".worldline"));
      const real = { layer: "user", path: join(root, "home", "settings.json") };
      expect(await settingsFiles(join(root, "home"), root)).toEqual([real]);
    }));
});

describe("a settings file", () => {
  const file = (root: string) => ({ layer: "user", path: join(root, "settings.json") }) as const;

  it("is read as text without its byte order mark, and as the bytes with it", () =>
    inTempFolder(async (root) => {
      const bytes = Buffer.from("\ufeff{}");
      put(root, { "settings.json": bytes });
      expect(await readSettingsFile(file(root))).toEqual({ ...file(root), bytes, text: "{}" });
    }));

  it("is missing if there is no such file or folder", () =>
    inTempFolder(async (root) => {
      expect(await readSettingsFile(file(root))).toBeUndefined();
      put(root, { ".worldline": "" });
      expect(await readSettingsFile(file(join(root, ".worldline")))).toBeUndefined();
    }));

  it("may have a size of up to one MiB", () =>
    inTempFolder(async (root) => {
      put(root, { "settings.json": " ".repeat(MIB) });
      expect((await readSettingsFile(file(root)))?.bytes.length).toBe(MIB);
    }));

  it.each<[string, (path: string) => void, unknown]>([
    ["a folder", (path) => mkdirSync(path), "not-a-file"],
    ["a FIFO, which is not waited for", makeFifo, "not-a-file"],
    ["too large", (path) => writeFileSync(path, " ".repeat(MIB + 1)), { largerThan: MIB }],
    ["not UTF-8", (path) => writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d])), "not-utf8"],
    [
      "a link to itself",
      (path) => symlinkSync("settings.json", path),
      { system: expect.stringContaining("ELOOP") },
    ],
  ])("is refused if it is %s", (_, make, why) =>
    inTempFolder(async (root) => {
      const { path } = file(root);
      make(path);
      await expect(readSettingsFile(file(root))).rejects.toMatchObject({
        code: "SETTINGS_INVALID",
        reason: "settings-file-unreadable",
        params: { file: path, why },
      });
    }),
  );
});

describe("a user's setting that is read before the settings are loaded", () => {
  it.each([
    ["is the value in the user's file", '{ "ui": { "theme": "dark" } }', "dark"],
    ["is not checked", '{ "ui": { "theme": [1] } }', [1]],
    ["is undefined if the file does not set it", '{ "ui": {} }', undefined],
    ["is undefined if the file is empty", "", undefined],
    ["is undefined if the file is invalid", "{ broken", undefined],
  ])("%s", (_, text, value) =>
    inTempFolder(async (root) => {
      put(root, { "settings.json": text });
      expect(await readUserSetting({ WORLDLINE_HOME: root }, "ui.theme")).toEqual(value);
    }),
  );

  it("is undefined if there is no file", () =>
    inTempFolder(async (root) => {
      expect(await readUserSetting({ WORLDLINE_HOME: root }, "language")).toBeUndefined();
    }));
});

describe("the workspace's .mcp.json", () => {
  it("is read as bytes, and counts as empty if it cannot be read", () =>
    inTempFolder(async (root) => {
      const path = join(root, ".mcp.json");
      expect(await readMcpFile(root)).toBeUndefined();
      makeFifo(path);
      expect(await readMcpFile(root)).toEqual({ path, bytes: new Uint8Array() });
    }));

  it("is read whatever its content is", () =>
    inTempFolder(async (root) => {
      const bytes = Buffer.from([0x7b, 0xff]);
      put(root, { ".mcp.json": bytes });
      expect(await readMcpFile(root)).toEqual({ path: join(root, ".mcp.json"), bytes });
    }));
});

describe("the workspace's .claude folder", () => {
  it("is described by what exists in it and by the contents of its settings", () =>
    inTempFolder(async (root) => {
      expect(await readClaudeFolder(root)).toBeUndefined();
      put(root, { ".claude/notes.md": "" });
      expect(await readClaudeFolder(root)).toBeUndefined();
      const path = join(root, ".claude");
      put(root, { ".claude/agents/a.md": "not read", ".claude/skills/s/SKILL.md": "not read" });
      expect(await readClaudeFolder(root)).toEqual({
        path,
        names: ["agents", "skills"],
        contents: [new Uint8Array(), new Uint8Array()],
      });
      put(root, { ".claude/settings.local.json": "local", ".claude/commands/c.md": "not read" });
      mkdirSync(join(path, "settings.json"));
      expect(await readClaudeFolder(root)).toEqual({
        path,
        names: ["settings.json", "settings.local.json", "agents", "commands", "skills"],
        contents: [new Uint8Array(), Buffer.from("local")],
      });
      put(root, { ".claude/settings.local.json": "changed" });
      expect((await readClaudeFolder(root))?.contents).toEqual([new Uint8Array(), Buffer.from("changed")]);
    }));
});
