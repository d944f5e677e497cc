import { visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, it } from "vitest";
import type { ContextFill } from "../../../src/app/queries/query-types.ts";
import { contextBar } from "../../../src/tui/commands/inspect.ts";
import { keysHelp } from "../../../src/tui/view/draw-screen.ts";
import { plainLook, zh } from "../dialogs/played.ts";

const fill: ContextFill = {
  window: 200_000,
  used: 81_000,
  parts: [
    { what: "system", tokens: 3_000 },
    { what: "tools", tokens: 9_000 },
    { what: "notes", tokens: 0 },
    { what: "prompts", tokens: 9_000 },
    { what: "results", tokens: 60_000 },
  ],
};

describe("the bar of what fills the window", () => {
  it("has a piece for each part, and says which is which", () => {
    expect(contextBar(fill, 40, plainLook())).toEqual([
      "Context: 81k of 200k tokens (41%)",
      "#==++############.......................",
      "# system prompt     3k    2%",
      "= tools             9k    5%",
      "+ your prompts      9k    5%",
      "# tool results     60k   30%",
      ". free            119k   60%",
    ]);
  });

  it("is as long as the window also where more is used than that", () => {
    const over = contextBar({ ...fill, window: 50_000 }, 20, plainLook(zh));
    expect(over.map(visibleWidth).every((width) => width <= 20)).toBe(true);
    expect(over[1]).toHaveLength(20);
  });
});

describe("the panel of keys", () => {
  it("has two columns where there is room, and one at 40", () => {
    const wide = keysHelp(80, plainLook());
    const narrow = keysHelp(40, plainLook(zh));
    expect(wide[1]).toBe("Enter        send; queue while busy      /            commands");
    expect(narrow.slice(0, 3)).toEqual([
      "按键",
      "Enter        发送；忙时排队",
      "Shift+Enter  换行（或 \\ 后按 Enter）",
    ]);
    expect(narrow.length).toBe(18);
    expect([...wide.map(visibleWidth), 0].every((width) => width <= 80)).toBe(true);
    expect(keysHelp(40, plainLook()).some((line) => line.includes("…"))).toBe(false);
  });
});
