import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ObjectTable } from "../../../src/snapshots/keeping/object-table.ts";
import { measureUsage } from "../../../src/snapshots/keeping/usage.ts";
import { type VerifyProgress, verifyStore } from "../../../src/snapshots/keeping/verify.ts";
import { hashObject } from "../../../src/snapshots/objects/object.ts";
import { asObjectHash } from "../../../src/snapshots/objects/tree-objects.ts";
import { SimulatedDisk } from "../../../src/testing/testing.ts";
import { KeptScene, ONE, prompt, TWO, WORKSPACE } from "./kept-scene.ts";

const OTHER = "/another/place";
const large = (what: string, bytes: number) => what.padEnd(bytes, ".");

function scene(): KeptScene {
  return new KeptScene(new SimulatedDisk());
}

/** Removes objects although snapshots still need them. */
function lose(kept: KeptScene, ...hashes: readonly string[]): void {
  for (const { id } of kept.store.segments()) kept.store.rewrite(id, (hash) => !hashes.includes(hash));
}

describe("the table of objects", () => {
  it("law: knows what was added, with its size and mark, as a map does", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2_000), { maxLength: 3_000 }), (numbers) => {
        const table = new ObjectTable();
        const model = new Map<number, number>();
        for (const number of numbers) {
          table.add(hashObject("content", Buffer.from(`${number}`)), number);
          model.set(number, (model.get(number) ?? 0) + number);
        }
        expect(table.size).toBe(model.size);
        for (const [number, bytes] of model) {
          const object = table.find(hashObject("content", Buffer.from(`${number}`))) ?? -1;
          expect([table.bytesOf(object), table.markOf(object)]).toEqual([bytes, 0]);
          table.mark(object, number + 1);
        }
        for (const number of model.keys()) {
          const object = table.find(hashObject("content", Buffer.from(`${number}`))) ?? -1;
          expect(table.markOf(object)).toBe(number + 1);
        }
        expect(table.find(hashObject("content", Buffer.from("never added")))).toBeUndefined();
      }),
      { numRuns: 20 },
    );
  });
});

describe("the usage of a store", () => {
  it("says what each session and workspace has for itself: what would go with it alone", () => {
    const kept = scene();
    const common = { "common.txt": large("common", 2_000) };
    kept.keep({ ...common, "a.txt": large("a", 300) }, prompt(1), 1);
    kept.keep({ ...common, "a.txt": large("a", 300), "b.txt": "b" }, prompt(2), 2);
    kept.workspace = OTHER;
    kept.keep({ ...common, "c.txt": large("c", 700) }, prompt(1, TWO), 3);
    kept.contentOf(large("of nobody", 500));
    kept.store.sync();
    const usage = measureUsage(kept.store, kept.refs);
    const [one, two] = usage.sessions;
    expect(usage).toEqual({
      storedBytes: kept.store.storedBytes(),
      objects: 11,
      sessions: [
        { session: ONE, snapshots: 2, ownBytes: one?.ownBytes },
        { session: TWO, snapshots: 1, ownBytes: two?.ownBytes },
      ],
      workspaces: [
        { workspace: WORKSPACE, snapshots: 2, ownBytes: one?.ownBytes },
        { workspace: OTHER, snapshots: 1, ownBytes: two?.ownBytes },
      ],
      unreferencedBytes: usage.unreferencedBytes,
      damaged: [],
    });
    const before = kept.store.storedBytes() - usage.unreferencedBytes;
    lose(kept, kept.contentOf(large("of nobody", 500)));
    kept.refs.dropSession(TWO);
    expect(measureUsage(kept.store, kept.refs).unreferencedBytes).toBe(two?.ownBytes);
    expect(before).toBeGreaterThan(2_000 + (one?.ownBytes ?? 0) + (two?.ownBytes ?? 0));
  });

  it("is reported, in part, if a snapshot is damaged", () => {
    const kept = scene();
    const { snapshot } = kept.keep({ "a.txt": "a" }, prompt(1), 1);
    lose(kept, snapshot);
    expect(measureUsage(kept.store, kept.refs)).toMatchObject({ objects: 2, damaged: [snapshot] });
  });
});

