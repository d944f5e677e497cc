import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exportBundle } from "../../../../src/machine/exchange/bundle/export-bundle.ts";
import { importBundle } from "../../../../src/machine/exchange/bundle/import-bundle.ts";
import { sealMember, sealRecord } from "../../../../src/machine/exchange/bundle/records.ts";
import { viewSession } from "../../../../src/machine/open.ts";
import { openSnapshotObjects, openSnapshotUpkeep, openWorkspaceFiles } from "../../../../src/open-files.ts";
import { encodeEntry } from "../../../../src/record/codec.ts";
import type { Entry } from "../../../../src/record/entry.ts";
import { WorldlineError } from "../../../../src/record/error.ts";
import type { JsonObject } from "../../../../src/record/parts.ts";
import { openFilesStore } from "../../../../src/stores/files/files.ts";
import { ManualClock } from "../../../../src/testing/simulated-system.ts";
import { inTempFolder, tempFolder } from "../../../../src/testing/temp-folder.ts";
import { begin, memoryPlace } from "../support.ts";

type Line = Record<string, unknown>;

const source = tempFolder();
let bundle: Buffer;
let good: readonly Line[];

/** A bundle of a session with a checkpoint and its files, one of which is longer than a line may be. */
beforeAll(async () => {
  const workspace = join(source.path, "workspace");
  const home = join(source.path, "home");
  mkdirSync(join(workspace, "deep"), { recursive: true });
  writeFileSync(join(workspace, "a.txt"), "alpha\n");
  writeFileSync(join(workspace, "deep", "large"), Buffer.alloc(900_000, "0123456789abcdef"));
  const files = await openWorkspaceFiles({ workspace, home, threads: "none" });
  const place = memoryPlace();
  const session = await begin({ ...place.deps, files }, files.folder);
  await session.checkpoint();
  await session.capture({ checkpoint: 1, author: "timeline" });
  await session.close();
  await files.close();
  const objects = openSnapshotObjects({ home });
  const pieces: Uint8Array[] = [];
  const view = await viewSession(place.deps.store, session.id);
  for await (const piece of exportBundle(view, place.deps.store, {
    files: { objects, ignored: "leave-out" },
  })) {
    pieces.push(piece);
  }
  objects.close();
  bundle = Buffer.concat(pieces);
  good = gunzipSync(bundle)
    .toString("utf8")
    .trim()
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const { sum: _sum, ...rest } = JSON.parse(line) as Line;
      return rest;
    });
});
afterAll(() => source.remove());

function pack(lines: readonly Line[]): Buffer {
  const counted = lines.map((line) =>
    line["record"] === "end" ? { ...line, records: lines.length - 1 } : line,
  );
  const bytes = counted.map((line) =>
    "seq" in line ? encodeEntry(line as unknown as Entry, crc32) : sealRecord(line as JsonObject),
  );
  const member = gzipSync(Buffer.concat(bytes));
  return Buffer.concat([member, sealMember(createHash("sha256").update(member).digest("hex"))]);
}

const isObject = (kind: string) => (line: Line) => line["record"] === "object" && line["kind"] === kind;
const isFiles = (line: Line): boolean => line["record"] === "files";
const sha = (text: string): string => createHash("sha256").update(text).digest("hex");

function changed(which: (line: Line) => boolean, change: Line): readonly Line[] {
  const at = good.findIndex(which);
  return good.map((line, index) => (index === at ? { ...line, ...change } : line));
}

function withoutFirst(which: (line: Line) => boolean): readonly Line[] {
  const at = good.findIndex(which);
  return good.filter((_line, index) => index !== at);
}

function withMore(...more: readonly Line[]): readonly Line[] {
  return [...good.slice(0, -1), ...more, good.at(-1) as Line];
}

function contentLine(text: string): Line {
  const data = Buffer.from(text).toString("base64");
  return { record: "object", kind: "content", hash: sha(text), size: text.length, offset: 0, data };
}

