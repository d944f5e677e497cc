import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { putFile } from "../../../src/agent/tools/put-file.ts";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";

const bytes = Buffer.from("the agent's");

describe("putting a file in the place of another", () => {
  it("takes the place of what was read", async () => {
    await inTempFolder(async (folder) => {
      const place = join(folder, "a");
      writeFileSync(place, "old");
      expect(await putFile({ place, bytes, replaces: lstatSync(place) })).toBe("put");
      expect(readFileSync(place, "utf8")).toBe("the agent's");
      expect(readdirSync(folder)).toEqual(["a"]);
    });
  });

  it.each<[string, (place: string) => void, string | undefined]>([
    ["saved over", (place) => writeFileSync(place, "mine, longer"), "mine, longer"],
    [
      "saved over with the same length and time",
      (place) => {
        const { atime, mtime } = lstatSync(place);
        writeFileSync(`${place}~`, "OLD");
        utimesSync(`${place}~`, atime, mtime);
        renameSync(`${place}~`, place);
      },
      "OLD",
    ],
    ["removed", (place) => rmSync(place), undefined],
  ])("leaves alone what was %s since it was read", async (_how, change, left) => {
    await inTempFolder(async (folder) => {
      const place = join(folder, "a");
      writeFileSync(place, "old");
      const replaces = lstatSync(place);
      change(place);
      expect(await putFile({ place, bytes, replaces })).toBe("changed");
      expect(readdirSync(folder)).toEqual(left === undefined ? [] : ["a"]);
      if (left !== undefined) expect(readFileSync(place, "utf8")).toBe(left);
    });
  });

  it("leaves alone what was written to since it was read, though its times are the same", async () => {
    await inTempFolder(async (folder) => {
      const place = join(folder, "a");
      writeFileSync(place, "OLD");
      const written = { place, bytes, replaces: lstatSync(place) };
      expect(await putFile({ ...written, holding: Buffer.from("old") })).toBe("changed");
      expect(readFileSync(place, "utf8")).toBe("OLD");
      expect(await putFile({ ...written, holding: Buffer.from("OLD") })).toBe("put");
      expect(readFileSync(place, "utf8")).toBe("the agent's");
    });
  });

  it("takes nothing's place where a new file is wanted", async () => {
    await inTempFolder(async (folder) => {
      const place = join(folder, "below", "a");
      expect(await putFile({ place, bytes })).toBe("put");
      await expect(putFile({ place, bytes: Buffer.from("x") })).rejects.toMatchObject({ code: "EEXIST" });
      expect(readFileSync(place, "utf8")).toBe("the agent's");
      expect(readdirSync(join(folder, "below"))).toEqual(["a"]);
    });
  });

  it.each(["file", "deep/er/file"])(
    "goes through no link that took the place of a folder: %s",
    async (name) => {
      await inTempFolder(async (root) => {
        mkdirSync(join(root, "outside"));
        symlinkSync(join(root, "outside"), join(root, "folder"));
        const put = putFile({ place: join(root, "folder", name), bytes });
        await expect(put).rejects.toMatchObject({ code: "PARENT_CHANGED" });
        expect(readdirSync(join(root, "outside"))).toEqual([]);
      });
    },
  );
});
