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

  it.each([
    ["lgo", "log"],
    ["lxy", undefined],
    ["lgx", undefined],
    ["lxo", undefined],
    ["lo", "log"],
    ["ol", undefined],
  ])("by %j is %j, because two letters in the wrong order count as one mistake", (word, meant) => {
    expect(closest(word, ["log", "tree"])).toBe(meant);
  });

  it.each<[string, readonly string[], string | undefined]>([
    ["m", ["-m"], "-m"],
    ["-m", ["m"], "m"],
    ["m", ["x", "M"], "M"],
    ["log", ["lo", "log", "logs"], "log"],
    ["log", [], undefined],
  ])("by %j, among %j, is %j", (word, candidates, meant) => {
    expect(closest(word, candidates)).toBe(meant);
  });
});
