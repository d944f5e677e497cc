import { describe, expect, it } from "vitest";
import { zhCn } from "../../../src/strings/zh-cn.ts";
import { drawScreen, type Pieces } from "../../../src/tui/view/draw-screen.ts";
import { EMPTY_VIEW, type ViewState } from "../../../src/tui/view/view-state.ts";
import { plainLook } from "../support/plain-look.ts";

function pieces(below: number): Pieces {
  return {
    conversation: ({ rows }) => ({ lines: Array.from({ length: rows }, (_, at) => `line ${at}`), below }),
    editor: () => ["> "],
    dialog: undefined,
    keys: () => [],
  };
}

const drawn = (view: Partial<ViewState>, below = 0, look = plainLook()): string[] =>
  drawScreen({ ...EMPTY_VIEW, phase: "idle", ...view }, pieces(below), {
    space: { width: 60, rows: 8 },
    look,
  });

describe("the screen", () => {
  it("says while one is scrolled up how much lies below, where no other hint stands", () => {
    expect(drawn({ scroll: 12 }, 12)).toEqual([
      ...["line 0", "line 1", "line 2", "line 3", "line 4"],
      "12 lines further down; End goes there",
      "> ",
      expect.any(String),
    ]);
    expect(drawn({ scroll: 12 }, 12, plainLook(zhCn))[5]).toBe("下方还有 12 行，按 End 到末尾");
    expect(drawn({ scroll: 12, hint: "again" }, 12)).toEqual([
      ...["line 0", "line 1", "line 2", "line 3", "line 4", "> ", "again"],
      expect.any(String),
    ]);
  });

  it("gives the conversation all of its room at the end", () => {
    expect(drawn({}).slice(0, 7)).toEqual([
      ...["line 0", "line 1", "line 2", "line 3", "line 4", "line 5"],
      "> ",
    ]);
  });
});
