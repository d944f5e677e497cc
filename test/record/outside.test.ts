import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/record/entry.ts";
import { isSameOutside, type OutsideChange, withoutOutside } from "../../src/record/files.ts";
import type { BlobHash } from "../../src/record/ids.ts";
import { blobsOf, fill, misshapenField, spill } from "../../src/record/shape.ts";

const one = { blob: "1".repeat(64) as BlobHash, mode: 0o600, size: 3 };
const two = { blob: "2".repeat(64) as BlobHash, mode: 0o644, size: 4 };
const outside: readonly OutsideChange[] = [
  { path: `/${"deep/".repeat(40)}file`, before: one, after: two },
  { path: "/made", after: one },
  { path: "/large", before: { why: "too-large" }, after: { why: "too-large" } },
];
const body = {
  call: "c",
  outcome: "ok",
  parts: [{ type: "text", text: "long ".repeat(40) }],
  outside,
  estimate: 1,
};
const entry = {
  seq: 2,
  id: "000000000002",
  parent: "000000000001",
  at: "",
  kind: "tool-end",
  ...body,
} as unknown as Entry;

describe("a change of a file where no snapshot reaches", () => {
  it("is in its line however long it is, and points to its contents", () => {
    const texts = new Map<BlobHash, string>();
    const spilled = spill(entry, 0, (text) => {
      texts.set("f".repeat(64) as BlobHash, text);
      return "f".repeat(64) as BlobHash;
    });
    expect(spilled).toMatchObject({ outside, parts: [{ text: { $blob: "f".repeat(64) } }] });
    expect(new Set(blobsOf(spilled))).toEqual(new Set(["f".repeat(64), one.blob, two.blob]));
    expect(JSON.stringify(fill(spilled, (hash) => texts.get(hash) ?? ""))).toBe(JSON.stringify(entry));
  });

  it.each<[string, unknown]>([
    ["a path", [{ before: one }]],
    ["a hash", [{ path: "/a", before: { ...one, blob: "../evil" } }]],
    ["a mode", [{ path: "/a", after: { blob: one.blob, size: 1 } }]],
    ["a known reason", [{ path: "/a", after: { why: "because" } }]],
    ["a list", { path: "/a" }],
  ])("is not one without %s", (_what, wrong) => {
    expect(misshapenField("tool-end", { ...body, outside: wrong })).toBe("outside");
    expect(misshapenField("tool-end", body)).toBeUndefined();
  });

  it("is taken out of an entry that goes elsewhere, and nothing else is", () => {
    const { outside: _outside, ...rest } = entry as Entry & { outside?: unknown };
    expect(withoutOutside(entry)).toEqual(rest);
    expect(withoutOutside(rest as Entry)).toBe(rest);
  });

  it("knows whether two states are the same, which one that is not known never is", () => {
    expect([isSameOutside(one, { ...one }), isSameOutside(undefined, undefined)]).toEqual([true, true]);
    const others = [
      { ...one, mode: 0o644 },
      { ...one, blob: two.blob },
      { why: "special" },
      undefined,
    ] as const;
    expect(others.filter((other) => isSameOutside(one, other) || isSameOutside(other, one))).toEqual([]);
    expect(isSameOutside({ why: "special" }, { why: "special" })).toBe(false);
  });
});
