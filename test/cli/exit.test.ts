import { describe, expect, it } from "vitest";
import { exitCodeOf } from "../../src/cli/exit.ts";
import { type ErrorCode, WorldlineError } from "../../src/record/error.ts";

describe("the exit code", () => {
  it.each<[ErrorCode, number]>([
    ["USAGE", 2],
    ["INPUT_INVALID", 42],
    ["NEEDS_YES", 42],
    ["CHECKPOINT_UNKNOWN", 42],
    ["WORKSPACE_UNUSABLE", 42],
    ["SETTINGS_INVALID", 52],
    ["CANCELLED", 130],
    ["SESSION_HELD", 1],
    ["STORE_FULL", 1],
  ])("of %s is %i", (code, exit) => {
    expect(exitCodeOf(new WorldlineError("stated", { code, message: "x" }))).toBe(exit);
  });

  it("of anything that is not ours is 1", () => {
    expect([exitCodeOf(new Error("x")), exitCodeOf("x"), exitCodeOf(undefined)]).toEqual([1, 1, 1]);
  });
});
