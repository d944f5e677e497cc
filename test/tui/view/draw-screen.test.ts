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
    keys: () => ["Keys", "a", "b", "c", "d", "e"],
  };
}

const drawn = (view: Partial<ViewState>, below = 0, look = plainLook()): string[] =>
  drawScreen({ ...EMPTY_VIEW, phase: "idle", ...view }, pieces(below), {
    space: { width: 60, rows: 8 },
    look,
  });

describe("the screen", () => {
  it("says while scrolled up how much is below, unless another hint is shown", () => {
    expect(drawn({ scroll: 12 }, 12)).toEqual([
      ...["line 0", "line 1", "line 2", "line 3", "line 4"],
      "12 more lines below · End",
      "> ",
      expect.any(String),
    ]);
    expect(drawn({ scroll: 12 }, 12, plainLook(zhCn))[5]).toBe("下方还有 12 行，按 End 到末尾");
    expect(drawn({ scroll: 12, hint: "again" }, 12)).toEqual([
      ...["line 0", "line 1", "line 2", "line 3", "line 4", "> ", "again"],
      expect.any(String),
    ]);
  });

  it("shows as many keys as there is room for, and that there are more", () => {
    expect(drawn({ panel: "keys" }).slice(2, 7)).toEqual(["Keys", "a", "b", "…", "> "]);
  });

  it("lets nothing that was queued or is to be done command the terminal", () => {
    const queued = ["a\u001b[8mb\u001b_pi:c\u0007"];
    const todos = [{ text: "c\u001b]8;;x\u0007d", status: "open" }] as const;
    const lines = drawn({ queued, todos, panel: "todos" }).join("\n");
    expect([lines.includes("queued: ab"), lines.includes("cd"), lines.includes("\u001b")]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("gives the conversation all of its room at the end", () => {
    expect(drawn({}).slice(0, 7)).toEqual([
      ...["line 0", "line 1", "line 2", "line 3", "line 4", "line 5"],
      "> ",
    ]);
  });
});
