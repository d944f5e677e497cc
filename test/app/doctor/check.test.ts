import { describe, expect, it } from "vitest";
import { orError } from "../../../src/app/doctor/check.ts";
import { WorldlineError } from "../../../src/record/error.ts";

describe("a check that throws", () => {
  it("becomes a finding if the error is one of Worldline's, and no other errors are hidden", async () => {
    const problem = new WorldlineError("output-empty", {});
    const failing = async () => {
      throw problem;
    };
    expect(await orError("files", failing)).toEqual([
      { about: "files", status: "error", finding: { code: "problem", problem } },
    ]);
    const broken = async () => {
      throw new TypeError("broken");
    };
    await expect(orError("files", broken)).rejects.toThrow(new TypeError("broken"));
  });
});
