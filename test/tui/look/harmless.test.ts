import { CURSOR_MARKER } from "@earendil-works/pi-tui";
import { describe, expect, it } from "vitest";
import { harmless } from "../../../src/tui/look/harmless.ts";

describe("a harmless line", () => {
  it("keeps what we draw with", () => {
    const drawn = `\u001b[1;38;5;12mbold\u001b[0m ${CURSOR_MARKER} \u001b]8;;https://example.org\u0007link\u001b]8;;\u0007`;
    expect(harmless(drawn)).toBe(drawn);
  });

  it("lets nothing else command the terminal", () => {
    expect(harmless("a\u001b[2Jb\u001b]0;title\u0007c\rd\u009b3J\u0000e\tf\u007f")).toBe(
      "a[2Jb]0;titlecd3Jef",
    );
  });
});
