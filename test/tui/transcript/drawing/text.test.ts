import { describe, expect, it } from "vitest";
import { drawMarkdown } from "../../../../src/tui/transcript/drawing/text.ts";
import { plainLook } from "../../support/plain-look.ts";

const js = { sign: "`", length: 3, language: "js" };
const look = plainLook();
const width = 40;

describe("code that is split into pieces", () => {
  it("has its upper border in the first piece, and its lower border in the last", () => {
    expect(drawMarkdown({ text: "Run this:\n```js\none();\n" }, width, look)).toEqual([
      "Run this:",
      "",
      "```js",
      "  one();",
    ]);
    expect(drawMarkdown({ text: "two();\n", insideFence: js }, width, look)).toEqual(["  two();"]);
    const last = drawMarkdown({ text: "three();\n```\nDone.", insideFence: js }, width, look);
    expect(last).toEqual(["  three();", "```", "", "Done."]);
  });

  it("has no border between its pieces in a list, and none that is left of a long name of a language", () => {
    expect(drawMarkdown({ text: "- Run this:\n  ```js\n  one();\n" }, width, look)).toEqual([
      "- Run this:",
      "  ```js",
      "    one();",
    ]);
    const insideFence = { ...js, language: "long".repeat(20) };
    expect(drawMarkdown({ text: "two();\n", insideFence }, width, look)).toEqual(["  two();"]);
  });

  it("keeps code that looks like a border", () => {
    const insideFence = { sign: "~", length: 3, language: "" };
    expect(drawMarkdown({ text: "```\nnot a fence here\n```\n", insideFence }, width, look)).toEqual([
      "  ```",
      "  not a fence here",
      "  ```",
    ]);
  });
});
