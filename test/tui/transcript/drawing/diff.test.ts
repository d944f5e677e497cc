import { describe, expect, it } from "vitest";
import {
  type DiffRoom,
  drawDiff,
  hunksOf,
  hunksOfCall,
} from "../../../../src/tui/transcript/drawing/diff.ts";
import { lookIn, plain } from "./looks.ts";

const UNIFIED = [
  "--- a/pool.ts",
  "+++ b/pool.ts",
  "@@ -9,4 +9,4 @@",
  " before",
  "-return run(one);",
  "-gone",
  "+return await run(one);",
  "+come",
  " after",
  "@@ -40 +40,2 @@",
  " last",
  "+more",
  "\\ No newline at end of file",
].join("\n");

function drawn(unified: string, room: Partial<DiffRoom> = {}): readonly string[] {
  const look = lookIn("en", { NO_COLOR: "1" });
  return drawDiff(hunksOf(unified), { width: 60, most: 100, long: "wrap", ...room }, look).map(plain);
}

describe("a diff", () => {
  it("has numbers and signs, old lines before new ones", () => {
    expect(drawn(UNIFIED)).toEqual([
      " 9   before",
      "10 - return run(one);",
      "11 - gone",
      "10 + return await run(one);",
      "11 + come",
      "12   after",
      "…",
      "40   last",
      "41 + more",
    ]);
  });

  it("is side by side if there is room", () => {
    const lines = drawn(UNIFIED, { width: 140 });
    const sides = lines.map((line) => line.split("│").map((side) => side.trim()));
    expect(sides.slice(0, 4)).toEqual([
      ["9   before", "9   before"],
      ["10 - return run(one);", "10 + return await run(one);"],
      ["11 - gone", "11 + come"],
      ["12   after", "12   after"],
    ]);
  });

  it("says how much is left out", () => {
    expect(drawn(UNIFIED, { most: 3 }).slice(2)).toEqual(["11 - gone", "… 6 more lines"]);
  });

  it("wraps long lines below themselves, or cuts them", () => {
    const long = `@@ -1 +1 @@\n+${"word ".repeat(6).trim()}`;
    expect([drawn(long, { width: 20 }), drawn(long, { width: 20, long: "cut" })]).toEqual([
      ["1 + word word word", "    word word word"],
      ["1 + word word word …"],
    ]);
  });

  it("is derived from what an edit or a write is asked to do, and from nothing else", () => {
    expect([
      hunksOfCall("Edit", { file_path: "a", old_string: "one", new_string: "two" }),
      hunksOfCall("Write", { file_path: "a", content: "one\ntwo\n" }),
      hunksOfCall("Bash", { command: "ls" }),
      hunksOfCall("Edit", "half of the argum"),
    ]).toEqual([
      [{ before: 0, after: 0, lines: ["-one", "+two"] }],
      [{ before: 1, after: 1, lines: ["+one", "+two"] }],
      undefined,
      undefined,
    ]);
  });

  it("does not compare what is too large to compare at once", () => {
    const [hunk] = hunksOfCall("Edit", { old_string: "a\n".repeat(30_000), new_string: "b\n" }) ?? [];
    expect([hunk?.lines.length, hunk?.lines.at(-1)]).toEqual([30_001, "+b"]);
  });
});
