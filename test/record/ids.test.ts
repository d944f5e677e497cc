import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type EntryId,
  isBlobHash,
  isEntryId,
  isSessionId,
  isSnapshotId,
  isUuid,
  newEntryId,
  newSessionId,
  newTag,
  packId,
  type RandomBytes,
  toCheckpointNumber,
  toSeq,
  unpackId,
} from "../../src/record/ids.ts";

/** Counts up from a byte, as a random source that is easy to follow. */
const countingFrom =
  (first: number): RandomBytes =>
  (count) =>
    Uint8Array.from({ length: count }, (_, at) => first + at);

const anyRandom: fc.Arbitrary<RandomBytes> = fc
  .uint8Array({ minLength: 12, maxLength: 12 })
  .map((bytes) => (count) => bytes.slice(0, count));

describe("a new id", () => {
  it.each([
    ["an entry", newEntryId, "0123456789ab", "wxyz01234567"],
    ["a session", newSessionId, "a123456789", "gxyz012345"],
    ["a tag", newTag, "0123456789", "wxyz012345"],
  ])("of %s spells random bytes", (_what, create, fromZero, fromTwentyEight) => {
    expect([create(countingFrom(0)), create(countingFrom(28))]).toEqual([fromZero, fromTwentyEight]);
  });

  it("law: is recognized, whatever the bytes", () => {
    fc.assert(
      fc.property(anyRandom, (random) => {
        expect([isEntryId(newEntryId(random)), isSessionId(newSessionId(random))]).toEqual([true, true]);
      }),
    );
  });

  it("law: begins with a letter in a session, unlike a checkpoint's number", () => {
    fc.assert(fc.property(anyRandom, (random) => /^[a-z]/u.test(newSessionId(random))));
  });
});

const HASH = "0123456789abcdef".repeat(4);
const UUID = "123e4567-e89b-12d3-a456-426614174000";

describe.each<[string, (value: unknown) => boolean, string, readonly string[]]>([
  [
    "an entry's id",
    isEntryId,
    "0123abcdxyz9",
    ["../../../etc", "0123abcdxyzi", "0123ABCDXYZ9", "0123abcdxyzé"],
  ],
  ["a session's id", isSessionId, "k3f9x2m7q1", ["13f9x2m7q1", "K3F9X2M7Q1", "k3f9x2m7ql", "../../../e"]],
  ["a blob's hash", isBlobHash, HASH, [HASH.toUpperCase(), HASH.replace("0", "g")]],
  ["a snapshot's id", isSnapshotId, HASH, [HASH.toUpperCase(), HASH.replace("0", "g")]],
  ["a UUID", isUuid, UUID, [UUID.replaceAll("-", ""), UUID.replace("1", "g"), UUID.replace("-e", "-ee")]],
])("%s", (_what, isOne, good, others) => {
  it("is recognized", () => {
    expect(isOne(good)).toBe(true);
  });

  it.each([
    ...others,
    "",
    good.slice(1),
    good.slice(0, -1),
    `${good}${good.at(-1)}`,
    `${good[0]}${good}`,
    `${good}\n`,
  ])("is not %j", (text) => {
    expect(isOne(text)).toBe(false);
  });

  it.each<[string, unknown]>([
    ["in a list", [good]],
    ["as a list of characters", [...good]],
    ["as an object", { toString: () => good, length: good.length }],
    ["as a number", 123_456_789_012],
    ["as null", null],
    ["as undefined", undefined],
  ])("is only a string: not %s", (_form, value) => {
    expect(isOne(value)).toBe(false);
  });
});

describe("a UUID", () => {
  it("may be in uppercase", () => {
    expect(isUuid(UUID.toUpperCase())).toBe(true);
  });
});

describe("the number of a checkpoint or of a line", () => {
  it("is the number that it was made of", () => {
    expect([toCheckpointNumber(12), toSeq(12)]).toEqual([12, 12]);
  });
});

describe("a packed id", () => {
  it.each([
    ["000000000000", { idHigh: 0, idLow: 0 }],
    ["000000000001", { idHigh: 0, idLow: 1 }],
    ["000010000020", { idHigh: 32, idLow: 64 }],
    ["zzzzzzzzzzzz", { idHigh: 2 ** 30 - 1, idLow: 2 ** 30 - 1 }],
  ])("holds each half of %s as a number of 30 bits", (id, packed) => {
    expect(packId(id as EntryId)).toEqual(packed);
    expect(unpackId(packed)).toBe(id);
  });

  it("law: is unpacked to the same id", () => {
    fc.assert(
      fc.property(anyRandom, (random) => {
        const id = newEntryId(random);
        expect(unpackId(packId(id))).toBe(id);
      }),
    );
  });
});
