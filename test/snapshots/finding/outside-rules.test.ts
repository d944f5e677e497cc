import { symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readOutsideRules } from "../../../src/snapshots/finding/ignore-rules.ts";
import { realWorkspaceDisk as disk } from "../../../src/snapshots/workspace/real-workspace-disk.ts";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";
import { Tree } from "./workspace-tree.ts";

describe("reading the rules from outside", () => {
  it("takes the user's own first, so that the repository's win", () =>
    inTempFolder((path) => {
      new Tree(path)
        .file("w/.git/info/exclude", "!a")
        .file("home/.config/git/ignore", "a")
        .file("xdg/git/ignore", "b");
      const places = { disk, root: `${path}/w`, home: `${path}/home` };
      expect(readOutsideRules({ ...places, config: undefined })).toBe("a\n!a");
      expect(readOutsideRules({ ...places, config: "" })).toBe("a\n!a");
      expect(readOutsideRules({ ...places, config: `${path}/xdg` })).toBe("b\n!a");
    }));

  it("takes them through links, as people keep their configuration in a repository", () =>
    inTempFolder((path) => {
      new Tree(path)
        .file("dotfiles/git/ignore", "a")
        .file("shared/info/exclude", "b")
        .file("w/x")
        .file("home/x");
      symlinkSync(`${path}/dotfiles`, `${path}/home/.config`);
      symlinkSync(`${path}/shared`, `${path}/w/.git`);
      const places = { disk, root: `${path}/w`, home: `${path}/home`, config: undefined };
      expect(readOutsideRules(places)).toBe("a\nb");
    }));

  it("does without if there are none", () =>
    inTempFolder((path) => {
      expect(readOutsideRules({ disk, root: path, home: path, config: undefined })).toBe("");
    }));
});
