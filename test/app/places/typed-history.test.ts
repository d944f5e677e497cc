import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { countTyped, forgetTyped, typedHistory } from "../../../src/app/places/home.ts";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { filesOpenIn } from "../../support/files-open-in.ts";

function fileIn(home: string): string {
  return join(home, "history", readdirSync(join(home, "history"))[0] ?? "");
}

function fileOf(home: string, workspace: string): string {
  return join(home, "history", `${createHash("sha256").update(workspace).digest("hex").slice(0, 16)}.jsonl`);
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
      expect(filesOpenIn(home)).toEqual([]);
    });
  });

  it("has a line for each input, in a file that is named after the workspace, where later versions find it", async () => {
    await inTempFolder(async (home) => {
      const history = typedHistory(home, "/w");
      await history.add("one");
      await history.add("two");
      expect(fileIn(home)).toBe(fileOf(home, "/w"));
      expect(readFileSync(fileOf(home, "/w"), "utf8")).toBe('{"typed":"one"}\n{"typed":"two"}\n');
    });
  });

  it("that cannot be read is an error, not an empty history", async () => {
    await inTempFolder(async (home) => {
      await typedHistory(home, "/w").add("one");
      mkdirSync(fileOf(home, "/other"));
      await expect(typedHistory(home, "/other").read()).rejects.toMatchObject({ code: "EISDIR" });
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
      const left = join(home, "history", ".0123456789abcdef.jsonl.012345");
      writeFileSync(left, '{"typed":"hunter2"}\n');
      const untouched = join(home, "history", "0123456789abcdef.jsonl");
      writeFileSync(untouched, '\n{"typed":"other"}');
      appendFileSync(fileOf(home, "/two"), '{"typed":"hunter2');
      const before = readFileSync(fileOf(home, "/one"), "utf8");
      expect([await countTyped(home, has("hunter2")), await countTyped(home, has('a "q'))]).toEqual([5, 1]);
      expect(readFileSync(fileOf(home, "/one"), "utf8")).toBe(before);
      expect(await forgetTyped(home, has('a "q'))).toBe(1);
      expect(await forgetTyped(home, has("hunter2"))).toBe(4);
      expect(await countTyped(home, has("hunter2"))).toBe(0);
      expect([await one.read(), await two.read()]).toEqual([["before", "behind"], []]);
      expect([existsSync(left), readFileSync(untouched, "utf8")]).toEqual([false, '\n{"typed":"other"}']);
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

  it("is shortened only when it has two hundred lines more than that", async () => {
    await inTempFolder(async (home) => {
      const history = typedHistory(home, "/w");
      await history.add("first");
      const lines = Array.from({ length: 1_198 }, (_, index) => `{"typed":"line ${index}"}\n`);
      appendFileSync(fileIn(home), lines.join(""));
      const count = () => readFileSync(fileIn(home), "utf8").split("\n").length - 1;
      await history.add("last");
      expect([count(), (await history.read()).length, (await history.read())[0]]).toEqual([
        1_200,
        1_000,
        "line 199",
      ]);
      await history.add("one more");
      expect([count(), (await history.read()).at(-1)]).toEqual([1_000, "one more"]);
    });
  });
});
