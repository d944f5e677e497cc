import { execFileSync } from "node:child_process";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/record/parts.ts";
import { toolshed } from "./support/toolshed.ts";

function shedWith(files: Record<string, string>, denied: readonly string[] = []) {
  const shed = toolshed({ denied });
  for (const [index, [name, content]] of Object.entries(files).entries()) {
    const path = join(shed.workspace, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    utimesSync(path, 1_000_000 + index, 1_000_000 + index);
  }
  const grep = async (pattern: string, more: { [field: string]: Json } = {}) =>
    shed.call("Grep", { pattern, ...more });
  const lines = async (pattern: string, more: { [field: string]: Json } = {}) =>
    (await grep(pattern, { output_mode: "content", ...more })).text;
  return { ...shed, grep, lines };
}

const NOTHING = "No matches. Ignored files (.gitignore) are not searched unless `path` names them.";

describe("Grep", () => {
  it("names the files that match, the newest first", async () => {
    const { grep } = shedWith({ "old.ts": "hit", "src/new.ts": "a hit", "none.ts": "miss" });
    const said = await grep("hit");
    expect([said.outcome, said.text]).toEqual(["ok", "src/new.ts\nold.ts"]);
    expect((await grep("hit", { path: "src" })).text).toBe("src/new.ts");
    expect((await grep("hit", { path: "old.ts" })).text).toBe("old.ts");
    const nothing = await grep("no such text");
    expect([nothing.outcome, nothing.text]).toEqual(["ok", NOTHING]);
  });

  it("shows lines with numbers and context, or counts them", async () => {
    const { grep, lines } = shedWith({ "a.ts": "1\n2\nHit\n4\n5\n", "b.ts": "hit\nhit\n" });
    expect(await lines("hit")).toBe("b.ts:1:hit\nb.ts:2:hit");
    expect(await lines("hit", { "-i": true, "-n": false, glob: "a.*" })).toBe("a.ts:Hit");
    expect(await lines("Hit", { "-C": 1 })).toBe("a.ts-2-2\na.ts:3:Hit\na.ts-4-4");
    expect(await lines("Hit", { "-A": 2, "-B": 0 })).toBe("a.ts:3:Hit\na.ts-4-4\na.ts-5-5");
    expect((await grep("hit", { output_mode: "count" })).text).toBe("b.ts:2");
    expect(await lines("2.Hit", { multiline: true })).toBe("a.ts:2:2\na.ts:3:Hit");
    expect(await lines("hit", { type: "py" })).toBe(NOTHING);
  });

  it("takes patterns and names with dashes, spaces and other letters as they are", async () => {
    const { lines, grep } = shedWith({ "-x y.ts": "--files -e $(touch made) 日本\n", "sub/-z": "--files\n" });
    expect(await lines("--files", { path: "-x y.ts" })).toBe("-x y.ts:1:--files -e $(touch made) 日本");
    expect((await grep("-e \\$\\(touch")).text).toBe("-x y.ts");
    expect((await grep("日本")).text).toBe("-x y.ts");
    expect((await grep("-f", { glob: "-z" })).text).toBe("sub/-z");
  });

  it("follows ignore rules without git, except for what is named", async () => {
    const { grep } = shedWith({
      ".gitignore": "dist/\n",
      "dist/a.js": "hit",
      ".env": "hit",
      ".git/config": "hit",
    });
    expect((await grep("hit")).text).toBe(".env");
    expect((await grep("hit", { path: "dist" })).text).toBe("dist/a.js");
  });

  it("leaves out what rules deny, and says so", async () => {
    const left = "[Some files were omitted, because a rule denies reading them]";
    const files = {
      "a:1:.ts": "0\nhit 1-2\n2\n",
      "keys/one": "hit\n",
      "keys/two\nlines": "hit\n",
      "m/.env": "hit\n",
      "z.ts": "hit\n0\n",
    };
    const { grep, lines } = shedWith(files, ["Read(keys/**)", "Grep(**/.env)", "Bash(rm:*)", "Edit(z.ts)"]);
    expect((await grep("hit")).text).toBe(`z.ts\na:1:.ts\n${left}`);
    const shown = await lines("hit", { "-C": 1 });
    expect(shown).toBe(`a:1:.ts-1-0\na:1:.ts:2:hit 1-2\na:1:.ts-3-2\n--\nz.ts:1:hit\nz.ts-2-0\n${left}`);
    expect(await lines("hit", { "-n": false, glob: "a*" })).toBe("a:1:.ts:hit 1-2");
    expect((await grep("hit", { output_mode: "count" })).text).toBe(`a:1:.ts:1\nz.ts:1\n${left}`);
    expect(await lines("hit", { path: "m" })).toBe(`${NOTHING}\n${left}`);
  });

  it("stops at a limit and says so", async () => {
    const { lines, grep } = shedWith({
      "a.ts": "hit\n".repeat(1_000),
      "b.ts": "hit",
      "wide.ts": "w".repeat(50_000),
    });
    const found = (await lines("hit")).split("\n");
    expect([found.length, found.at(-1)]).toEqual([
      251,
      "[... and more; narrow the search, or raise head_limit (250 shown)]",
    ]);
    expect(await lines("hit", { head_limit: 1 })).toBe(
      "a.ts:1:hit\n[... and more; narrow the search, or raise head_limit (1 shown)]",
    );
    expect((await grep("hit", { head_limit: 1 })).text.split("\n")[0]).toBe("b.ts");
    expect((await lines("hit", { head_limit: 0 })).split("\n").length).toBe(1_001);
    expect((await lines("w+")).length).toBeLessThan(700);
  });

  it("says what is wrong with an expression, a type or a path", async () => {
    const { grep, workspace } = shedWith({ "a.ts": "" });
    execFileSync("mkfifo", [join(workspace, "pipe")]);
    const bad = await grep("(");
    expect([bad.outcome, bad.text.includes("unclosed group")]).toEqual(["error", true]);
    expect((await grep("a", { type: "nonsense" })).text).toContain("unrecognized file type: nonsense");
    expect((await grep("a", { path: "b.ts" })).text).toBe("b.ts does not exist. Did you mean a.ts?");
    expect((await grep("a", { path: "pipe" })).text).toBe(
      "pipe cannot be searched: it is a FIFO, which is never opened.",
    );
  });

  it("is about the path that it searches", async () => {
    const { subjects, workspace } = shedWith({ "a.ts": "" });
    expect(await subjects("Grep", { pattern: "x" })).toEqual([
      { kind: "path", path: workspace, access: "read" },
    ]);
    expect(await subjects("Grep", { pattern: "x", path: "/etc" })).toEqual([
      { kind: "path", path: "/etc", access: "read" },
    ]);
  });
});
