import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { replaceFile } from "../../../src/app/places/home.ts";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";

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
});
