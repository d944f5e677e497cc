import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeEntry, readLines, readTail } from "../../src/record/codec.ts";
import type { Entry } from "../../src/record/entry.ts";
import type { Json } from "../../src/record/parts.ts";
import { Story } from "../../src/testing/testing.ts";
import { anyEntry } from "./arbitrary-entries.ts";

const encode = (entry: Entry) => Buffer.from(encodeEntry(entry, crc32));
const read = (...bytes: (Buffer | string)[]) =>
  readLines(Buffer.concat(bytes.map((each) => Buffer.from(each))), crc32);
const seqs = (result: ReturnType<typeof read>) =>
  result.stretches.map((stretch) => stretch.entry?.seq ?? "damaged");

function threeLines() {
  const story = new Story();
  story.begin();
  return [encode(story.prompt("one")), encode(story.prompt("two")), encode(story.prompt("three"))] as const;
}

describe("reading lines", () => {
  const [two, three, four] = threeLines();

  it("gives each entry with its place, and says how far the whole lines go", () => {
    const result = read(two, three, four.subarray(0, 10));
    expect(seqs(result)).toEqual([2, 3]);
    expect(result.consumed).toBe(two.length + three.length);
    expect(result.stretches[1]).toMatchObject({ start: two.length, length: three.length - 1 });
  });

  it("ends lines at newlines and nowhere else", () => {
    const story = new Story();
    story.begin();
    expect(seqs(read(encode(story.prompt("a\u2028b\u2029c\u0085d\re\u000bf"))))).toEqual([2]);
  });

  it("takes blank lines for nothing", () => {
    expect(seqs(read("\n\n", two, " \t\r\n\n", three, "\r\n\r\r\n"))).toEqual([2, 3]);
  });

  it("skips a byte order mark before a line and a return after it", () => {
    const mark = Buffer.from("\ufeff");
    const returned = (line: Buffer) => Buffer.concat([line.subarray(0, -1), Buffer.from("\r\n")]);
    const result = read(mark, returned(two), returned(three), four);
    expect(seqs(result)).toEqual([2, 3, 4]);
    expect(result.stretches[0]).toMatchObject({ start: 3, length: two.length - 1 });
    expect(result.stretches[1]).toMatchObject({ start: 3 + two.length + 1, length: three.length - 1 });
    expect(seqs(read(mark, "\r\n", two))).toEqual([2]);
    expect(seqs(read(two.subarray(0, -1), "\r\r\n"))).toEqual([2, "damaged"]);
  });

  it("loses a damaged line, and only that", () => {
    const damaged = Buffer.from(three);
    damaged[20] = 0;
    expect(seqs(read(two, damaged, four))).toEqual([2, "damaged", 4]);
  });

  it("says why a line is no entry, and where it is", () => {
    const open = '{"seq":0';
    const misshapen = `${open},"sum":"${crc32(open).toString(16).padStart(8, "0")}"}`;
    expect(read(two, misshapen, "\n", "noise", "\r\n").stretches.slice(1)).toEqual([
      { fault: "shape", start: two.length, length: misshapen.length },
      { fault: "checksum", start: two.length + misshapen.length + 1, length: 5 },
    ]);
  });

  it("divides a damaged line into the entries in it and the damaged bytes between them", () => {
    const [stump, open] = [four.subarray(0, 50), three.subarray(0, -1)];
    const { stretches } = read(two, "\ufeff", stump, open, "noise", open, stump, "\r\n");
    const first = two.length + 3 + stump.length;
    const second = first + open.length + 5;
    const damaged = (start: number, length: number) => ({ fault: "checksum", start, length });
    expect(stretches.map(({ entry, ...place }) => ({ ...place, ...(entry && { seq: entry.seq }) }))).toEqual([
      { seq: 2, start: 0, length: two.length - 1 },
      damaged(two.length + 3, stump.length),
      { seq: 3, start: first, length: open.length },
      damaged(first + open.length, 5),
      { seq: 3, start: second, length: open.length },
      damaged(second + open.length, stump.length),
    ]);
  });

  it("finds an entry with many fields that was glued to a stump with many fields", () => {
    const story = new Story();
    story.begin();
    const many = encode(story.call(Array.from({ length: 200 }, () => ({ a: 1, b: 2 }))));
    expect(seqs(read(many.subarray(0, -40), many))).toEqual(["damaged", 2]);
  });

  it("reads a line whose data look like many seals, and like whole lines", () => {
    const story = new Story();
    story.begin();
    const seals = encode(story.call(Array.from({ length: 100 }, () => ({ a: 1, sum: "00000000" }))));
    const inner = encode(story.call(JSON.parse(two.toString()) as Json));
    expect(seqs(read(seals, inner.subarray(0, -1), three))).toEqual([2, 3, 3]);
  });

  it("splits entries that were glued together", () => {
    const glued = read(two.subarray(0, -1), three.subarray(0, -1), four);
    expect(seqs(glued)).toEqual([2, 3, 4]);
  });

  it("finds an entry that was glued to a stump, wherever the stump was cut", () => {
    for (let cut = 1; cut < two.length - 1; cut += 1) {
      const result = read(two.subarray(0, cut), three, four);
      expect(seqs(result)).toEqual(["damaged", 3, 4]);
      expect(result.stretches[0]).toMatchObject({ start: 0, length: cut });
    }
  });

  it("is not led astray by text that looks like our own lines", () => {
    const story = new Story();
    story.begin();
    const inner = two.toString().trimEnd();
    const tricky = encode(story.prompt(`${inner}${inner}\n${inner}`));
    expect(seqs(read(tricky, three))).toEqual([2, 3]);
    const stump = tricky.subarray(0, -5);
    expect(seqs(read(stump, "\n", three)).filter((seq) => seq !== "damaged")).toEqual([3]);
  });

  it("terminates on bytes that were made to be searched forever", () => {
    const many = '{"seq":,"sum":"'.repeat(20_000);
    expect(seqs(read(many, "\n", two))).toEqual(["damaged", 2]);
  });

  it("law: whatever bytes are between lines, the lines are found", () => {
    const garbage = fc
      .uint8Array({ maxLength: 40 })
      .map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 0x0a)));
    fc.assert(
      fc.property(fc.array(fc.tuple(garbage, anyEntry), { maxLength: 6 }), (pieces) => {
        const bytes = pieces.flatMap(([noise, entry]) => [noise, "\n", encode(entry)]);
        const found = read(...bytes).stretches.flatMap((stretch) =>
          stretch.entry === undefined ? [] : [stretch.entry],
        );
        expect(found.map((entry) => entry.id)).toEqual(pieces.map(([, entry]) => entry.id));
      }),
    );
  });

  it("law: never throws, whatever the bytes", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => void readLines(bytes, crc32)));
  });
});

describe("what a log ends with", () => {
  const [two, three] = threeLines();

  it("is empty after a newline", () => {
    expect(readTail(Buffer.alloc(0), crc32)).toBe("empty");
  });

  it("is torn at every cut but the last, which lacks only the newline", () => {
    for (let cut = 1; cut < two.length - 1; cut += 1)
      expect(readTail(two.subarray(0, cut), crc32)).toBe("torn");
    expect(readTail(two.subarray(0, -1), crc32)).toBe("unended");
  });

  it("is unended when a whole entry was glued to a stump", () => {
    expect(readTail(Buffer.concat([two.subarray(0, 30), three.subarray(0, -1)]), crc32)).toBe("unended");
  });

  it("is torn when it is zeros, as a loss of power leaves them", () => {
    expect(readTail(Buffer.alloc(4096), crc32)).toBe("torn");
  });
});
