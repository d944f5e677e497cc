import { describe, expect, it } from "vitest";
import { en } from "../../../src/strings/en.ts";
import { zhCn } from "../../../src/strings/zh-cn.ts";
import { keyLines } from "../../../src/tui/dialogs/dialog.ts";

describe("what the keys do", () => {
  it("is broken between keys, and says how to leave if there is no room for all", () => {
    const { tree } = en.terminal.dialogs.keys;
    expect(keyLines(tree, 40, 2)).toEqual([
      "Enter view · g go there · f fork",
      "l label · / filter · Esc close",
    ]);
    expect(keyLines(tree, 40, 1)).toEqual(["Enter view · g go there · Esc close"]);
    expect(keyLines(tree, 10, 1)).toEqual(["Esc close"]);
    expect(keyLines(tree, 40, 0)).toEqual([]);
  });

  it("says so at 40 columns in all dialogs, in both languages", () => {
    for (const strings of [en, zhCn]) {
      const hints = Object.values(strings.terminal.dialogs.keys).filter((keys) => typeof keys === "string");
      const one = hints.filter((keys) => keys.includes("Esc")).map((keys) => keyLines(keys, 40, 1).join(""));
      expect(one.filter((line) => !line.includes("Esc"))).toEqual([]);
    }
  });
});
