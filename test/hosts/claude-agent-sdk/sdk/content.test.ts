import { describe, expect, it } from "vitest";
import { mergeUsage } from "../../../../src/hosts/claude-agent-sdk/sdk/content.ts";

const BEGUN = { input_tokens: 7, output_tokens: 1, cache_read_input_tokens: 90 };

describe("what a reply has used", () => {
  it("is what is said at its end, and where that says nothing what was said at its beginning", () => {
    expect(mergeUsage(BEGUN, { output_tokens: 30 })).toEqual({ ...BEGUN, output_tokens: 30 });
    expect(mergeUsage(BEGUN, { input_tokens: 0, output_tokens: 30, cache_read_input_tokens: null })).toEqual({
      ...BEGUN,
      output_tokens: 30,
    });
    expect(mergeUsage({ input_tokens: 0 }, { input_tokens: 8 })).toEqual({ input_tokens: 8 });
  });

  it("is known where it is said only once", () => {
    expect([mergeUsage(BEGUN, undefined), mergeUsage(undefined, BEGUN)]).toEqual([BEGUN, BEGUN]);
  });
});
