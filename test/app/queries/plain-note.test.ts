import { describe, expect, it } from "vitest";
import { plainNote } from "../../../src/app/queries/tree.ts";

describe("a note on one line", () => {
  it("keeps numbers and code that only look like Markdown", () => {
    expect(plainNote("see issue # 3\n #### Next\n```ts\nx\n```\n")).toBe("see issue # 3 Next ts x");
  });

  it("has its words, and none of the signs of Markdown", () => {
    const note = "## Found\n\n**The leak** is in `pool.ts`, line 3 * 4.\n- __not__ in snake_case";
    expect(plainNote(note)).toBe("Found The leak is in pool.ts, line 3 * 4. - not in snake_case");
  });
});
