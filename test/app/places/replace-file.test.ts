import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { replaceFile, whyNotReplaced } from "../../../src/app/places/home.ts";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";
import { filesOpenIn } from "../../support/files-open-in.ts";

const modes = { file: 0o600, folder: 0o700 };

describe("replacing a settings file", () => {
  it("writes nothing where a link has taken the place of its folder, in a workspace", () =>
    inTempFolder(async (root) => {
      mkdirSync(join(root, "outside"));
      symlinkSync(join(root, "outside"), join(root, ".worldline"));
      const path = join(root, ".worldline", "settings.json");
      await expect(replaceFile(path, "{}", { ...modes, links: "never" })).rejects.toMatchObject({
        code: "STORE_UNWRITABLE",
        hint: "Replace the link with a folder, and try again.",
      });
      expect(readdirSync(join(root, "outside"))).toEqual([]);
    }));

  it("follows the user's own links, and makes folders that are missing", () =>
    inTempFolder(async (root) => {
      mkdirSync(join(root, "dotfiles"));
      symlinkSync(join(root, "dotfiles"), join(root, "home"));
      await replaceFile(join(root, "home", "deep", "settings.json"), "{}", modes);
      expect(readFileSync(join(root, "dotfiles", "deep", "settings.json"), "utf8")).toBe("{}");
      expect(readdirSync(join(root, "dotfiles", "deep"))).toEqual(["settings.json"]);
    }));

  it("keeps the mode of the file exactly, whatever the umask is, and leaves nothing else behind", () =>
    inTempFolder(async (root) => {
      const path = join(root, "settings.json");
      const umask = process.umask(0o077);
      try {
        await replaceFile(path, "{}", { file: 0o664, folder: 0o700 });
        expect([modeOf(path), readFileSync(path, "utf8")]).toEqual([0o664, "{}"]);
        chmodSync(path, 0o606);
        await replaceFile(path, "[é]", modes);
        expect([modeOf(path), readFileSync(path, "utf8")]).toEqual([0o606, "[é]"]);
      } finally {
        process.umask(umask);
      }
      expect(readdirSync(root)).toEqual(["settings.json"]);
      expect(filesOpenIn(root)).toEqual([]);
    }));

  it("makes missing folders with the given mode, in a workspace too", () =>
    inTempFolder(async (root) => {
      await replaceFile(join(root, "home", "settings.json"), "{}", modes);
      await replaceFile(join(root, "work", "settings.json"), "{}", {
        file: 0o644,
        folder: 0o750,
        links: "never",
      });
      expect([modeOf(join(root, "home")), modeOf(join(root, "work"))]).toEqual([0o700, 0o750]);
    }));

  it("replaces a link with a file that has the mode of a new file", () =>
    inTempFolder(async (root) => {
      const [path, target] = [join(root, "link"), join(root, "target")];
      writeFileSync(target, "old", { mode: 0o640 });
      symlinkSync(target, path);
      await replaceFile(path, "new", modes);
      expect([modeOf(path), lstatSync(path).isFile(), readFileSync(target, "utf8")]).toEqual([
        0o600,
        true,
        "old",
      ]);
    }));

  it("that cannot be replaced leaves everything as it was, and says why", () =>
    inTempFolder(async (root) => {
      const path = join(root, "settings.json");
      mkdirSync(path);
      const refused = (each: string, code: string, more: object = {}) =>
        expect(replaceFile(each, "{}", { ...modes, ...more })).rejects.toMatchObject({
          reason: "file-unwritable",
          params: { path: each, why: expect.stringContaining(code) },
          cause: { code },
        });
      await refused(path, "EISDIR");
      expect(readdirSync(root)).toEqual(["settings.json"]);
      const below = join(root, "file", "settings.json");
      writeFileSync(join(root, "file"), "");
      await refused(below, "EEXIST");
      await refused(join(root, "x".repeat(250)), "ENAMETOOLONG");
      expect([readdirSync(root), filesOpenIn(root)]).toEqual([["file", "settings.json"], []]);
    }));

  it("that fails because the disk or the quota is full says so", () => {
    const reasons = ["ENOSPC", "EDQUOT", "EIO"].map((code) =>
      whyNotReplaced(Object.assign(new Error(code), { code })),
    );
    expect([...reasons, whyNotReplaced(new Error("ENOSPC"))]).toEqual([
      ...["no-room-for-file", "no-room-for-file"],
      ...["file-unwritable", "file-unwritable"],
    ]);
  });
});

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}
