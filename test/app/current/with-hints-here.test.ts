import { describe, expect, it } from "vitest";
import { withHintsHere } from "../../../src/app/current/with-hints-here.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { playground } from "../../cli/support/command-line.ts";
import { stationAt } from "../support/station-at.ts";

describe("a hint for a shell", () => {
  it("is told so by whatever is asked of the station", async () => {
    const { station } = await stationAt(playground());
    await expect(station.journeys.redo({})).rejects.toMatchObject({
      code: "NOTHING_TO_REDO",
      hint: expect.not.stringContaining("worldline"),
    });
    const other = new TypeError("a fault");
    const part = withHintsHere({ fail: async () => Promise.reject(other), open: "yes" });
    await expect(part.fail()).rejects.toBe(other);
    expect(part.open).toBe("yes");
    expect(withHintsHere({ count: () => 3 }).count()).toBe(3);
    const known = new WorldlineError("INPUT_INVALID", "No.", { hint: "Say yes." });
    await expect(withHintsHere({ fail: async () => Promise.reject(known) }).fail()).rejects.toBe(known);
  });
});
