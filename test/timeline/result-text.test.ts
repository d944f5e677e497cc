import { describe, expect, it } from "vitest";
import { resultText } from "../../src/timeline/calls.ts";

describe("what a result says beyond its outcome", () => {
  it.each([
    ["denied", "Denied: outside the workspace.", "Denied: outside the workspace."],
    ["error", "<tool_use_error>File does not exist.</tool_use_error>", "File does not exist."],
    [
      "error",
      "<tool_use_error>Error: No such tool available: Glob.</tool_use_error>",
      "No such tool available: Glob.",
    ],
    ["error", "Exit code 3\nout", "Exit code 3\nout"],
    [
      "ok",
      "<tool_use_error>is what the page says</tool_use_error>",
      "<tool_use_error>is what the page says</tool_use_error>",
    ],
  ] as const)("of one that is %s: %j", (outcome, text, said) => {
    expect(resultText(outcome, text)).toBe(said);
  });
});
