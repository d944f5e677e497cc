import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pathOfText } from "../../../src/record/files.ts";
import { rulesOf } from "../../../src/snapshots/finding/ignore-rules.ts";

const none = rulesOf("");

describe("ignore rules", () => {
  it("ignore nothing if there are none", () => {
    expect(none.ignores("a", "file")).toBe(false);
    expect(none.ignores("", "folder")).toBe(false);
  });

  it("tell folders from files", () => {
    const rules = none.within("", "build/\n");
    expect(rules.ignores("build", "folder")).toBe(true);
    expect(rules.ignores("build", "file")).toBe(false);
    expect(rules.ignores("deep/build", "folder")).toBe(true);
  });

  it("ignore what is below an ignored folder, whatever is negated there", () => {
    const rules = none.within("", "build/\n!build/keep\n").within("build", "!keep\n");
    expect(rules.ignores("build/keep", "file")).toBe(true);
  });

  it("let the last pattern win", () => {
    const rules = none.within("", "*.log\n!keep.log\n");
    expect(rules.ignores("a.log", "file")).toBe(true);
    expect(rules.ignores("keep.log", "file")).toBe(false);
  });

  it("let the deeper file win, in its own folder only", () => {
    const rules = none.within("", "*.log\n").within("a", "!*.log\n").within("a/b", "two.log\n");
    expect(rules.ignores("one.log", "file")).toBe(true);
    expect(rules.ignores("a/one.log", "file")).toBe(false);
    expect(rules.ignores("a/b/two.log", "file")).toBe(true);
    expect(rules.ignores("a/c/two.log", "file")).toBe(false);
  });

  it("see into a folder that a deeper file has taken back", () => {
    const rules = none.within("", "out\n").within("a", "!out/\n");
    expect(rules.ignores("a/out", "folder")).toBe(false);
    expect(rules.ignores("a/out/file", "file")).toBe(false);
  });

  it("tie patterns with a slash to the folder of their file", () => {
    const rules = none.within("a", "/top\nx/y\nany\n");
    expect(rules.ignores("a/top", "file")).toBe(true);
    expect(rules.ignores("a/b/top", "file")).toBe(false);
    expect(rules.ignores("a/x/y", "file")).toBe(true);
    expect(rules.ignores("a/b/x/y", "file")).toBe(false);
    expect(rules.ignores("a/b/any", "file")).toBe(true);
    expect(rules.ignores("any", "file")).toBe(false);
  });

  it("take the workspace's rules over those from outside", () => {
    const rules = rulesOf("*.env\nsecret\n").within("", "!a.env\n");
    expect(rules.ignores("a.env", "file")).toBe(false);
    expect(rules.ignores("b.env", "file")).toBe(true);
    expect(rules.ignores("secret", "folder")).toBe(true);
  });

  it("are about upper and lower case", () => {
    expect(none.within("", "Build\n").ignores("build", "folder")).toBe(false);
  });

  it("read names as UTF-8, and as bytes if they are not", () => {
    const rules = none.within("", "größe\n?.bin\n");
    expect(rules.ignores(pathOfText("größe"), "file")).toBe(true);
    expect(rules.ignores("\xff.bin", "file")).toBe(true);
  });

  it("take the special signs in the name of a folder for what they are", () => {
    const folder = "a*[b]?! #\\c";
    const rules = none.within(folder, "x\n/y\n");
    expect(rules.ignores(`${folder}/x`, "file")).toBe(true);
    expect(rules.ignores(`${folder}/z/y`, "file")).toBe(false);
    expect(rules.ignores("aX[b]?! #\\c/x", "file")).toBe(false);
    expect(none.within("line\nbreak", "x").ignores("line\nbreak/x", "file")).toBe(true);
  });

  it("skip comments, lines that end in CR, and a byte order mark", () => {
    const rules = none.within("", "\uFEFFfirst\r\n# second\r\n\r\n\\#third\r\n");
    expect(rules.ignores("first", "file")).toBe(true);
    expect(rules.ignores("# second", "file")).toBe(false);
    expect(rules.ignores("#third", "file")).toBe(true);
  });

  it("still work if patterns are odd", () => {
    const odd = [
      "[",
      "[z-a]",
      "\\",
      "a\0b",
      "x".repeat(100_000),
      "/",
      "!",
      "!/",
      "***",
      "[[:nope:]]",
      "(",
      "a{1",
    ];
    for (const folder of ["", "sub"]) {
      const rules = none.within(folder, `${odd.join("\n")}\ngood\n`);
      expect(rules.ignores(folder === "" ? "good" : "sub/good", "file")).toBe(true);
    }
    expect(none.within("sub", "/\n").ignores("sub", "folder")).toBe(false);
  });

  it("are the same object where a folder adds none", () => {
    const rules = none.within("", "a\n");
    expect(rules.within("sub", "# nothing\n")).toBe(rules);
  });

  it("law: no text and no path makes them throw", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (text, folder, path) => {
        expect(typeof rulesOf(text).within(folder, text).ignores(path, "folder")).toBe("boolean");
      }),
    );
  });
});
