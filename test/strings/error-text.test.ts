import { describe, expect, it } from "vitest";
import { stringsFor } from "../../src/strings/strings.ts";
import { errorText } from "../../src/strings/wording.ts";

const failure = { code: "SESSION_UNKNOWN", message: 'No session "k3".' } as const;

describe("an error as a line", () => {
  it("is its message in English", () => {
    expect(errorText(stringsFor("en"), failure)).toBe('No session "k3".');
  });

  it("begins with its name in Chinese, and keeps the message", async () => {
    expect(errorText(await stringsFor("zh-CN"), failure)).toBe('没有这个会话。No session "k3".');
  });
});
