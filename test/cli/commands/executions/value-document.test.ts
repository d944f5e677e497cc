import { describe, expect, it } from "vitest";
import { valueDocument } from "../../../../src/show/value-document.ts";

describe("a value as a document", () => {
  it("keeps what JSON holds as it is", () => {
    const value = { a: [1, "two", true, null], b: { c: {} } };
    expect(valueDocument(value)).toEqual(value);
  });

  it("marks what JSON does not hold", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const error = Object.assign(new RangeError("too far", { cause: "why" }), { code: 7 });
    expect(
      valueDocument({
        date: new Date(0),
        never: new Date(Number.NaN),
        map: new Map([[{ k: 1 }, new Set([1n])]]),
        bytes: Uint8Array.of(1, 2, 3),
        numbers: [Number.NaN, -0, Infinity],
        nothing: undefined,
        error,
        text: /x/u,
        cycle,
        $date: "not one",
      }),
    ).toEqual({
      date: { $date: "1970-01-01T00:00:00.000Z" },
      never: { $date: "Invalid Date" },
      map: { $map: [[{ k: 1 }, { $set: [{ $bigint: "1" }] }]] },
      bytes: { $bytes: "AQID" },
      numbers: [{ $number: "NaN" }, { $number: "-0" }, { $number: "Infinity" }],
      nothing: { $undefined: true },
      error: { $error: { name: "RangeError", message: "too far", cause: "why", code: 7 } },
      text: { $text: "/x/u" },
      cycle: { self: { $cycle: true } },
      $$date: "not one",
    });
  });
});
