import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWorldlineError } from "../../../src/record/error.ts";
import { isSnapshotId, type SnapshotId } from "../../../src/record/ids.ts";
import {
  decodeSnapshot,
  encodeSnapshot,
  readSnapshot,
  type Snapshot,
  writeSnapshot,
} from "../../../src/snapshots/objects/tree-objects.ts";
import { hashOf } from "../arbitrary-states.ts";
import { MemoryObjects } from "../memory-objects.ts";

const snapshot: Snapshot = {
  root: { kind: "folder", mode: 0o755, hash: hashOf("root") },
  workspace: "/home/ann/œuvre",
  outsideRules: hashOf("*.log\n"),
};

const anySnapshot: fc.Arbitrary<Snapshot> = fc.record({
  root: fc.record({
    kind: fc.constant("folder" as const),
    mode: fc.integer({ min: 0, max: 0o7777 }),
    hash: fc.string().map(hashOf),
  }),
  workspace: fc.string({ unit: "grapheme" }),
  outsideRules: fc.option(fc.string().map(hashOf), { nil: undefined }),
});

describe("a snapshot", () => {
  it("is known by what it holds: the same workspace has the same id", () => {
    const objects = new MemoryObjects();
    const id = writeSnapshot(objects, snapshot);
    expect(isSnapshotId(id)).toBe(true);
    expect(writeSnapshot(new MemoryObjects(), { ...snapshot })).toBe(id);
    expect(readSnapshot(objects, id)).toEqual(snapshot);
  });

  it("has another id with another root, mode, workspace or other outside rules", () => {
    const others: Snapshot[] = [
      snapshot,
      { ...snapshot, root: { ...snapshot.root, hash: hashOf("other") } },
      { ...snapshot, root: { ...snapshot.root, mode: 0o700 } },
      { ...snapshot, workspace: "/home/ann" },
      { ...snapshot, outsideRules: undefined },
    ];
    const objects = new MemoryObjects();
    expect(new Set(others.map((each) => writeSnapshot(objects, each))).size).toBe(others.length);
  });

  it("that is not there is missing", () => {
    expect(() => readSnapshot(new MemoryObjects(), hashOf("none") as string as SnapshotId)).toThrow(
      expect.objectContaining({ code: "SNAPSHOT_MISSING" }),
    );
  });

  it("law: is read back equal", () => {
    fc.assert(
      fc.property(anySnapshot, (any) => {
        expect(decodeSnapshot(encodeSnapshot(any))).toEqual(any);
      }),
    );
  });

  it("law: is refused with our own error or what its bytes say, whatever they are", () => {
    fc.assert(
      fc.property(anySnapshot, fc.nat(), fc.nat(255), (any, at, value) => {
        const bytes = encodeSnapshot(any);
        expect(() => decodeSnapshot(bytes.subarray(0, at % bytes.length))).toThrow(
          expect.objectContaining({ code: "SNAPSHOT_DAMAGED" }),
        );
        bytes[at % bytes.length] = value;
        expectRefusedOrCanonical(bytes);
      }),
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 120 }), expectRefusedOrCanonical));
  });
});

function expectRefusedOrCanonical(bytes: Uint8Array): void {
  let read: Snapshot;
  try {
    read = decodeSnapshot(bytes);
  } catch (error) {
    expect(isWorldlineError(error)).toBe(true);
    return;
  }
  expect(encodeSnapshot(read)).toEqual(Buffer.from(bytes));
}
