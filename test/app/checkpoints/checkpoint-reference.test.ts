import { describe, expect, it } from "vitest";
import { parseCheckpointReference, reachableLabel } from "../../../src/app/checkpoints/find-checkpoint.ts";
import { labelGiven } from "../../../src/app/checkpoints/make-checkpoint.ts";

describe("a checkpoint, as a user names it", () => {
  it.each([
    ["12", { by: "number", number: 12 }],
    ["#12", { by: "number", number: 12 }],
    [" 7 ", { by: "number", number: 7 }],
    ["k3f9x2m7q1:12", { by: "session-number", session: "k3f9x2m7q1", number: 12 }],
    ["k3:1", { by: "session-number", session: "k3", number: 1 }],
    [" k3:#40 ", { by: "session-number", session: "k3", number: 40 }],
    ["#7 ", { by: "number", number: 7 }],
    ["before refactoring", { by: "label", label: "before refactoring" }],
    ["v2", { by: "label", label: "v2" }],
    ["fix the pool: 12", { by: "label", label: "fix the pool: 12" }],
    ["12a", { by: "label", label: "12a" }],
    ["a12", { by: "label", label: "a12" }],
    ["a:12b", { by: "label", label: "a:12b" }],
    ["a:b:12", { by: "label", label: "a:b:12" }],
    [" a b:12 ", { by: "label", label: " a b:12 " }],
    ["-12a", { by: "label", label: "-12a" }],
    ["a-12", { by: "label", label: "a-12" }],
    ["1.5", { by: "label", label: "1.5" }],
  ])("%j is read as %j", (text, reference) => {
    expect(parseCheckpointReference(text)).toEqual(reference);
  });

  it.each(["", "  ", "0", "#0", "-1", " -12 ", "k3:0", "99999999999999999999"])(
    "%j is refused, with what to give",
    (text) => {
      expect(() => parseCheckpointReference(text)).toThrow(
        expect.objectContaining({
          code: "INPUT_INVALID",
          reason: "not-a-checkpoint",
          params: { given: text },
          hint: expect.stringContaining("worldline checkpoints"),
        }),
      );
    },
  );
});

describe("a label", () => {
  it.each([
    [" before  it ", "before  it"],
    ["Cafe\u0301", "Caf\u00e9"],
    ["v2", "v2"],
    ["fix the pool: 12", "fix the pool: 12"],
    ["a b:#12", "a b:#12"],
    ["a:#12b", "a:#12b"],
    [":#12", ":#12"],
  ])("%j is kept as %j", (given, label) => {
    expect(reachableLabel(given)).toBe(label);
  });

  it.each([
    ["12", "label-invalid"],
    ["#12", "label-invalid"],
    ["-12", "label-invalid"],
    ["k3:12", "label-invalid"],
    ["k3:#1", "label-like-a-number"],
    [" k3:#12 ", "label-like-a-number"],
  ])("%j is refused, because it would be read as a number", (given, reason) => {
    const label = reason === "label-invalid" ? {} : { params: { label: given.trim() } };
    expect(() => reachableLabel(given)).toThrow(
      expect.objectContaining({ code: "LABEL_INVALID", reason, ...label }),
    );
  });

  it.each([
    [" \t", ""],
    ["", ""],
    [" a ", "a"],
  ])("%j given for a checkpoint means %j", (given, label) => {
    expect(labelGiven(given)).toBe(label);
  });
});
