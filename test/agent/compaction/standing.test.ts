import { describe, expect, it } from "vitest";
import { withoutStanding, withStanding } from "../../../src/agent/compaction/material.ts";
import { Story } from "../../../src/testing/story.ts";

function prompts(...texts: readonly string[]) {
  const story = new Story();
  return texts.map((text) => story.prompt(text));
}

const nothing = { todos: [], changedFiles: [], prompts: [], budget: 1_000 };

describe("what is shown next to a summary", () => {
  it("is taken from the log, word for word", () => {
    const standing = {
      todos: [
        { text: "find it", status: "done" },
        { text: "mend it", status: "doing" },
      ],
      changedFiles: ["src/pool.ts"],
      prompts: prompts("Find the leak.\nNever touch docs/.", "Go on."),
      budget: 1_000,
    } as const;
    expect(withStanding("It is in pool.ts.", standing).split("\n")).toEqual([
      "It is in pool.ts.",
      "",
      "Taken from the log, word for word:",
      "",
      "Todo list:",
      '- [done] "find it"',
      '- [doing] "mend it"',
      "",
      "Files changed so far:",
      '- "src/pool.ts"',
      "",
      "The user's messages, oldest first (general instructions still apply):",
      "- > Find the leak.",
      "  > Never touch docs/.",
      "- > Go on.",
    ]);
    expect(withoutStanding(withStanding("It is in pool.ts.", standing))).toBe("It is in pool.ts.");
  });

  it("is nothing where there is nothing", () => {
    expect(withStanding("It is in pool.ts.", nothing)).toBe("It is in pool.ts.");
  });

  it("keeps the first prompt and the newest ones when not all fit, and counts the rest", () => {
    const texts = Array.from({ length: 100 }, (_, index) => `request number ${index + 1} of the person`);
    const text = withStanding("x", { ...nothing, prompts: prompts(...texts), budget: 100 });
    expect(text).toContain("- > request number 1 of the person\n");
    expect(text).toContain("- > request number 100 of the person\n");
    expect(text).toMatch(/\(\d\d more omitted\)$/u);
  });

  it("counts the files that are too many to name", () => {
    const changedFiles = Array.from({ length: 120 }, (_, index) => `src/${index}.ts`);
    expect(withStanding("x", { ...nothing, changedFiles })).toMatch(/- "src\/99\.ts"\n- and 20 more$/u);
  });
});
