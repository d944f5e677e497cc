import { describe, expect, it } from "vitest";
import { transcript as en } from "../../src/strings/en/terminal.ts";
import { transcript as zh } from "../../src/strings/zh-cn/terminal.ts";

describe("the line of a journey's files", () => {
  const nothing = { restored: 0, created: 0, removed: 0, merged: 0, kept: 0, notRestorable: 0, failed: 0 };

  it("names only what happened", () => {
    expect(en.restored({ ...nothing, created: 2, removed: 1 })).toBe("2 created, 1 removed");
    expect(zh.restored({ ...nothing, created: 2, removed: 1 })).toBe("新建 2 个，移除 1 个");
    expect(en.restored({ ...nothing, restored: 1, kept: 3 })).toBe("1 path restored, 3 kept");
  });

  it("says that nothing was restored where nothing else happened", () => {
    expect(en.restored(nothing)).toBe("no paths restored");
    expect(zh.restored(nothing)).toBe("没有路径恢复");
  });
});
