import { describe, expect, it } from "vitest";
import { isWorldlineError, WorldlineError } from "../../src/record/error.ts";

describe("an error", () => {
  it("takes its code and its English from its reason", () => {
    const error = new WorldlineError("deletions-unconfirmed", { deletions: 3 });
    expect(error).toMatchObject({
      code: "NEEDS_YES",
      reason: "deletions-unconfirmed",
      params: { deletions: 3 },
      message: "This would delete 3 files.",
    });
    expect(isWorldlineError(error, "NEEDS_YES")).toBe(true);
  });

  it("accepts any code and words, as stores and hosts of other programs throw them", () => {
    const cause = new Error("below");
    const error = new WorldlineError("STORE_BUSY", "The bucket is busy.", { hint: "Try again.", cause });
    expect(error).toMatchObject({
      code: "STORE_BUSY",
      reason: "stated",
      message: "The bucket is busy.",
      hint: "Try again.",
      cause,
    });
    expect(new WorldlineError("STORE_BUSY", "The bucket is busy.").hint).toBeUndefined();
  });
});
