import { describe, expect, it } from "vitest";
import { checkpointText } from "../../src/show/journey-text.ts";
import { en } from "../../src/strings/en.ts";

describe("what a checkpoint is known by", () => {
  it("is its label with its prompt or its command, else its time", () => {
    expect(checkpointText({ at: 0, prompt: "mend it" }, en)).toBe("mend it");
    expect(checkpointText({ at: 0, command: "npm test" }, en)).toBe("! npm test");
    expect(checkpointText({ at: 0, command: "npm test", label: "red" }, en)).toBe("[red] ! npm test");
    expect(checkpointText({ at: 0 }, en)).toMatch(/^Checkpoint at /u);
  });
});
