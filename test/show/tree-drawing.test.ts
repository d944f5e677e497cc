import { describe, expect, it } from "vitest";
import type { TreeNode } from "../../src/app/queries/entry-tree.ts";
import { glyphsFor, painterFor } from "../../src/show/style.ts";
import { widthOf } from "../../src/show/text-width.ts";
import { drawTree } from "../../src/show/tree.ts";

const { style } = painterFor({ isTTY: false }, {});
const row = { seq: 1, id: "e", parent: 0, kind: "prompt" } as unknown as TreeNode["row"];
const node = (text: string, more: Partial<TreeNode> = {}): TreeNode => ({
  row,
  rails: [],
  hang: "along",
  branch: "here",
  isHead: false,
  text,
  ...more,
});
const left = (text: string, more: Partial<TreeNode> = {}) => node(text, { branch: "left", ...more });

const story: readonly TreeNode[] = [
  node("find the leak", { number: 1 }),
  left("read it all", { hang: "fork" }),
  left("and more", { rails: ["open"] }),
  left("try again", { hang: "last", number: 3, label: "second try" }),
  left("aside", { rails: ["closed"], hang: "last" }),
  left("lost", { rails: ["closed"] }),
  node("修复连接池里的内存泄漏", { number: 4, isHead: true }),
];

function drawn(columns: number, environment: Record<string, string>): string[] {
  return drawTree(story, { glyphs: glyphsFor(environment), style, columns, head: "head" });
}

describe("drawing a tree", () => {
  it("attaches what was left next to the branch of the head", () => {
    expect(drawn(Number.POSITIVE_INFINITY, { LANG: "en_US.UTF-8" })).toEqual([
      "● #1 find the leak",
      "├─○ read it all",
      "│ ○ and more",
      "├─○ #3 [second try] try again",
      "│ ├─○ aside",
      "│ ○ lost",
      "● #4 修复连接池里的内存泄漏 ◀ head",
    ]);
  });

  it("draws with plain characters where the locale has no others", () => {
    expect(drawn(Number.POSITIVE_INFINITY, { LC_ALL: "C", LANG: "en_US.UTF-8" }).slice(0, 3)).toEqual([
      "* #1 find the leak",
      "|-o read it all",
      "| o and more",
    ]);
    expect(drawn(80, {})[0]).toBe("● #1 find the leak");
  });

  it("fits the terminal, and keeps the mark of the head", () => {
    const lines = drawn(24, { LANG: "C.UTF-8" });
    expect(lines.at(3)).toBe("├─○ #3 [second try] try…");
    expect(lines.at(-1)).toBe("● #4 修复连接池… ◀ head");
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(24);
  });

  it("dims what was left, if there are colors", () => {
    const painter = painterFor({ isTTY: true }, { TERM: "xterm" });
    const [here, there] = drawTree(story, {
      glyphs: glyphsFor({}),
      style: painter.style,
      columns: 80,
      head: "head",
    });
    expect(here).toBe("● #1 find the leak");
    expect(painter.finished(there ?? "")).toBe("\u001b[2m├─○ read it all\u001b[22m");
  });
});
