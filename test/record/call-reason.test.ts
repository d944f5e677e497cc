import { describe, expect, it } from "vitest";
import { type CallReason, callReasonInEnglish } from "../../src/record/call-reason.ts";

describe("the reason for a permission decision", () => {
  it("is in English for models", () => {
    expect(callReasonInEnglish({ code: "denied-by-rule", rule: "Bash(rm *)" })).toBe(
      "it is denied by the rule Bash(rm *)",
    );
  });

  it("is empty if only a newer version knows it", () => {
    expect(callReasonInEnglish({ code: "full-moon" } as unknown as CallReason)).toBe("");
  });
});
