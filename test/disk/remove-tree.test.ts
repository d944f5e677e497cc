import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { heldFolders } from "../../src/disk/held-folder.ts";
import { removeTree } from "../../src/disk/remove-tree.ts";
import { inTempFolder } from "../../src/testing/temp-folder.ts";

describe("removing a tree", () => {
  it("removes what is closed, deep, linked and named in bytes, and nothing that links lead to", () =>
    inTempFolder((root) => {
      const tree = join(root, "tree");
      mkdirSync(join(tree, ...Array.from({ length: 300 }, () => "d")), { recursive: true });
      mkdirSync(join(tree, "closed"));
      mkdirSync(join(root, "outside"));
      writeFileSync(join(root, "outside", "file"), "");
      symlinkSync(join(root, "outside"), join(tree, "closed", "link"));
      writeFileSync(Buffer.from(`${tree}/\xff`, "latin1"), "");
      chmodSync(join(tree, "closed"), 0);
      removeTree(tree);
      expect([existsSync(tree), readdirSync(join(root, "outside"))]).toEqual([false, ["file"]]);
      removeTree(tree);
    }));

  it("stops where a link takes the place of a folder that it empties", () =>
    inTempFolder((root) => {
      const folder = join(root, "tree", "a");
      for (const each of [folder, join(root, "outside")]) {
        mkdirSync(each, { recursive: true });
        for (let index = 0; index < 5; index += 1) writeFileSync(join(each, `${index}`), "");
      }
      // Simulates another process that swaps the folder between two calls.
      const { change } = heldFolders;
      let calls = 0;
      heldFolders.change = function swapping(path, work) {
        calls += 1;
        if (calls === 4) {
          renameSync(folder, join(root, "away"));
          symlinkSync(join(root, "outside"), folder);
        }
        return change.call(heldFolders, path, work) as ReturnType<typeof work>;
      };
      try {
        expect(() => removeTree(join(root, "tree"))).toThrow(
          expect.objectContaining({ code: "PARENT_CHANGED" }),
        );
      } finally {
        heldFolders.change = change;
      }
      expect(readdirSync(join(root, "outside")).length).toBe(5);
    }));
});
