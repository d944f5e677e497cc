import { describe, expect, it } from "vitest";
import { en } from "../../../../src/strings/en.ts";
import { treeList } from "../../../../src/tui/dialogs/journeys/tree-list.ts";
import { placeAbove } from "../../../../src/tui/dialogs/journeys/tree-rows.ts";
import { play, roomOf } from "../played.ts";
import { TREE } from "./rows.ts";

const tree = treeList(en, TREE);

function done(...keys: readonly string[]): unknown {
  const { outcome } = play(tree, keys);
  return outcome === "open" || outcome.answer === undefined
    ? outcome
    : [outcome.answer.do, outcome.answer.row.entry];
}

describe("the tree of a session", () => {
  it("draws branches that were left on rails, and begins at the head", () => {
    expect(play(tree, [], roomOf(40)).lines).toEqual([
      "The tree of this session",
      "  * #1 begin",
      "  |-o first try (left branch)",
      "  | o #2 4 entries left behind here",
      "  |-o second try (left branch)",
      "  * third try",
      "> * #5 [best] done <- you are here",
      "Enter look · g go there · f fork",
      "l label · / filter · Esc leave",
    ]);
  });

  it("looks, goes, forks and labels", () => {
    expect(done("enter")).toEqual(["look", "f"]);
    expect(done("up", "right")).toEqual(["look", "e"]);
    expect(done("home", "g")).toEqual(["go", "a"]);
    expect(done("home", "down", "f")).toEqual(["fork", "b"]);
    expect(done("l")).toEqual(["label", "f"]);
    expect(done("/", "'second'", "enter")).toEqual(["look", "d"]);
    expect(done("escape")).toEqual({ answer: undefined });
  });

  it("finds the checkpoint above a place along its own branch", () => {
    const numbers = TREE.map((_, index) => placeAbove(TREE, index)?.number);
    expect(numbers).toEqual([1, 1, 2, 1, 1, 5]);
    expect(placeAbove(TREE.slice(1), 0)).toBeUndefined();
  });

  it("shows something of a text however deep it hangs, and of 20,000 rows only what is seen", () => {
    const [row] = TREE;
    if (row === undefined) throw new Error("no tree");
    const rails = Array.from({ length: 60 }, () => "open" as const);
    const deep = Array.from({ length: 20_000 }, () => ({ ...row, rails }));
    const { lines } = play(treeList(en, deep), ["end"], roomOf(40, 10));
    expect(lines).toHaveLength(10);
    expect(lines.at(-3)).toContain("begin");
  });
});
