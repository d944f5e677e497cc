import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeLine, encodeEntries, encodeEntry, isReadable } from "../../src/record/codec.ts";
import type { Entry } from "../../src/record/entry.ts";
import { Story } from "../../src/testing/testing.ts";
import { anyEntry } from "./arbitrary-entries.ts";

const lineOf = (entry: Entry) => encodeEntry(entry, crc32);
const decode = (line: Uint8Array) => decodeLine(line.subarray(0, -1), crc32);
/** Adds a valid seal to any content. */
const sealed = (open: string) =>
  Buffer.from(`${open},"sum":"${crc32(open).toString(16).padStart(8, "0")}"}\n`);

/** Serializes with sorted keys, so that keys which `toEqual` ignores are compared too. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

describe("a line", () => {
  it("is readable JSON that begins with the entry's place and ends with its seal", () => {
    const story = new Story();
    story.begin();
    expect(Buffer.from(lineOf(story.prompt("hi"))).toString()).toBe(
      '{"seq":2,"id":"000000000002","parent":"000000000001","at":"2026-01-01T00:00:02.000Z","kind":"prompt",' +
        '"parts":[{"type":"text","text":"hi"}],"estimate":1,"sum":"d68a113c"}\n',
    );
  });

  it("law: every entry of every kind is read back equal", () => {
    fc.assert(
      fc.property(anyEntry, (entry) => {
        const decoded = decode(lineOf(entry));
        expect(decoded.ok && canonical(decoded.entry)).toBe(canonical(entry));
      }),
      { numRuns: 1000 },
    );
  });

  it("law: written again it has the same bytes", () => {
    fc.assert(
      fc.property(anyEntry, (entry) => {
        const line = lineOf(entry);
        const decoded = decode(line);
        expect(decoded.ok && Buffer.from(lineOf(decoded.entry)).equals(line)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("law: has no newline but its last byte", () => {
    fc.assert(fc.property(anyEntry, (entry) => lineOf(entry).indexOf(0x0a) === lineOf(entry).length - 1));
  });

  it("law: a single changed byte anywhere is found", () => {
    fc.assert(
      fc.property(anyEntry, fc.nat(), fc.integer({ min: 1, max: 255 }), (entry, where, change) => {
        const line = lineOf(entry);
        const at = where % (line.length - 1);
        line[at] = (line[at] ?? 0) ^ change;
        expect(decode(line).ok).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it("law: is the same whether it is written alone or with others", () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 4 }), (entries) => {
        const alone = entries.map(lineOf);
        const { bytes, lengths } = encodeEntries(entries, crc32);
        expect(Buffer.concat(alone).equals(bytes)).toBe(true);
        expect(lengths).toEqual(alone.map((line) => line.length));
      }),
    );
  });

  it("may be longer than the memory that is kept for lines", () => {
    const story = new Story();
    story.begin();
    const entry = story.prompt("漢".repeat(100_000));
    expect(decode(lineOf(entry))).toEqual({ ok: true, entry });
  });

  it("stays as it is when it is read, whether it can be or not", () => {
    const story = new Story();
    for (const line of [Buffer.from(lineOf(story.begin())), sealed('{"seq":2x')]) {
      const before = Buffer.from(line);
      decode(line);
      expect(line.equals(before)).toBe(true);
    }
  });

  it("is not read when it was cut at any byte", () => {
    const story = new Story();
    const line = lineOf(story.begin());
    for (let cut = 0; cut < line.length - 1; cut += 1) {
      expect(decodeLine(line.subarray(0, cut), crc32)).toEqual({ ok: false, fault: "checksum" });
    }
  });
});

describe("an entry of another program", () => {
  const story = new Story();
  const { parent: _parent, ...title } = { ...story.begin(), ...story.title("Pool") };
  const entry = (fields: object) => ({ ...title, parent: null, ...fields }) as unknown as Entry;

  it.each<[string, boolean, Entry]>([
    ["is right", true, entry({})],
    ["has a field of the wrong type", false, entry({ title: 7 })],
    ["is at no place", false, entry({ seq: 0 })],
    ["is of a kind that is not marked as unknown", false, entry({ kind: "teleport" })],
    ["is of an unknown kind", true, entry({ kind: "foreign", foreignKind: "teleport", fields: {} })],
    [
      "is of an unknown kind, and at no place",
      false,
      entry({ kind: "foreign", foreignKind: "teleport", fields: {}, seq: 0 }),
    ],
    ["hides a known kind", false, entry({ kind: "foreign", foreignKind: "title", fields: {} })],
  ])("that %s can be read back: %j", (_what, readable, each) => {
    expect(isReadable(each)).toBe(readable);
  });

  it("law: can be read back exactly if its line is read", () => {
    const anything = fc.tuple(
      anyEntry,
      fc.constantFrom<object>({}, { seq: 0 }, { parent: "x" }, { kind: "title" }),
    );
    fc.assert(
      fc.property(anything, ([each, change]) => {
        const changed = { ...each, ...change } as Entry;
        expect(decode(lineOf(changed)).ok).toBe(isReadable(changed));
      }),
    );
  });
});

describe("a line of an unknown kind", () => {
  const line =
    '{"seq":2,"id":"000000000002","parent":"000000000001","at":"2026-01-01T00:00:02.000Z","kind":"teleport"';
  const base = { seq: 2, id: "000000000002", parent: "000000000001", at: "2026-01-01T00:00:02.000Z" };

  it.each([
    ['"to":1', { fields: { to: 1 } }],
    ['"origin":[1,2]', { origin: [1, 2], fields: {} }],
    ['"forgotten":{"at":"x","times":1},"sum":"x"', { forgotten: { at: "x", times: 1 }, fields: {} }],
  ])("with %s keeps its place and its fields apart", (rest, read) => {
    const decoded = decode(sealed(`${line},${rest}`));
    expect(decoded).toStrictEqual({
      ok: true,
      entry: { ...base, kind: "foreign", foreignKind: "teleport", ...read },
    });
  });
});

describe("a line whose seal is right but which is not an entry", () => {
  const good =
    '{"seq":2,"id":"000000000002","parent":"000000000001","at":"2026-01-01T00:00:02.000Z","kind":"title"';
  it.each([
    ["not-json", '{"seq":2x'],
    ["not-json", "[1,2"],
    ["not-json", "{"],
    [
      "shape",
      '{"seq":0,"id":"000000000002","parent":null,"at":"2026-01-01T00:00:02.000Z","kind":"title","title":""',
    ],
    [
      "shape",
      '{"seq":1.5,"id":"000000000002","parent":null,"at":"2026-01-01T00:00:02.000Z","kind":"title","title":""',
    ],
    ["shape", good.replace("000000000002", "../../../etc")],
    ["shape", `${good},"title":7`],
    ["shape", `${good.replace("2026-01-01", "2026-13-01")},"title":"x"`],
    ["shape", `${good.replace("2026-01-01T00:00:02.000Z", "yesterday")},"title":"x"`],
    ["shape", `${good.replace('"2026-01-01T00:00:02.000Z"', '["2026-01-01T00:00:02.000Z"]')},"title":"x"`],
    ["shape", `${good.replace("000000000001", "none")},"title":"x"`],
    ["shape", `${good.replace('"000000000001"', "1")},"title":"x"`],
    ["shape", `${good.replace('"title"', '["title"]')},"title":"x"`],
    ["shape", `${good.replace(',"kind":"title"', "")},"title":"x"`],
    ["shape", `${good},"title":"x","origin":["nowhere",1]`],
    ["shape", `${good},"title":"x","origin":[1]`],
    ["shape", `${good},"title":"x","origin":[1,2,3]`],
    ["shape", `${good},"title":"x","origin":"12"`],
    ["shape", `${good},"title":"x","origin":{"length":2}`],
    ["shape", `${good.replace("title", "prompt")},"parts":[{"type":"__proto__"}],"estimate":1`],
  ])("is %s: %s", (fault, open) => {
    expect(decode(sealed(open))).toEqual({ ok: false, fault });
  });

  it("is not UTF-8 when it says so in its bytes", () => {
    const body = Buffer.concat([
      Buffer.from(`${good},"title":"`),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"'),
    ]);
    const seal = `,"sum":"${crc32(body).toString(16).padStart(8, "0")}"}`;
    expect(decodeLine(Buffer.concat([body, Buffer.from(seal)]), crc32)).toEqual({
      ok: false,
      fault: "not-utf8",
    });
  });

  it("is damaged when it is nothing but a seal", () => {
    expect(decode(sealed(""))).toEqual({ ok: false, fault: "checksum" });
  });

  it("has one seal, its last field, and no other field of that name", () => {
    const decoded = decode(sealed(`${good},"sum":"x","title":"x"`));
    expect(decoded.ok && Object.keys(decoded.entry)).toEqual(["seq", "id", "parent", "at", "kind", "title"]);
  });

  it("keeps fields that a newer program added to a kind we know", () => {
    const decoded = decode(sealed(`${good},"title":"x","colour":"red"`));
    expect(decoded.ok && decoded.entry).toMatchObject({ kind: "title", title: "x", colour: "red" });
  });
});
