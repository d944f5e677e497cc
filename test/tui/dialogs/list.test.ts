import { describe, expect, it } from "vitest";
import { choiceList } from "../../../src/tui/dialogs/choice-list.ts";
import { pager } from "../../../src/tui/dialogs/pager.ts";
import { play, roomOf } from "./played.ts";

function listOf(count: number) {
  return choiceList({
    title: "Numbers",
    items: Array.from({ length: count }, (_, index) => `item ${index + 1}`),
    words: (item) => item,
    row: (item) => item,
    empty: "nothing",
    keys: "keys",
    letters: ["s"],
  });
}

describe("a long list", () => {
  it("collects digits until they can mean only one row", () => {
    expect(play(listOf(30), ["4"]).outcome).toEqual({ answer: { item: "item 4", by: "enter" } });
    expect(play(listOf(30), ["2"]).outcome).toBe("open");
    expect(play(listOf(30), ["2", "enter"]).outcome).toEqual({ answer: { item: "item 2", by: "enter" } });
    expect(play(listOf(30), ["2", "7"]).outcome).toEqual({ answer: { item: "item 27", by: "enter" } });
    expect(play(listOf(30), ["2", "backspace", "4"]).outcome).toEqual({
      answer: { item: "item 4", by: "enter" },
    });
    expect(play(listOf(30), ["0"]).outcome).toEqual({ answer: undefined });
  });

  it("says that Enter takes the digits that may be more, and keeps the row of a filter that is left", () => {
    expect(play(listOf(30), ["2"], roomOf(40, 10)).lines.slice(0, 2)).toEqual([
      "Numbers                             2/30",
      "# 2  Enter selects this row",
    ]);
    expect(play(listOf(30), ["/", "'23'", "escape", "s"]).outcome).toEqual({
      answer: { item: "item 23", by: "s" },
    });
  });

  it("shows the rows around the chosen one, and where that is", () => {
    expect(play(listOf(5000), ["end", "up"], roomOf(40, 7)).lines).toEqual([
      "Numbers                        4999/5000",
      "  4996 item 4996",
      "  4997 item 4997",
      "  4998 item 4998",
      "> 4999 item 4999",
      "  5000 item 5000",
      "keys",
    ]);
  });

  it("filters by all words, in any order, and lets Esc take the filter back first", () => {
    expect(play(listOf(30), ["/", "'3 ITEM'"], roomOf(40, 10)).lines).toEqual([
      "Numbers",
      "/ 3 ITEM_",
      "> 1 item 3",
      "  2 item 13",
      "  3 item 23",
      "  4 item 30",
      "keys",
    ]);
    expect(play(listOf(30), ["/", "'13'", "enter"]).outcome).toEqual({
      answer: { item: "item 13", by: "enter" },
    });
    expect(play(listOf(30), ["/", "'zz'"]).lines).toEqual(["Numbers", "/ zz_", "nothing", "keys"]);
    expect(play(listOf(3), ["/", "'zz'", "escape"]).lines).toHaveLength(5);
    expect(play(listOf(3), ["/", "'zz'", "escape", "escape"]).outcome).toEqual({ answer: undefined });
  });

  it("answers letters for the chosen row, but not while one filters", () => {
    expect(play(listOf(3), ["down", "s"]).outcome).toEqual({ answer: { item: "item 2", by: "s" } });
    expect(play(listOf(3), ["/", "s"]).outcome).toBe("open");
  });
});

describe("the pager", () => {
  const page = pager({
    title: "Text",
    draw: () => Array.from({ length: 20 }, (_, line) => `line ${line}`),
    keys: "keys",
  });

  it("stops at both ends", () => {
    expect(play(page, ["end", "down", "up"], roomOf(40, 5)).lines).toEqual([
      "Text                               19/20",
      "line 16",
      "line 17",
      "line 18",
      "keys",
    ]);
    expect(play(page, ["pageDown", "pageUp", "up"], roomOf(40, 5)).lines.slice(1, 4)).toEqual([
      "line 0",
      "line 1",
      "line 2",
    ]);
  });

  it("fills the screen, and is left with q, Esc and Enter", () => {
    expect(play(page, [], roomOf(40, 30)).lines).toHaveLength(30);
    for (const key of ["q", "escape", "enter"])
      expect(play(page, [key]).outcome).toEqual({ answer: undefined });
  });
});
