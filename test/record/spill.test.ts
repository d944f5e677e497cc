import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isReadable } from "../../src/record/codec.ts";
import type { Entry } from "../../src/record/entry.ts";
import type { BlobHash } from "../../src/record/ids.ts";
import { blobsOf, fill, isKnownKind, misshapenField, SPILL_FLOOR, spill } from "../../src/record/shape.ts";
import { Story } from "../../src/testing/testing.ts";
import { anyEntry } from "./arbitrary-entries.ts";

const LIMIT = 64;

/** Stores blobs as a real store does: bytes by hash. */
class Blobs {
  readonly bytes = new Map<BlobHash, Buffer>();
  readonly put = (text: string): BlobHash => {
    const bytes = Buffer.from(text);
    const hash = createHash("sha256").update(bytes).digest("hex") as BlobHash;
    this.bytes.set(hash, bytes);
    return hash;
  };
  readonly get = (hash: BlobHash): string => this.bytes.get(hash)?.toString() ?? "lost";
}

/** Entries in which some texts are long. */
const wordyEntry: fc.Arbitrary<Entry> = anyEntry.map(
  (entry) =>
    JSON.parse(JSON.stringify(entry), (key: string, value: unknown) =>
      key === "text" && typeof value === "string" ? `${value}${value}long`.repeat(9) : value,
    ) as Entry,
);

describe("spilling", () => {
  const story = new Story();
  story.begin();

  it("moves a long text into a blob and keeps its start in the line", () => {
    const blobs = new Blobs();
    const long = "0123456789".repeat(50);
    const spilled = spill(story.prompt(long), LIMIT, blobs.put);
    expect(spilled).toMatchObject({
      kind: "prompt",
      parts: [{ type: "text", text: { $blob: blobs.put(long), length: 500, start: long.slice(0, 120) } }],
    });
    expect(blobsOf(spilled)).toEqual([blobs.put(long)]);
  });

  it("leaves short texts and their entry as they are", () => {
    const blobs = new Blobs();
    const entry = story.prompt("x".repeat(LIMIT));
    expect(spill(entry, LIMIT, blobs.put)).toBe(entry);
    expect(fill(entry, blobs.get)).toBe(entry);
    expect(blobs.bytes.size).toBe(0);
  });

  it("never takes a tool's own data for a spilled text", () => {
    const blobs = new Blobs();
    const entry = story.call({ $blob: "a".repeat(64), start: "x", nested: [{ $$blob: 1 }] });
    const spilled = spill(entry, LIMIT, blobs.put);
    expect(blobsOf(spilled)).toEqual([]);
    expect(fill(spilled, blobs.get)).toEqual(entry);
  });

  it("copies only what changes", () => {
    const blobs = new Blobs();
    const call = {
      type: "tool-call",
      call: "c1",
      name: "Write",
      input: { lines: ["a", "b"], at: {}, exact: "x".repeat(LIMIT) },
    } as const;
    const text = { type: "text", text: "x".repeat(200) } as const;
    const entry = story.tell({ kind: "reply", parts: [call, text], model: "scripted", estimate: 1 });
    const spilled = spill(entry, LIMIT, blobs.put) as typeof entry;
    expect(spilled.parts[0]).toBe(call);
    expect((fill(spilled, blobs.get) as typeof entry).parts).toEqual([call, text]);
    expect((fill(spilled, blobs.get) as typeof entry).parts[0]).toBe(call);
  });

  it("escapes only the keys that look like its own", () => {
    const input = { $blob: 1, $$blob: 2, $ref: 3, $: 4, blob: 5, a$blob: 6, $blobs: 7 };
    const entry = story.call(input);
    const spilled = spill(entry, LIMIT, () => expect.unreachable("no text is long"));
    const escaped = { $$blob: 1, $$$blob: 2, $ref: 3, $: 4, blob: 5, a$blob: 6, $blobs: 7 };
    expect(spilled).toMatchObject({ parts: [{ input: escaped }] });
    expect(fill(spilled, () => "")).toEqual(entry);
  });

  it("keeps half a surrogate pair in the line, because a blob could not", () => {
    const blobs = new Blobs();
    const entry = story.prompt(`${"x".repeat(200)}\ud83d`);
    expect(spill(entry, LIMIT, blobs.put)).toEqual(entry);
  });

  it("cuts no surrogate pair in two at the end of the start", () => {
    const blobs = new Blobs();
    const spilled = spill(story.prompt("x".repeat(119) + "👍".repeat(50)), LIMIT, blobs.put);
    expect(spilled).toMatchObject({ parts: [{ text: { length: 219, start: "x".repeat(119) } }] });
  });

  it("law: filled again, every entry is what it was, and the spilled one is valid for its kind", () => {
    fc.assert(
      fc.property(wordyEntry, (entry) => {
        const blobs = new Blobs();
        const spilled = spill(entry, LIMIT, blobs.put);
        expect(JSON.stringify(fill(spilled, blobs.get))).toBe(JSON.stringify(entry));
        expect(new Set(blobsOf(spilled))).toEqual(new Set(blobs.bytes.keys()));
        const { kind, ...body } = spilled;
        if (isKnownKind(kind)) expect(misshapenField(kind, body)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it("law: whatever the limit, what holds an entry in its place stays in the line, which can be read back", () => {
    fc.assert(
      fc.property(wordyEntry, fc.integer({ min: -1, max: 2 * SPILL_FLOOR }), (entry, limit) => {
        fc.pre(isReadable(entry));
        expect(isReadable(spill(entry, limit, new Blobs().put))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
