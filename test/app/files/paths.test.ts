import { describe, expect, it } from "vitest";
import { pathDocument, pathText } from "../../../src/app/files/paths.ts";
import { pathOfText } from "../../../src/record/files.ts";

describe("a path for people", () => {
  it.each([
    ["src/a.txt", "src/a.txt"],
    [pathOfText("größe/文.txt"), "größe/文.txt"],
    ["", "."],
    ["a\xffb", "a\\xffb"],
    ["a\nb\u001b[2J", "a\\x0ab\\x1b[2J"],
    [pathOfText("a\u202eb"), "a<U+202E>b"],
    [pathOfText("a\u009bb"), "a\\x9bb"],
  ])("of %j is %j", (path, text) => {
    expect(pathText(path)).toBe(text);
  });
});

describe("a path for programs", () => {
  it("has its bytes if it is not text", () => {
    expect(pathDocument(pathOfText("größe\n"))).toEqual({ path: "größe\n" });
    expect(pathDocument("a\xff")).toEqual({ path: "a\\xff", bytes: "Yf8=" });
  });
});
