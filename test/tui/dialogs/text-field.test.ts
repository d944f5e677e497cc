import { CURSOR_MARKER } from "@earendil-works/pi-tui";
import { describe, expect, it } from "vitest";
import { drawField, textField, textIn, typeInto } from "../../../src/tui/dialogs/list.ts";
import type { KeyPress } from "../../../src/tui/terminal/keys.ts";
import { keyPresses } from "./played.ts";

function typedInto(text: string, ...keys: readonly (string | KeyPress)[]): string {
  let field = textField(text);
  for (const key of keys.flatMap((one) => (typeof one === "string" ? keyPresses(one) : [one]))) {
    field = typeInto(field, key) ?? field;
  }
  const marked = [...field.graphemes.slice(0, field.cursor), "_", ...field.graphemes.slice(field.cursor)];
  return marked.join("");
}

describe("a field for one line of text", () => {
  it("begins without what a terminal would act on", () => {
    expect(textIn(textField("a\u001b[8mb\u001b_pi:c\u0007\nc"))).toBe("ab c");
  });

  it("inserts at the cursor", () => {
    expect(typedInto("ac", "left", "'b'")).toBe("ab_c");
  });

  it("moves and deletes by what a user sees as one character", () => {
    expect(typedInto("a👨‍👩‍👧b", "left", "backspace")).toBe("a_b");
    expect(typedInto("世界", "home", "delete", "right")).toBe("界_");
  });

  it("joins what is typed with the text before it", () => {
    expect(typedInto("e", { key: "paste", text: "\u0301" }, "left")).toBe("_e\u0301");
  });

  it("deletes words and all before the cursor", () => {
    expect(typedInto("one two  ", "ctrl+w")).toBe("one _");
    expect(typedInto("one two", "left", "ctrl+u")).toBe("_o");
    expect(typedInto("one two", "home", "end")).toBe("one two_");
  });

  it("takes pasted lines as one, without what a terminal would act on", () => {
    expect(typedInto("", { key: "paste", text: "a\r\nb\nc\u001b[2J" })).toBe("a b c_");
  });

  it("leaves other keys to others", () => {
    expect(typeInto(textField("a"), { key: "ctrl+o", text: "\u000f" })).toBeUndefined();
    expect(typeInto(textField("a"), { key: "enter", text: "\r" })).toBeUndefined();
  });

  it("shows the part around the cursor, by columns", () => {
    const field = textField("世界你好abc");
    expect(drawField(field, 6)).toBe(`好abc${CURSOR_MARKER}`);
    expect(drawField({ ...field, cursor: 0 }, 6)).toBe(`${CURSOR_MARKER}世界`);
    expect(textIn(field)).toBe("世界你好abc");
  });

  it("shows only bullets for secrets", () => {
    expect(drawField(textField("key"), 20, "bullets")).toBe(`•••${CURSOR_MARKER}`);
  });
});
