import { describe, it } from "vitest";
import { lawOfHandEdits } from "./hand-edits.ts";

describe("hand edits while an agent works", () => {
  it("law: whatever the journeys, none is lost that was not made while a tool ran, and those are shown first", async () => {
    await lawOfHandEdits(40);
  });
});
