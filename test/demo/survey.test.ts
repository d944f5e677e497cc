import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { differences, Surveyor } from "../../demo/survey.ts";
import { inTempFolder } from "../../src/testing/temp-folder.ts";

/** The paths that the surveyor reports as different after `change`. */
async function differing(change: (folder: string) => void): Promise<readonly string[]> {
  return inTempFolder(async (folder) => {
    mkdirSync(join(folder, "src"));
    writeFileSync(join(folder, "src/a"), "aaa");
    utimesSync(join(folder, "src/a"), 1_000, 1_000);
    symlinkSync("src/a", join(folder, "link"));
    mkdirSync(join(folder, "empty"));
    const surveyor = new Surveyor(folder);
    const before = await surveyor.survey();
    change(folder);
    return differences(before, await surveyor.survey()).map(({ path }) => path);
  });
}

describe("an independent survey", () => {
  it("finds no difference if there is none", async () => {
    expect(await differing(() => undefined)).toEqual([]);
  });

  it.each<[string, (folder: string) => void, readonly string[]]>([
    ["content", (folder) => writeFileSync(join(folder, "src/a"), "aab"), ["src/a"]],
    ["modes", (folder) => chmodSync(join(folder, "src/a"), 0o600), ["src/a"]],
    ["modes of folders", (folder) => chmodSync(join(folder, "empty"), 0o700), ["empty"]],
    ["empty folders", (folder) => rmSync(join(folder, "empty"), { recursive: true }), ["empty"]],
    [
      "links",
      (folder) => {
        rmSync(join(folder, "link"));
        symlinkSync("src/b", join(folder, "link"));
      },
      ["link"],
    ],
    [
      "kinds",
      (folder) => {
        rmSync(join(folder, "src"), { recursive: true });
        symlinkSync("/etc", join(folder, "src"));
      },
      ["src", "src/a"],
    ],
    ["names that are no UTF-8", (folder) => writeFileSync(badName(folder), "x"), ["bad\xff"]],
    [
      "edits of the same size with the old time",
      (folder) => {
        writeFileSync(join(folder, "src/a"), "bbb");
        utimesSync(join(folder, "src/a"), 1_000, 1_000);
      },
      ["src/a"],
    ],
  ])("sees a difference of %s", async (_what, change, paths) => {
    expect(await differing(change)).toEqual(paths);
  });
});

function badName(folder: string): Buffer {
  return Buffer.concat([Buffer.from(folder), Buffer.from("/bad\xff", "latin1")]);
}
