import { describe, expect, it } from "vitest";
import { isKind } from "../../src/record/entry.ts";
import { Story } from "../../src/testing/testing.ts";

describe("an entry", () => {
  const story = new Story();
  const entries = [story.begin(), story.prompt("hi"), story.title("Pool")];

  it("is of its own kind and of no other", () => {
    expect(entries.map((entry) => isKind(entry, "prompt"))).toEqual([false, true, false]);
  });
});
