import { describe, expect, it } from "vitest";
import { closest } from "../../src/record/options.ts";

describe("what was meant", () => {
  const keys = ["enableFileCheckpointing", "lock.waitMs", "log.rotateBytes", "trash.days"];

  it.each([
    ["lock.waitms", "lock.waitMs"],
    ["lock.wait", "lock.waitMs"],
    ["waitMs", "lock.waitMs"],
    ["trash.day", "trash.days"],
    ["enableFileCheckpoints", "enableFileCheckpointing"],
    ["trahs.days", "trash.days"],
    ["colour", undefined],
    ["", undefined],
  ])("by %j is %j", (word, meant) => {
    expect(closest(word, keys)).toBe(meant);
  });

  it("counts two letters in the wrong order as one slip", () => {
    expect(closest("lgo", ["log", "tree"])).toBe("log");
    expect(closest("ol", ["log", "tree"])).toBeUndefined();
  });
});