/** A folder entry that would be written outside the workspace. */
function evilFolder(): Line {
  const name = Buffer.from("../evil");
  const bytes = Buffer.concat([Buffer.of(1, 0, 1, 3, name.length), name, Buffer.of(1), Buffer.from("x")]);
  const hash = createHash("sha256").update("worldline folder\0").update(bytes).digest("hex");
  return {
    record: "object",
    kind: "folder",
    hash,
    size: bytes.length,
    offset: 0,
    data: bytes.toString("base64"),
  };
}

async function importing(bytes: Buffer): Promise<string> {
  return inTempFolder(async (home) => {
    const store = openFilesStore({ root: home, clock: new ManualClock() });
    const objects = openSnapshotObjects({ home });
    try {
      const { status, files } = await importBundle({ store, clock: new ManualClock() }, bytes, { objects });
      return `${status} ${files?.snapshots}`;
    } catch (error) {
      expect(readdirSync(home)).toEqual([]);
      return error instanceof WorldlineError ? `${error.code} ${error.message}` : String(error);
    } finally {
      objects.close();
      await store.close();
    }
  });
}

describe("a forged bundle with files", () => {
  it("is taken when it says what a good one says", async () => {
    expect(await importing(pack(good))).toBe("imported 1");
  });

  it.each<[string, () => readonly Line[], string]>([
    ["lacks its snapshot", () => withoutFirst(isObject("snapshot")), "is missing"],
    ["lacks a folder", () => withoutFirst(isObject("folder")), "a folder in a snapshot is missing"],
    ["lacks a content", () => withoutFirst(isObject("content")), "missing but is not listed as absent"],
    ["lacks a piece", () => withoutFirst((line) => line["offset"] === 786_432), "incomplete"],
    ["has other content", () => changed(isObject("content"), contentLine("other")), "BUNDLE_INVALID"],
    ["lies about a hash", () => changed(isObject("content"), { hash: sha("other") }), "BUNDLE_INVALID"],
    ["lies about a kind", () => changed(isObject("folder"), { kind: "content" }), "does not match its hash"],
    [
      "has a kind that there is not",
      () => changed(isObject("folder"), { kind: "tree" }),
      "the object is invalid",
    ],
    ["has an object twice", () => withMore(good.find(isObject("folder")) as Line), "already"],
    ["has a content of nobody", () => withMore(contentLine("stowaway")), "none of its snapshots uses"],
    ["has a folder that leads out", () => withMore(evilFolder()), "a file name is invalid"],
    [
      "says that something is absent which nobody wants",
      () => withMore({ record: "absent", hash: sha("x"), why: "ignored" }),
      "none of its snapshots uses",
    ],
    ["announces another snapshot", () => changed(isFiles, { snapshots: [sha("x")] }), "BUNDLE_INVALID"],
    ["announces no snapshot", () => changed(isFiles, { snapshots: [] }), "does not list"],
    ["announces nothing", () => withoutFirst(isFiles), "the object is invalid"],
    [
      "has an object beyond all sizes",
      () => changed(isObject("content"), { size: 2 ** 40 }),
      "larger than allowed",
    ],
    [
      "names files that its log does not",
      () => good.filter((line) => line["kind"] !== "snapshot" || "record" in line),
      "BUNDLE_INVALID",
    ],
  ])("that %s is refused, and nothing is made", async (_what, lines, words) => {
    expect(await importing(pack(lines()))).toContain(words);
  });

  it("is refused wherever a byte is changed, or it is cut", async () => {
    for (let part = 1; part < 12; part += 1) {
      const at = Math.floor((bundle.length * part) / 12);
      const flipped = Buffer.from(bundle);
      flipped[at] = (flipped[at] ?? 0) ^ 0x10;
      expect(await importing(flipped)).toContain("BUNDLE_INVALID");
      expect(await importing(bundle.subarray(0, at))).toContain("BUNDLE_INVALID");
    }
  });

  it("is refused when its files are more than they may be", () =>
    inTempFolder(async (home) => {
      const store = openFilesStore({ root: home, clock: new ManualClock() });
      const objects = openSnapshotObjects({ home });
      const options = { objects, maxFilesBytes: 500_000 };
      await expect(importBundle({ store, clock: new ManualClock() }, bundle, options)).rejects.toThrow(
        "take up more than 500000 bytes",
      );
      expect(readdirSync(home)).toEqual([]);
    }));

  it("does not count its files against what the log may take", () =>
    inTempFolder(async (home) => {
      const store = openFilesStore({ root: home, clock: new ManualClock() });
      const objects = openSnapshotObjects({ home });
      const deps = { store, clock: new ManualClock() };
      const big = 1_200_000;
      expect(await importBundle(deps, bundle, { objects, maxBytes: big })).toMatchObject({
        status: "imported",
      });
    }));
});

