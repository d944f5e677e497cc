import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { forgetTyped, typedHistory } from "../../../src/app/places/home.ts";
import { inTempFolder } from "../../../src/testing/testing.ts";

function fileIn(home: string): string {
  return join(home, "history", readdirSync(join(home, "history"))[0] ?? "");
}

describe("the history of what was typed", () => {
  it("is empty at first, and only its owner's to read", async () => {
    await inTempFolder(async (root) => {
      const home = join(root, "home");
      const history = typedHistory(home, "/w");
      expect(await history.read()).toEqual([]);
      await history.add("one");
      await history.add("  ");
      await history.add("two \ud83d\ude42\nlines");
      expect(await history.read()).toEqual(["one", "two \ud83d\ude42\nlines"]);
      expect(statSync(fileIn(home)).mode & 0o777).toBe(0o600);
      expect(statSync(join(home, "history")).mode & 0o777).toBe(0o700);
    });
  });

  it("loses a line that is torn or odd, and no other", async () => {
    await inTempFolder(async (home) => {
      const history = typedHistory(home, "/w");
      await history.add("one");
      appendFileSync(fileIn(home), '[1]\n{"typed":3}\n\0\n{"typed":"to');
      await history.add("two");
      expect(await history.read()).toEqual(["one", "two"]);
    });
  });

  it("can be made to forget a text, in all workspaces", async () => {
    await inTempFolder(async (home) => {
      const has = (wanted: string) => (text: string) => text.includes(wanted);
      expect(await forgetTyped(home, has("hunter2"))).toBe(0);
      const [one, two] = [typedHistory(home, "/one"), typedHistory(home, "/two")];
      for (const typed of ["before", "it is hunter2", 'a "quoted"\nhunter2', "behind"]) await one.add(typed);
      await two.add("hunter2");
      expect(await forgetTyped(home, has("hunter2"))).toBe(3);
      expect(await forgetTyped(home, has('a "q'))).toBe(0);
      expect([await one.read(), await two.read()]).toEqual([["before", "behind"], []]);
    });
  });

  it("keeps the newest thousand", async () => {
    await inTempFolder(async (home) => {
      const history = typedHistory(home, "/w");
      await history.add("first");
      const lines = Array.from({ length: 1_300 }, (_, index) => JSON.stringify({ typed: `line ${index}` }));
      appendFileSync(fileIn(home), `${lines.join("\n")}\n`);
      await history.add("last");
      const read = await history.read();
      expect([read.length, read[0], read.at(-1)]).toEqual([1_000, "line 301", "last"]);
      expect(readFileSync(fileIn(home), "utf8").split("\n")).toHaveLength(1_001);
      expect(statSync(fileIn(home)).mode & 0o777).toBe(0o600);
    });
  });
});
