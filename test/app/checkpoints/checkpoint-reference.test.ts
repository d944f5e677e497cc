import { describe, expect, it } from "vitest";
import { parseCheckpointReference } from "../../../src/app/checkpoints/find-checkpoint.ts";

describe("a checkpoint, as a user names it", () => {
  it.each([
    ["12", { by: "number", number: 12 }],
    ["#12", { by: "number", number: 12 }],
    [" 7 ", { by: "number", number: 7 }],
    ["k3f9x2m7q1:12", { by: "session-number", session: "k3f9x2m7q1", number: 12 }],
    ["k3:1", { by: "session-number", session: "k3", number: 1 }],
    ["before refactoring", { by: "label", label: "before refactoring" }],
    ["v2", { by: "label", label: "v2" }],
    ["fix the pool: 12", { by: "label", label: "fix the pool: 12" }],
    ["1.5", { by: "label", label: "1.5" }],
  ])("%j is read as %j", (text, reference) => {
    expect(parseCheckpointReference(text)).toEqual(reference);
  });

  it.each(["", "  ", "0", "#0", "-1", "k3:0", "99999999999999999999"])(
    "%j is refused, with what to give",
    (text) => {
      expect(() => parseCheckpointReference(text)).toThrow(
        expect.objectContaining({
          code: "INPUT_INVALID",
          hint: expect.stringContaining("worldline checkpoints"),
        }),
      );
    },
  );
});