describe("an import that fails when the files are in", () => {
  it("leaves no session, and nothing that gc would keep", () =>
    inTempFolder(async (home) => {
      const store = openFilesStore({ root: home, clock: new ManualClock() });
      const failing = {
        ...store,
        create: async () => {
          throw new WorldlineError("stated", { code: "STORE_FULL", message: "There is no room." });
        },
      } as unknown as typeof store;
      const objects = openSnapshotObjects({ home });
      const deps = { store: failing, clock: new ManualClock() };
      await expect(importBundle(deps, bundle, { objects })).rejects.toThrow("There is no room.");
      objects.close();
      expect(await store.list()).toEqual([]);
      const upkeep = openSnapshotUpkeep({ home });
      const retention = { keepCount: 100, keepJourneys: 100 };
      const { done } = await upkeep.collect({ retention, maxBytes: 2 ** 40 }, async () => "yes");
      expect(done?.released).toEqual([]);
      expect(upkeep.storedBytes()).toBe(0);
      upkeep.close();
    }));

  it("can be made again, and then keeps everything", () =>
    inTempFolder(async (home) => {
      const clock = new ManualClock();
      const store = openFilesStore({ root: home, clock });
      const objects = openSnapshotObjects({ home });
      const { session } = await importBundle({ store, clock }, bundle, { objects });
      expect(await importBundle({ store, clock }, bundle, { objects })).toMatchObject({
        status: "already-here",
        files: { added: 0 },
      });
      objects.close();
      const refs = readFileSync(join(home, "snapshots", "refs", `${session}.jsonl`), "utf8")
        .trim()
        .split("\n");
      expect(refs.map((line) => JSON.parse(line))).toMatchObject([
        { do: "keep", checkpoint: 1, on: "manual" },
      ]);
    }));
});

describe("a bundle with files whose session has the id of another", () => {
  it("keeps them for the session that it makes", () =>
    inTempFolder(async (home) => {
      const clock = new ManualClock();
      const store = openFilesStore({ root: home, clock });
      const objects = openSnapshotObjects({ home });
      const first = await importBundle({ store, clock }, bundle, { objects });
      await store.trash(first.session, 1_000);
      const second = await importBundle({ store, clock }, bundle, { objects });
      objects.close();
      expect(second).toMatchObject({ status: "new-id", files: { snapshots: 1, added: 0 } });
      expect(readdirSync(join(home, "snapshots", "refs")).sort()).toEqual(
        [first.session, second.session].map((id) => `${id}.jsonl`).sort(),
      );
    }));
});

describe("a bundle with files where there is no place for them", () => {
  it("is taken without them, and says so", async () => {
    const { deps } = memoryPlace();
    const { warnings, files } = await importBundle(deps, bundle);
    expect({ warnings, files }).toEqual({
      warnings: ["The files in 1 snapshot were not imported."],
      files: undefined,
    });
  });
});
