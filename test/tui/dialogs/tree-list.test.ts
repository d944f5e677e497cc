import { describe, expect, it } from "vitest";
import type { TreePlace } from "../../../src/app/queries/query-types.ts";
import { en } from "../../../src/strings/en.ts";
import type { Strings } from "../../../src/strings/strings.ts";
import { zhCn } from "../../../src/strings/zh-cn.ts";
import { treeList, treeText } from "../../../src/tui/dialogs/tree-list.ts";
import { play, roomOf } from "./played.ts";
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
      "Session tree",
      "  * #1 begin",
      "  |-o first try (other branch)",
      "  | o #2 backtracked from here (4 entri…",
      "  |-o second try (other branch)",
      "  * third try",
      "> * #5 [best] done <- you are here",
      "Enter view · g go there · f fork",
      "l label · / filter · Esc close",
    ]);
  });

  it("says what each place is in the words of the conversation, in Chinese too", () => {
    const [row] = TREE;
    if (row === undefined) throw new Error("no tree");
    const places: readonly TreePlace[] = [
      { kind: "beginning" },
      { kind: "prompt", text: "" },
      { kind: "command", text: "! rm a.txt" },
      { kind: "rewind", to: 3, scope: "both" },
      { kind: "redo", scope: "files" },
      { kind: "backtrack", to: 2, note: "It is 42." },
      { kind: "compaction", reason: "asked", before: 9_000, after: 800 },
      { kind: "end", by: "backtrack", to: 2, entries: 1 },
      { kind: "end", by: "rewind", to: 3, entries: 2 },
      { kind: "end", by: "redo", entries: 2 },
    ];
    const said = (strings: Strings) => places.map((what) => treeText({ ...row, what }, strings));
    expect(said(en)).toEqual([
      "Beginning of the session",
      "(an image)",
      "! rm a.txt",
      "Rewound files and conversation to #3",
      "Redone: the files",
      "Backtracked to #2 · It is 42.",
      "Compacted from about 9,000 to 800 tokens, on request",
      "backtracked from here (1 entry)",
      "rewound to #3 from here (2 entries)",
      "left by a redo from here (2 entries)",
    ]);
    const chinese = said(zhCn).map((text) => /[\u4e00-\u9fff]/u.test(text));
    expect(chinese).toEqual([true, true, false, true, true, true, true, true, true, true]);
  });

  it("looks, goes, forks and labels", () => {
    expect(done("enter")).toEqual(["look", "f"]);
    expect(done("up", "right")).toEqual(["look", "e"]);
    expect(done("home", "g")).toEqual(["go", "a"]);
    expect(done("home", "down", "f")).toEqual(["fork", "b"]);
    expect(done("l")).toEqual(["label", "f"]);
    expect(done("escape")).toEqual({ answer: undefined });
  });

  it("keeps a filter that was entered for its letters, and the row when the filter is left", () => {
    expect(done("/", "'second'", "enter", "enter")).toEqual(["look", "d"]);
    expect(done("/", "'second'", "enter", "f")).toEqual(["fork", "d"]);
    expect(done("/", "'second'", "escape", "g")).toEqual(["go", "d"]);
    expect(done("/", "'second'", "enter", "escape", "up", "f")).toEqual(["fork", "c"]);
    const typing = play(tree, ["/", "'try'"], roomOf(40)).lines;
    expect([typing[1], typing.at(-1)]).toEqual(["/ try_", "Enter keep filter · Esc clear filter"]);
    const kept = play(tree, ["/", "'try'", "enter"], roomOf(40)).lines;
    expect([kept[1], kept.at(-1)]).toEqual(["/ try", "l label · / filter · Esc close"]);
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
