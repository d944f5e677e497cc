import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { toolshed } from "./support/toolshed.ts";

/** Creates files in this order, each one older than the one before it. */
function shedWith(...names: string[]) {
  const shed = toolshed();
  for (const [index, name] of names.entries()) {
    const path = join(shed.workspace, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, name === ".gitignore" ? "node_modules/\n*.log\n" : "x");
    utimesSync(path, 2_000_000 - index, 2_000_000 - index);
  }
  const glob = async (pattern: string, path?: string) =>
    (await shed.call("Glob", path === undefined ? { pattern } : { pattern, path })).text.split("\n");
  return { ...shed, glob };
}

describe("Glob", () => {
  it("finds files by their path, the newest first", async () => {
    const { glob } = shedWith("src/z.ts", "a.ts", "src/deep/b.ts", "src/c.js");
    expect(await glob("**/*.ts")).toEqual(["src/z.ts", "a.ts", "src/deep/b.ts"]);
    expect(await glob("src/*.{ts,js}")).toEqual(["src/z.ts", "src/c.js"]);
    expect(await glob("*.ts", "src")).toEqual(["src/z.ts", "src/deep/b.ts"]);
    expect(await glob("src/deep/b.ts")).toEqual(["src/deep/b.ts"]);
    expect(await glob("b.ts")).toEqual(["src/deep/b.ts"]);
    expect(await glob("./**/*.js")).toEqual(["src/c.js"]);
    expect(await glob("{src,lib}/*.js")).toEqual(["src/c.js"]);
    expect(await glob("src/deep/")).toEqual(["src/deep/b.ts"]);
    expect(await glob("**")).toEqual(["src/z.ts", "a.ts", "src/deep/b.ts", "src/c.js"]);
  });

  it("follows ignore rules without git, except where the pattern leads into what is ignored", async () => {
    const { glob } = shedWith(
      ".gitignore",
      "node_modules/p/i.js",
      "i.js",
      "x.log",
      ".github/i.js",
      ".git/i.js",
    );
    expect(await glob("**/*.js")).toEqual(["i.js", ".github/i.js"]);
    expect(await glob("*.log")).toEqual([
      "No files match *.log. Ignored files (.gitignore) are not searched.",
    ]);
    expect(await glob("node_modules/p/*.js")).toEqual(["node_modules/p/i.js"]);
  });

  it("takes odd names and patterns as they are", async () => {
    const { glob } = shedWith("-dash.ts", "a b/ü.ts", "app/[id]/page.ts", "line\nbreak.ts", "!not.ts");
    expect(await glob("-*.ts")).toEqual(["-dash.ts"]);
    expect(await glob("a b/*.ts")).toEqual(["a b/ü.ts"]);
    expect(await glob("app/[id]/page.ts")).toEqual(["app/[id]/page.ts"]);
    expect(await glob("line*")).toEqual(["line\u240abreak.ts"]);
    expect(await glob("!not.ts")).toEqual(["!not.ts"]);
  });

  it("leaves out what rules deny, and says so", async () => {
    const shed = toolshed({ denied: ["Read(keys)", "Grep(a)", "Read(//nowhere/**)"] });
    mkdirSync(join(shed.workspace, "keys"));
    for (const name of ["a", "keys/b"]) writeFileSync(join(shed.workspace, name), "");
    const left = "[Some files were omitted, because a rule denies reading them]";
    expect((await shed.call("Glob", { pattern: "**" })).text).toBe(`a\n${left}`);
    expect((await shed.call("Glob", { pattern: "a" })).text).toBe("a");
  });

  it("shows a hundred and says how many more there are", async () => {
    const { glob } = shedWith(...Array.from({ length: 103 }, (_, index) => `f${index}.ts`));
    const found = await glob("*.ts");
    expect([found.length, found[0], found.at(-1)]).toEqual([
      101,
      "f0.ts",
      "[... and 3 more files; narrow the pattern to see them]",
    ]);
  });

  it("is about the folder that it looks in, also when the pattern names another", async () => {
    const { glob, subjects, workspace, outside } = shedWith("src/a.ts");
    writeFileSync(join(outside, "far.ts"), "");
    symlinkSync(outside, join(workspace, "way"));
    const about = async (pattern: string) => subjects("Glob", { pattern });
    const path = (real: string) => [{ kind: "path", path: real, access: "read" }];
    expect(await about("src/**/*.ts")).toEqual(path(join(workspace, "src")));
    expect(await about(`${outside}/*.ts`)).toEqual(path(outside));
    expect(await about("../outside/**")).toEqual(path(outside));
    expect(await about("way/*.ts")).toEqual(path(outside));
    expect(await glob(`${outside}/*.ts`)).toEqual([join(outside, "far.ts")]);
    expect(await glob("*/../../outside/*.ts")).toEqual([
      "No files match */../../outside/*.ts. Ignored files (.gitignore) are not searched.",
    ]);
  });

  it("refuses a folder that is not there", async () => {
    const { call } = shedWith("src/a.ts");
    const said = await call("Glob", { pattern: "*.ts", path: "scr" });
    expect([said.outcome, said.text]).toEqual(["error", "The folder scr does not exist. Did you mean src?"]);
  });

  it("ends when it is interrupted", async () => {
    const { call } = shedWith("a.ts");
    expect((await call("Glob", { pattern: "*" }, { signal: AbortSignal.abort() })).outcome).toBe(
      "interrupted",
    );
  });
});
