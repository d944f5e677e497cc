import { describe, it } from "vitest";
import { lawOfMeddling, lawOfSnapshots } from "../laws/files/files-laws.ts";

describe("thousands of random workspaces", () => {
  it("law: a snapshot is what is there, and every moment can be restored from every other", async () => {
    await lawOfSnapshots(60);
  });

  it("law: what others change while a capture looks is in it or in the next one", async () => {
    await lawOfMeddling(40);
  });
});
