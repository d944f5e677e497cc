import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { realDisk } from "../../../src/disk/disk.ts";
import type { ObjectHash } from "../../../src/record/ids.ts";
import type { SegmentStore } from "../../../src/snapshots/segments/segment-store.ts";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { codeOf, noise, putText, SegmentScene, textOf } from "./segment-scene.ts";

/** The offset of the first payload, after the segment's magic and the record header. */
const FIRST_PAYLOAD = 8 + 56;

interface Written {
  readonly hashes: readonly ObjectHash[];
  readonly folder: string;
  readonly segment: string;
}

/** A closed segment of these texts, each of them synced separately. */
function write(
  folder: string,
  texts: readonly string[],
  index: "with-index" | "without" = "without",
): Written {
  const store = open(folder);
  const hashes = texts.map((text) => {
    const hash = putText(store, text);
    store.sync();
    return hash;
  });
  if (index === "with-index") store.put("content", noise(300_000));
  store.close();
  const [name = ""] = readdirSync(folder).filter((each) => each.endsWith(".seg"));
  return { hashes, folder, segment: join(folder, name) };
}

const scene = new SegmentScene(realDisk);

function open(folder: string): SegmentStore {
  return scene.open({ folder });
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 0x10;
  writeFileSync(path, bytes);
}

describe("a segment cut at any byte of its last record", () => {
  it.each(["closed", "written by one who died"])(
    "and %s keeps what is before, and takes the next object",
    async (how) => {
      await inTempFolder((folder) => {
        const whole = join(folder, "whole");
        const { process, store } = scene.start({ folder: whole });
        const [one, two] = ["one", "two"].map((text) => putText(store, text)) as [ObjectHash, ObjectHash];
        store.sync();
        const start = store.storedBytes();
        const last = putText(store, "the last of them");
        store.sync();
        const end = store.storedBytes();
        if (how === "closed") store.close();
        else scene.processes.kill(process.pid);
        const [name = ""] = readdirSync(whole).filter((each) => each.endsWith(".seg"));
        for (let cut = start; cut < end; cut += 1) {
          const copy = join(folder, String(cut));
          cpSync(whole, copy, { recursive: true });
          truncateSync(join(copy, name), cut);
          const after = open(copy);
          expect([one, two, last].map((hash) => codeOf(() => textOf(after, hash)))).toEqual([
            undefined,
            undefined,
            "SNAPSHOT_MISSING",
          ]);
          expect(after.has(last)).toBe(false);
          const next = putText(after, "next");
          putText(after, "the last of them");
          after.close();
          const again = open(copy);
          expect([one, two, last, next].map((hash) => textOf(again, hash))).toEqual([
            "one",
            "two",
            "the last of them",
            "next",
          ]);
          expect([again.verify(), again.segments().length]).toEqual([[], 1]);
          again.close();
        }
        store.close();
      });
    },
  );
});

describe("a flipped byte", () => {
  it("anywhere in a segment is found, named, and hides no other object", async () => {
    await inTempFolder((folder) => {
      const { hashes, segment } = write(join(folder, "whole"), ["one", "two", "three"]);
      const size = readFileSync(segment).length;
      // Every third byte still hits every field of a record, in a third of the time.
      for (let at = 0; at < size; at += 3) {
        const copy = join(folder, String(at));
        cpSync(join(folder, "whole"), copy, { recursive: true });
        flip(join(copy, segment.slice(segment.lastIndexOf("/") + 1)), at);
        const store = open(copy);
        const codes = hashes.map((hash) => codeOf(() => textOf(store, hash)));
        expect(codes.filter((code) => code !== undefined).length, `byte ${at}`).toBeLessThanOrEqual(1);
        const damage = store.verify();
        expect(damage.length, `byte ${at}`).toBe(1);
        expect(codes.filter((code) => code === "SNAPSHOT_DAMAGED").length).toBe(
          damage[0]?.hash === undefined ? 0 : 1,
        );
        for (const text of ["one", "two", "three", "four"]) putText(store, text);
        store.close();
        const again = open(copy);
        expect(hashes.map((hash) => textOf(again, hash))).toEqual(["one", "two", "three"]);
        again.close();
      }
    });
  });

  it("in an object that an index covers is SNAPSHOT_DAMAGED, and heals when the object is put again", async () => {
    await inTempFolder((folder) => {
      const { hashes, segment } = write(folder, ["one", "two"], "with-index");
      const [one, two] = hashes as [ObjectHash, ObjectHash];
      flip(segment, FIRST_PAYLOAD);
      const store = open(folder);
      expect(codeOf(() => store.get(one, "content"))).toBe("SNAPSHOT_DAMAGED");
      expect(textOf(store, two)).toBe("two");
      expect(store.verify().map(({ offset, hash }) => ({ offset, hash }))).toEqual([
        { offset: 8, hash: one },
      ]);
      putText(store, "one");
      expect(textOf(store, one)).toBe("one");
      store.close();
      const again = open(folder);
      expect(textOf(again, one)).toBe("one");
      again.close();
    });
  });

  it("in the header of an object that an index covers is named too", async () => {
    await inTempFolder((folder) => {
      const { hashes, segment } = write(folder, ["one", "two"], "with-index");
      flip(segment, 20);
      const store = open(folder);
      expect(codeOf(() => textOf(store, hashes[0] as ObjectHash))).toBe("SNAPSHOT_DAMAGED");
      expect(store.verify().map(({ offset, hash }) => ({ offset, hash }))).toEqual([
        { offset: 8, hash: hashes[0] },
      ]);
      store.close();
    });
  });
});

