import { describe, expect, it } from "vitest";
import { keptReason } from "../../src/strings/zh-cn/measures.ts";
import { keptText } from "../../src/travel/plan-files.ts";

describe("why a path was kept", () => {
  it("is told in Chinese for every reason that the timeline writes down", () => {
    const english = Object.values(keptText).filter((why) => !/[\u4e00-\u9fff]/u.test(keptReason(why)));
    expect(english).toEqual([]);
  });

  it("is told as it is where it is the system's own word", () => {
    expect(keptReason("EACCES: permission denied")).toBe("EACCES: permission denied");
  });
});
