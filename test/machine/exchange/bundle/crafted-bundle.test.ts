import { createHash } from "node:crypto";
import { crc32, gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { importBundle } from "../../../../src/machine/exchange/bundle/import-bundle.ts";
import { sealMember, sealRecord } from "../../../../src/machine/exchange/bundle/records.ts";
import { encodeEntry } from "../../../../src/record/codec.ts";
import type { Entry } from "../../../../src/record/entry.ts";
import { isWorldlineError } from "../../../../src/record/error.ts";
import { outsideOf } from "../../../../src/record/files.ts";
import type { JsonObject } from "../../../../src/record/parts.ts";
import { begin, bundleOf, linesOf, memoryPlace } from "../support.ts";

type Line = Record<string, unknown>;

/** Packs lines as Worldline would, with valid seals, so that only their content is wrong. */
function pack(lines: readonly Line[]): Buffer {
  const bytes = lines.map((line) =>
    "seq" in line ? encodeEntry(line as unknown as Entry, crc32) : sealRecord(line as JsonObject),
  );
  const member = gzipSync(Buffer.concat(bytes));
  return Buffer.concat([member, sealMember(createHash("sha256").update(member).digest("hex"))]);
}

let good: readonly Line[];

beforeAll(async () => {
  const { deps } = memoryPlace();
  const session = await begin(deps);
  await session.prompt("a text that is long enough to go to a blob, with more than sixty characters in it");
  await session.rewind(1);
  await session.close();
  const text = gunzipSync(await bundleOf(deps.store, session.id)).toString("utf8");
  const lines = text.trim().split("\n").slice(0, -1);
  good = lines.map((line) => {
    const { sum: _sum, ...rest } = JSON.parse(line) as Line;
    return rest;
  });
});

/** A valid bundle with one line changed. 0: header, 1-4: the log, 5: the blob, 6: the end. */
function withLine(at: number, change: Line): Line[] {
  return good.map((line, index) => (index === at ? { ...line, ...change } : line));
}

function countTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 5);
}

async function importing(lines: readonly Line[]): Promise<string> {
  const { deps } = memoryPlace();
  try {
    return (await importBundle(deps, pack(lines))).status;
  } catch (error) {
    expect(await deps.store.list()).toEqual([]);
    return isWorldlineError(error) ? `${error.code} ${error.message}` : String(error);
  }
}

describe("a forged bundle", () => {
  it("is taken when it says what a good one says", async () => {
    expect(await importing(good)).toBe("imported");
  });

  it("cannot say what a rewind is to write outside the workspace", async () => {
    const { deps } = memoryPlace();
    const evil = [{ path: "/home/somebody/.profile", before: { why: "special" } }];
    const { session } = await importBundle(deps, pack(withLine(4, { outside: evil })));
    expect((await linesOf(deps.store, session)).flatMap(outsideOf)).toEqual([]);
  });

  it.each<[string, () => readonly Line[], string]>([
    ["has a newer container", () => withLine(0, { version: 2 }), "FORMAT_NEWER"],
    ["has a newer log", () => withLine(1, { version: 99 }), "FORMAT_NEWER"],
    ["names a path as its session", () => withLine(0, { session: "../../evil" }), "record 1"],
    ["names another session in its log", () => withLine(1, { session: "zzzzzzzzzz" }), "different sessions"],
    ["has a session without an id", () => withLine(1, { session: "../../evil" }), "record 2"],
    ["has an empty tag", () => withLine(1, { tag: "" }), "tag"],
    ["has a line that comes twice", () => [...good.slice(0, 3), ...good.slice(2)], "BUNDLE_INVALID"],
    ["lacks a line", () => good.filter((_, at) => at !== 2), "BUNDLE_INVALID"],
    ["follows an entry that is not there", () => withLine(2, { parent: "zzzzzzzzzzzz" }), "does not exist"],
    ["has an entry id twice", () => withLine(3, { id: good[2]?.["id"] }), "id of an earlier line"],
    [
      "comes from the future",
      () => withLine(4, { origin: [9, 9] }),
      "has an origin that does not come before it",
    ],
    [
      "has two beginnings",
      () => withLine(2, { ...good[1], seq: 2, id: "zzzzzzzzzzzz" }),
      "has no parent entry",
    ],
    ["says more entries than it has", () => withLine(0, { entries: 5 }), "declares 5"],
    ["lies about lost lines", () => withLine(0, { lost: [9] }), "lists lines as lost"],
    ["has a line far beyond the others", () => withLine(4, { seq: 2 ** 40 }), "line 4 of its log is missing"],
    ["has lost lines without end", () => withLine(0, { lost: countTo(1_000_001) }), "1000001 lost lines"],
    ["has lost the same line twice", () => withLine(0, { lost: [5, 5] }), "not listed in order"],
    ["has lost a line far beyond the others", () => withLine(0, { lost: [2 ** 40] }), "lists lines as lost"],
    ["has a blob with another hash", () => withLine(5, { hash: "0".repeat(64) }), "does not match its hash"],
    [
      "has a blob with other content",
      () => withLine(5, { data: "aGk=", size: 2 }),
      "does not match its hash",
    ],
    ["lacks its blob", () => good.filter((_, at) => at !== 5), "BUNDLE_INVALID"],
    ["lies about its end", () => withLine(6, { records: 99 }), "the record count"],
    ["has no end", () => good.slice(0, -1), "is truncated"],
    ["goes on behind its end", () => [...good, { record: "end", records: 7 }], "after its end"],
    ["has two headers", () => [good[0] as Line, ...good], "exactly one header"],
    ["has no header", () => good.slice(1), "exactly one header"],
  ])("that %s is refused, and nothing is made", async (_what, lines, words) => {
    expect(await importing(lines())).toContain(words);
  });

  it("is refused when a value is nested too deeply", async () => {
    let input: unknown = "deep";
    for (let depth = 0; depth < 1_000; depth += 1) input = [input];
    const part = { type: "tool-call", call: "a", name: "b", input };
    const reply = { kind: "reply", parts: [part], model: "m", estimate: 1 };
    const { parts: _parts, kind: _kind, ...place } = good[3] as Line;
    expect(await importing(good.map((line, at) => (at === 3 ? { ...place, ...reply } : line)))).toContain(
      "nested",
    );
  });

  it("is taken with a warning when it has records of a sort that is not known yet", async () => {
    const { deps } = memoryPlace();
    const end = { record: "end", records: 7 };
    const lines = [...good.slice(0, -1), { record: "snapshot", id: "s1" }, end];
    expect((await importBundle(deps, pack(lines))).warnings).toEqual([
      '1 record of type "snapshot" was skipped, because this version does not recognize it.',
    ]);
  });
});
