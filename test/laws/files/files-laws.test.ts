import { describe, it } from "vitest";
import { lawOfMeddling, lawOfSnapshots } from "./files-laws.ts";

describe("the files of a workspace", () => {
  it("law: a snapshot is what is there, and every moment can be restored from every other", async () => {
    await lawOfSnapshots(60);
  });

  it("law: what others change while a capture looks is in it or in the next one", async () => {
    await lawOfMeddling(40);
  });
});