describe("verifying a store", () => {
  it("finds nothing wrong with what is whole, and says how far it is", () => {
    const kept = scene();
    kept.keep({ src: { "a.txt": "a" } }, prompt(1), 1);
    const progress: VerifyProgress[] = [];
    expect(verifyStore(kept, (each) => progress.push(each))).toEqual({
      damage: [],
      snapshots: 1,
      problems: [],
      lacking: [],
      refDamage: [],
    });
    expect(progress.at(-1)).toEqual({ phase: "walking", done: 1, of: 1 });
    expect(progress[0]?.phase).toBe("reading");
  });

  it("names the checkpoints and paths of what is missing or was forgotten", () => {
    const kept = scene();
    const whole = { "b.txt": "bbb", src: { "a.txt": "aaa", deep: { "c.txt": "ccc" } } };
    const first = kept.keep(whole, prompt(1), 1);
    kept.keep(whole, { session: TWO, journey: "left" }, 2);
    const second = kept.keep({ "other.txt": "ooo" }, prompt(2), 3);
    const [a, c] = [kept.contentOf("aaa"), kept.contentOf("ccc")];
    kept.forgotten.add([c], "2026-01-01T00:00:00.000Z");
    lose(kept, a, c, asObjectHash(second.snapshot));
    expect(verifyStore(kept)).toEqual({
      damage: [],
      snapshots: 2,
      problems: [
        {
          snapshot: first.snapshot,
          names: [`${ONE}:1`, `${TWO} (left by the journey at 2026-01-01T00:02:00.000Z)`],
          paths: [
            { path: "src/a.txt", hash: a, what: "missing" },
            { path: "src/deep/c.txt", hash: c, what: "forgotten" },
          ],
          count: 2,
        },
        {
          snapshot: second.snapshot,
          names: [`${ONE}:2`],
          paths: [{ path: "", hash: second.snapshot, what: "missing" }],
          count: 1,
        },
      ],
      lacking: [],
      refDamage: [],
    });
  });

  it("distinguishes what is lost from what was let go", () => {
    const kept = scene();
    const first = kept.keep({ src: { "a.txt": "aaa", "b.txt": "bbb" }, "c.txt": "ccc" }, prompt(1), 1);
    const [a, b] = [kept.contentOf("aaa"), kept.contentOf("bbb")];
    kept.forgotten.add([a], "2026-01-01T00:00:00.000Z");
    kept.forgotten.add([b], "2026-01-01T00:00:00.000Z", "not-in-bundle");
    lose(kept, a, b);
    expect(verifyStore(kept)).toMatchObject({
      problems: [],
      lacking: [
        {
          snapshot: first.snapshot,
          paths: [
            { path: "src/a.txt", what: "forgotten" },
            { path: "src/b.txt", what: "not-in-bundle" },
          ],
          count: 2,
        },
      ],
    });
  });

  it("names a path that is lost before hundreds that were forgotten", () => {
    const kept = scene();
    const many = Object.fromEntries(
      Array.from({ length: 120 }, (_, each) => [`${each}.txt`, `text ${each}`]),
    );
    kept.keep({ ...many, "z.txt": "zzz" }, prompt(1), 1);
    const hashes = Object.values(many).map((text) => kept.contentOf(text));
    kept.forgotten.add(hashes, "2026-01-01T00:00:00.000Z");
    lose(kept, ...hashes, kept.contentOf("zzz"));
    const [problem] = verifyStore(kept).problems;
    expect(problem?.count).toBe(121);
    expect(problem?.paths[0]).toMatchObject({ path: "z.txt", what: "missing" });
  });

  it("names the path of a content whose bytes have changed on the disk", () => {
    const kept = scene();
    const { snapshot } = kept.keep({ "a.txt": large("sound", 700) }, prompt(1), 1);
    const hash = kept.contentOf(large("sound", 700));
    const holder = kept.store.segments().find(({ id }) => {
      let holds = 0;
      kept.store.each(id, (record) => (holds += record.hash === hash ? 1 : 0));
      return holds > 0;
    });
    const path = `${kept.places.segments}/${holder?.id}.seg`;
    const bytes = Buffer.alloc(kept.disk.stat(path)?.size ?? 0);
    const reading = kept.disk.open(path, "read");
    kept.disk.read(reading, bytes, 0);
    kept.disk.close(reading);
    bytes[bytes.indexOf("sound") + 100] = 0x21;
    const file = kept.disk.open(path, "append");
    kept.disk.truncate(file, 0);
    kept.disk.write(file, bytes);
    kept.disk.close(file);
    const verified = verifyStore(new KeptScene(kept.disk, { seed: 8 }));
    expect(verified.damage).toMatchObject([{ segment: holder?.id, hash }]);
    expect(verified.problems).toEqual([
      { snapshot, names: [`${ONE}:1`], paths: [{ path: "a.txt", hash, what: "damaged" }], count: 1 },
    ]);
  });
});
