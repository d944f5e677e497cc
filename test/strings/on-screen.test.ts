import { describe, expect, it } from "vitest";
import { WorldlineError } from "../../src/record/error.ts";
import { en } from "../../src/strings/en.ts";
import { errorOnScreen } from "../../src/strings/wording.ts";
import { zhCn } from "../../src/strings/zh-cn.ts";

describe("an error on the screen", () => {
  const error = new WorldlineError("journey-unknown", { journey: "k3f9" });

  it("is in the language of the screen, with the commands that there are there", () => {
    expect(errorOnScreen(en, error)).toEqual({
      message: "There is no journey k3f9 in this session.",
      hint: "See all journeys: /redo list",
    });
    expect(errorOnScreen(zhCn, error)).toEqual({
      message: "此会话中没有跳转 k3f9。",
      hint: "查看所有跳转：/redo list",
    });
    expect(errorOnScreen(en, new WorldlineError("files-off", {})).hint).toBe("Choose the conversation only.");
  });

  it.each([
    ["has no reason", {}],
    ["has a reason that is not known here", { reason: "from-the-future", params: {} }],
    ["has a reason by which objects have something else", { reason: "constructor", params: {} }],
    ["has other parameters", { reason: "model-unreachable", params: null }],
  ])("is shown in its own words where it %s", (_, made) => {
    const stored = { message: "It failed.", hint: "Wait." };
    expect(errorOnScreen(zhCn, { ...stored, ...made })).toEqual(stored);
  });
});