describe("a segment that a writer does not understand", () => {
  const texts = ["one", "two", "three", "four", "five"];

  it("is not cut, because a newer program may have written it", () =>
    inTempFolder((folder) => {
      const { segment } = write(folder, texts);
      const bytes = readFileSync(segment);
      bytes.write("wlseg 2\n", 0, "latin1");
      for (let at = bytes.indexOf("wlr\x01"); at >= 0; at = bytes.indexOf("wlr\x01", at))
        bytes.write("wlr\x02", at);
      writeFileSync(segment, bytes);
      const store = open(folder);
      putText(store, "mine");
      store.close();
      expect(readFileSync(segment)).toEqual(bytes);
    }));

  it("is not cut after damage, whoever wrote it last", () =>
    inTempFolder((folder) => {
      const { hashes, segment } = write(folder, texts);
      const bytes = readFileSync(segment);
      bytes[12] = (bytes[12] ?? 0) ^ 0xff;
      writeFileSync(segment, bytes);
      const dead = {
        pid: 1,
        started: "never",
        boot: "another start",
        host: hostname(),
        name: "dead",
        since: "",
      };
      writeFileSync(segment.replace(/seg$/, "lock"), JSON.stringify({ ...dead, token: "0".repeat(32) }));
      const store = open(folder);
      putText(store, "mine");
      store.close();
      const reopened = open(folder);
      expect(hashes.slice(1).map((hash) => textOf(reopened, hash))).toEqual(texts.slice(1));
    }));
});

describe("an index", () => {
  it.each([
    ["deleted", (path: string) => rmSync(path)],
    ["empty", (path: string) => writeFileSync(path, "")],
    ["damaged in its head", (path: string) => flip(path, 12)],
    ["damaged in its rows", (path: string) => flip(path, readFileSync(path).length - 3)],
    ["cut", (path: string) => truncateSync(path, 1100)],
    ["of another segment", (path: string) => replaceByForeign(path)],
  ])("that is %s is not missed, and is written again", async (_, harm) => {
    await inTempFolder((folder) => {
      const { hashes, segment } = write(folder, ["one", "two"], "with-index");
      const index = segment.replace(/seg$/, "idx");
      harm(index);
      const store = open(folder);
      expect(hashes.map((hash) => textOf(store, hash))).toEqual(["one", "two"]);
      const three = putText(store, "three");
      store.close();
      expect(readFileSync(index).length).toBeGreaterThan(1000);
      const again = open(folder);
      expect([...hashes, three].map((hash) => textOf(again, hash))).toEqual(["one", "two", "three"]);
      expect(again.verify()).toEqual([]);
      again.close();
    });
  });

  it("that is older than its segment is used as far as it goes", async () => {
    await inTempFolder((folder) => {
      const { hashes, segment } = write(folder, ["one"], "with-index");
      const index = segment.replace(/seg$/, "idx");
      const old = readFileSync(index);
      const store = open(folder);
      const later = Array.from({ length: 300 }, (_, number) => putText(store, `later ${number}`));
      store.close();
      expect(readFileSync(index).equals(old)).toBe(false);
      writeFileSync(index, old);
      const again = open(folder);
      expect([...hashes, ...later].filter((hash) => !again.has(hash))).toEqual([]);
      again.close();
    });
  });

  it("that covers more than there is of its segment is not believed", async () => {
    await inTempFolder((folder) => {
      const { hashes, segment } = write(folder, ["one"], "with-index");
      truncateSync(segment, 1000);
      const store = open(folder);
      expect(textOf(store, hashes[0] as ObjectHash)).toBe("one");
      expect(store.segments().map(({ records }) => records)).toEqual([1]);
      store.close();
    });
  });
});

function replaceByForeign(path: string): void {
  const other = join(path, "..", "..", `${path.slice(path.lastIndexOf("/") + 1)}-other`);
  const { segment } = write(other, ["a", "b", "c"], "with-index");
  cpSync(segment.replace(/seg$/, "idx"), path);
  rmSync(other, { recursive: true });
}
