import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  readClaudeFolder,
  readMcpFile,
  readSettingsFile,
  readUserSetting,
  settingsFiles,
} from "../../../src/app/settings/files.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { filesOpenIn } from "../../support/files-open-in.ts";

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
  it("are the user's, the workspace's, and the local one, lowest precedence first", () =>
    inTempFolder(async (root) => {
      expect(await settingsFiles(join(root, "home"), join(root, "work"))).toEqual([
        { layer: "user", path: join(root, "home/settings.json") },
        { layer: "workspace", path: join(root, "work/.worldline/settings.json") },
        { layer: "local", path: join(root, "work/.worldline/settings.local.json") },
      ]);
    }));

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

  it("is read as text without its byte order mark, and as the bytes with it, and then closed", () =>
    inTempFolder(async (root) => {
      const bytes = Buffer.from("\ufeff{}");
      put(root, { "settings.json": bytes });
      expect(await readSettingsFile(file(root))).toEqual({ ...file(root), bytes, text: "{}" });
      expect(filesOpenIn(root)).toEqual([]);
    }));

  it("is missing if there is no such file or folder, and may have a size of up to one MiB", () =>
    inTempFolder(async (root) => {
      expect(await readSettingsFile(file(root))).toBeUndefined();
      put(root, { "settings.json": " ".repeat(MIB) });
      expect((await readSettingsFile(file(root)))?.bytes.length).toBe(MIB);
      expect(await readSettingsFile(file(join(root, "settings.json")))).toBeUndefined();
    }));

  it("is refused if it is anything but a regular file of text with a reasonable size", () =>
    inTempFolder(async (root) => {
      const { path } = file(root);
      const whyNot = async (make: () => void) => {
        rmSync(path, { recursive: true, force: true });
        make();
        const error = await readSettingsFile(file(root)).catch((thrown: unknown) => thrown);
        if (!(error instanceof WorldlineError)) throw new Error("The file was read.");
        expect(error).toMatchObject({ reason: "settings-file-unreadable", params: { file: path } });
        const cause = error.cause instanceof Error && "code" in error.cause ? error.cause.code : undefined;
        return { why: (error as WorldlineError<"settings-file-unreadable">).params.why, cause };
      };
      expect(await whyNot(() => mkdirSync(path))).toEqual({ why: "not-a-file", cause: undefined });
      expect(await whyNot(() => writeFileSync(path, " ".repeat(MIB + 1)))).toEqual({
        why: { largerThan: MIB },
        cause: undefined,
      });
      expect(await whyNot(() => writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d])))).toEqual({
        why: "not-utf8",
        cause: "ERR_ENCODING_INVALID_ENCODED_DATA",
      });
      expect(await whyNot(() => symlinkSync("settings.json", path))).toEqual({
        why: { system: expect.stringContaining("ELOOP") },
        cause: "ELOOP",
      });
    }));
});

describe("a FIFO in place of a settings file", () => {
  it("is refused without waiting for a writer", () =>
    inTempFolder(async (root) => {
      const path = join(root, "settings.json");
      makeFifo(path);
      await expect(readSettingsFile({ layer: "user", path })).rejects.toMatchObject({
        reason: "settings-file-unreadable",
        params: { file: path, why: "not-a-file" },
      });
    }));
});

describe("a user's setting that is read before the settings are loaded", () => {
  it("is the unchecked value in the user's file, or undefined if the file does not say", () =>
    inTempFolder(async (root) => {
      const theme = () => readUserSetting({ WORLDLINE_HOME: root }, "ui.theme");
      expect(await theme()).toBeUndefined();
      for (const [text, value] of [
        ['{ "ui": { "theme": "dark" } }', "dark"],
        ['{ "ui": { "theme": [1] } }', [1]],
        ['{ "ui": {} }', undefined],
        ["", undefined],
        ["{ broken", undefined],
      ] as const) {
        put(root, { "settings.json": text });
        expect(await theme(), text).toEqual(value);
      }
    }));
});

describe("the workspace's .mcp.json", () => {
  it("is read as bytes, whatever they are, and counts as empty if it cannot be read", () =>
    inTempFolder(async (root) => {
      const path = join(root, ".mcp.json");
      expect(await readMcpFile(root)).toBeUndefined();
      const bytes = Buffer.from([0x7b, 0xff]);
      put(root, { ".mcp.json": bytes });
      expect(await readMcpFile(root)).toEqual({ path, bytes });
      rmSync(path);
      mkdirSync(path);
      expect(await readMcpFile(root)).toEqual({ path, bytes: new Uint8Array() });
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
