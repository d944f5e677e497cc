import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  ANY_MODE,
  HeldFolder,
  HeldFolders,
  type HoldingBy,
  holdingBy,
  inHeldFolder,
} from "../../src/disk/held-folder.ts";
import { inTempFolder } from "../../src/testing/temp-folder.ts";

const ways: readonly HoldingBy[] = holdingBy() === "handles" ? ["handles", "checks"] : ["checks"];
const isReplaced = expect.objectContaining({ code: "PARENT_CHANGED" });

/**
 * Creates `a/b` in the workspace and another `b` outside; `swap` replaces `a` with a link to the folder
 * outside.
 */
async function inPlaces(work: (root: string, swap: () => void) => Promise<void> | void): Promise<void> {
  await inTempFolder(async (root) => {
    mkdirSync(join(root, "work", "a", "b"), { recursive: true });
    mkdirSync(join(root, "outside", "b"), { recursive: true });
    await work(root, () => {
      renameSync(join(root, "work", "a"), join(root, "work", "away"));
      symlinkSync(join(root, "outside"), join(root, "work", "a"));
    });
  });
}

describe.each(ways)("a folder held by %s", (by) => {
  it("is not reached through a link", () =>
    inPlaces((root, swap) => {
      swap();
      const folders = new HeldFolders(by);
      expect(() => new HeldFolder(join(root, "work", "a"), by)).toThrow(isReplaced);
      expect(() => new HeldFolder(join(root, "work", "a", "b"), by)).toThrow(isReplaced);
      expect(() => folders.look(join(root, "work", "a", "b", "file"), () => "reached")).toThrow(isReplaced);
      expect(folders.isPlainFolder(join(root, "work", "a"))).toBe(false);
      expect(folders.isPlainFolder(join(root, "work", "away", "b"))).toBe(true);
    }));

  it("says that it was replaced, and whether nothing or a file is there instead", () =>
    inPlaces((root, swap) => {
      const held = new HeldFolder(join(root, "work", "a", "b"), by);
      expect(held.isStill()).toBe(true);
      swap();
      expect(held.isStill()).toBe(false);
      expect(() => held.requireStill()).toThrow(isReplaced);
      held.close();
      writeFileSync(join(root, "file"), "");
      expect(() => new HeldFolder(join(root, "file"), by)).toThrow(
        expect.objectContaining({ code: "ENOTDIR" }),
      );
      expect(() => new HeldFolder(join(root, "none"), by)).toThrow(
        expect.objectContaining({ code: "ENOENT" }),
      );
    }));

  it("is reported if it is replaced in the middle of a change", () =>
    inPlaces((root, swap) => {
      const folders = new HeldFolders(by);
      const path = join(root, "work", "a", "b", "new");
      const change = (): void =>
        folders.change(path, (place) => {
          swap();
          writeFileSync(place, "written");
        });
      if (by === "checks") expect(change).toThrow(isReplaced);
      else {
        change();
        expect(readdirSync(join(root, "outside", "b"))).toEqual([]);
        expect(readFileSync(join(root, "work", "away", "b", "new"), "utf8")).toBe("written");
      }
      expect(() => folders.change(path, () => "again")).toThrow(isReplaced);
    }));

  it("is changed only while it is the one that was looked at", () =>
    inPlaces((root) => {
      const folders = new HeldFolders(by);
      const path = join(root, "work", "a", "b", "file");
      expect(folders.look(path, (place) => existsSync(place))).toBe(false);
      renameSync(join(root, "work", "a", "b"), join(root, "work", "a", "moved"));
      mkdirSync(join(root, "work", "a", "b"));
      expect(() => folders.change(path, (place) => writeFileSync(place, ""))).toThrow(isReplaced);
      expect(readdirSync(join(root, "work", "a", "b"))).toEqual([]);
    }));

  it("names the path that was asked for where something fails", () =>
    inPlaces((root) => {
      const path = join(root, "work", "a", "missing");
      expect(() => new HeldFolders(by).look(path, (place) => readFileSync(place))).toThrow(path);
    }));
});

it("holds few folders at a time, and none when the code that runs has ended", async () => {
  await inTempFolder(async (root) => {
    const open = (): number => (existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0);
    const before = open();
    const folders = new HeldFolders();
    for (let index = 0; index < 20; index += 1) {
      mkdirSync(join(root, `${index}`));
      folders.look(join(root, `${index}`, "file"), (place) => existsSync(place));
    }
    expect(open() - before).toBeLessThanOrEqual(4);
    await Promise.resolve();
    expect(open()).toBe(before);
  });
});

it("makes the folders above a path that are missing, and never below a link", async () => {
  await inPlaces(async (root, swap) => {
    await inHeldFolder(join(root, "work", "a", "x", "y"), async (held) => writeFileSync(held.at("f"), "1"), {
      make: ANY_MODE,
    });
    expect(readFileSync(join(root, "work", "a", "x", "y", "f"), "utf8")).toBe("1");
    swap();
    const made = inHeldFolder(join(root, "work", "a", "new", "deep"), async () => "made", { make: ANY_MODE });
    await expect(made).rejects.toEqual(isReplaced);
    expect(readdirSync(join(root, "outside"))).toEqual(["b"]);
    unlinkSync(join(root, "work", "a"));
  });
});
