import { describe, expect, it } from "vitest";
import { mergeUsage } from "../../../../src/hosts/claude-agent-sdk/sdk/content.ts";

const BEGUN = { input_tokens: 7, output_tokens: 1, cache_read_input_tokens: 90 };

describe("what a reply has used", () => {
  it("is the usage at its end or, if that is missing, at its beginning", () => {
    expect(mergeUsage(BEGUN, { output_tokens: 30 })).toEqual({ ...BEGUN, output_tokens: 30 });
    expect(mergeUsage(BEGUN, { input_tokens: 0, output_tokens: 30, cache_read_input_tokens: null })).toEqual({
      ...BEGUN,
      output_tokens: 30,
    });
    expect(mergeUsage({ input_tokens: 0 }, { input_tokens: 8 })).toEqual({ input_tokens: 8 });
  });

  it("is known if it is reported only once", () => {
    expect([mergeUsage(BEGUN, undefined), mergeUsage(undefined, BEGUN)]).toEqual([BEGUN, BEGUN]);
  });
});
