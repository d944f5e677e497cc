import { describe, expect, it } from "vitest";
import type { Entry } from "../../../src/record/entry.ts";
import { drawPlace } from "../../../src/tui/flows/tree.ts";
import { plainLook } from "../support/plain-look.ts";

describe("a place of the tree", () => {
  it("is drawn as the conversation draws it", () => {
    const base = { session: "s", at: 0, parent: null };
    const entries = [
      { ...base, seq: 1, id: "e1", kind: "prompt", parts: [{ type: "text", text: "fix it" }] },
      {
        ...base,
        seq: 2,
        id: "e2",
        kind: "reply",
        parts: [{ type: "text", text: "Done." }],
        model: "m",
        end: "done",
      },
    ] as unknown as Entry[];
    const lines = drawPlace(entries, 40, plainLook()).map((line) => line.trimEnd());
    expect(lines.slice(0, 1)).toEqual(["› fix it"]);
    expect(lines.some((line) => line.includes("Done."))).toBe(true);
  });
});
