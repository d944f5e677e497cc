import { describe, expect, it } from "vitest";
import { holdingOf, orError } from "../../../src/app/doctor/check.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { playground } from "../../cli/support/command-line.ts";
import { recordingContext } from "../support/recording-context.ts";

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

describe("a repair", () => {
  it.each([
    ["no", "unreadable"],
    ["unreadable", "unreadable"],
    ["yes", "yes"],
  ] as const)("with the option %s takes over: %s", (given, takeOver) => {
    const { context } = recordingContext(playground(), { common: { takeOver: given } });
    expect(holdingOf(context)).toEqual({ name: "worldline doctor", takeOver, room: "reserve" });
  });
});
