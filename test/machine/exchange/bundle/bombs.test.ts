import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { importBundle } from "../../../../src/machine/exchange/bundle/import-bundle.ts";
import type { ObjectRecord } from "../../../../src/machine/exchange/bundle/records.ts";
import { Pieces, sealMember } from "../../../../src/machine/exchange/bundle/records.ts";
import { BundleBytes } from "../../../../src/machine/exchange/bundle/unpack.ts";
import type { ObjectHash } from "../../../../src/record/ids.ts";
import { type Line, linesIn, packed } from "../../../support/raw-bundle.ts";
import { begin, bundleOf, memoryPlace } from "../support.ts";

function sealed(text: Uint8Array): Buffer {
  const member = gzipSync(text);
  return Buffer.concat([member, sealMember(createHash("sha256").update(member).digest("hex"))]);
}

async function linesOf(bundle: Uint8Array, expansion: { freeBytes: number; times: number }): Promise<number> {
  let lines = 0;
  const unpacking = { maxBytes: 2 ** 30, isStreamed: () => true, expansion };
  for await (const _line of new BundleBytes(bundle).lines(unpacking)) lines += 1;
  return lines;
}

async function refusalOf(lines: readonly Line[]): Promise<string> {
  const { deps } = memoryPlace();
  const refusal = await importBundle(deps, packed(lines)).then(
    ({ status }) => status,
    (error: unknown) => String(error),
  );
  if (refusal !== "imported") expect(await deps.store.list()).toEqual([]);
  return refusal;
}

async function goodLines(): Promise<Line[]> {
  const { deps } = memoryPlace();
  const session = await begin(deps);
  await session.prompt("hello");
  await session.close();
  return linesIn(await bundleOf(deps.store, session.id));
}

describe("a bundle that unpacks to far more than it is", () => {
  const bomb = sealed(Buffer.alloc(4_000_000, `${"0".repeat(999)}\n`));

  it("is refused as soon as that is seen, also where every line is short and none is held", async () => {
    await expect(linesOf(bomb, { freeBytes: 100_000, times: 200 })).rejects.toThrow(
      "it unpacks to more than 200 times its size",
    );
  });

  it("is read where it is small, or not so dense", async () => {
    expect(await linesOf(bomb, { freeBytes: 5_000_000, times: 200 })).toBe(4_000);
    expect(await linesOf(bomb, { freeBytes: 0, times: 2_000 })).toBe(4_000);
  });

  it("may not bring an object that says it is larger than any, nor make room for it", async () => {
    const lines = await goodLines();
    const object = { record: "object", kind: "content", hash: "0".repeat(64), offset: 0, data: "" };
    const files = { record: "files", snapshots: [], missing: [] };
    const before = process.memoryUsage().arrayBuffers;
    const end = lines.at(-1) as Line;
    const evil = [...lines.slice(0, -1), files, { ...object, size: 2 ** 40 }, end];
    expect(await refusalOf(evil)).toContain("an object is larger than allowed (1099511627776 bytes)");
    const said = [...lines.slice(0, -1), files, { ...object, data: "eA==", size: 2 ** 30 }, end];
    expect(await refusalOf(said)).toContain("an earlier object is incomplete");
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 26);
  });

  it("may not bring records of sorts without end", async () => {
    const lines = await goodLines();
    const more = (count: number): Line[] =>
      Array.from({ length: count }, (_, at) => ({ record: `sort ${at} ${"x".repeat(20)}` }));
    const evil = [...lines.slice(0, -1), ...more(101), lines.at(-1) as Line];
    expect(await refusalOf(evil)).toContain("more than 100 unknown kinds of records");
    expect(await refusalOf([...lines.slice(0, -1), ...more(100), lines.at(-1) as Line])).toBe("imported");
  });
});

describe("pieces", () => {
  it("are put together whatever their size, and take no more room than they are", () => {
    const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, at) => at % 251));
    const pieces = new Pieces();
    const hash = "0".repeat(64) as ObjectHash;
    const taken = Array.from(bytes, (byte, offset) => {
      const data = Buffer.of(byte).toString("base64");
      const record: ObjectRecord = {
        record: "object",
        kind: "content",
        hash,
        size: bytes.length,
        offset,
        data,
      };
      return pieces.take(record);
    });
    expect(taken.slice(0, -1).every((each) => each === undefined)).toBe(true);
    expect(taken.at(-1)).toEqual({ bytes });
    expect(pieces.isOpen).toBe(false);
  });
});
