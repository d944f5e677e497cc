import { describe, expect, it } from "vitest";
import { performGc, planGc } from "../../../src/snapshots/keeping/gc.ts";
import { hashObject } from "../../../src/snapshots/objects/object.ts";
import { asObjectHash } from "../../../src/snapshots/objects/tree-objects.ts";
import { SimulatedDisk } from "../../../src/testing/testing.ts";
import { KeptScene, ONE, prompt, RETENTION, ROOMY, type Tree, TWO } from "./kept-scene.ts";

const text = (what: string, bytes: number) => what.padEnd(bytes, ".");

/** For each number, its own large file and one that all of them share. */
function tree(number: number): Tree {
  return { "own.txt": text(`own ${number}`, 1_000), src: { "shared.txt": text("shared", 2_000) } };
}

function scene(): KeptScene {
  return new KeptScene(new SimulatedDisk());
}

describe("gc of a store within its limit", () => {
  it("removes what nothing refers to, and nothing else", () => {
    const kept = scene();
    const first = kept.keep(tree(1), prompt(1), 1);
    const lost = kept.put(tree(2));
    const plan = planGc(kept, ROOMY);
    expect(plan).toMatchObject({ release: [], objects: 3, fits: "yes", refDamage: [] });
    const { released, freedBytes } = performGc(kept, plan);
    // Removing a segment also frees the few bytes of its header.
    expect([released, freedBytes - plan.freedBytes]).toEqual([[], 8]);
    expect(kept.isThere(lost)).toBe(false);
    expect(kept.read(first.snapshot)).toEqual(tree(1));
    expect(kept.announced).toBe(1);
    expect(planGc(kept, ROOMY)).toMatchObject({ objects: 0, freedBytes: 0, segments: [] });
  });

  it("lets no checkpoint go, however old", () => {
    const kept = scene();
    const refs = [1, 2, 3, 4, 5].map((number) => kept.keep(tree(number), prompt(number), number));
    performGc(kept, planGc(kept, ROOMY));
    expect(refs.map(({ snapshot }) => kept.read(snapshot))).toEqual([1, 2, 3, 4, 5].map(tree));
    expect(kept.announced).toBe(0);
  });

  it("takes the snapshots of a session that was dropped, but not what others share with it", () => {
    const kept = scene();
    const mine = kept.keep(tree(1), prompt(1), 1);
    const other = kept.keep(tree(2), prompt(1, TWO), 2);
    kept.refs.dropSession(TWO);
    performGc(kept, planGc(kept, ROOMY));
    expect(kept.isThere(other.snapshot)).toBe(false);
    expect(kept.read(mine.snapshot)).toEqual(tree(1));
  });

  it("keeps what is in use without a reference", () => {
    const kept = scene();
    const folder = kept.folder({ "a.txt": "of a manifest" });
    const content = kept.contentOf("of a journal");
    kept.store.sync();
    const inUse = { folders: [folder], contents: [content] };
    expect(planGc(kept, { ...ROOMY, inUse })).toMatchObject({ objects: 0 });
    expect(planGc(kept, ROOMY)).toMatchObject({ objects: 3 });
  });

  it("keeps what a damaged line of references may have meant", () => {
    const kept = scene();
    const { snapshot } = kept.keep(tree(1), prompt(1), 1);
    const path = `${kept.places.refs}/${ONE}.jsonl`;
    const size = kept.disk.stat(path)?.size ?? 0;
    const file = kept.disk.open(path, "append");
    kept.disk.truncate(file, size - 5);
    kept.disk.close(file);
    const plan = planGc(kept, ROOMY);
    expect(plan).toMatchObject({
      objects: 0,
      refDamage: [{ session: ONE, lines: 1, snapshots: [snapshot] }],
    });
  });

  it("leaves a segment alone that is mostly in use, unless a snapshot in it goes", () => {
    const kept = scene();
    kept.keep({ "large.txt": text("large", 100), "b.txt": text("b", 100) }, prompt(1), 1);
    kept.contentOf("x");
    kept.store.sync();
    expect(planGc(kept, ROOMY)).toMatchObject({ objects: 0, segments: [] });
    expect(planGc(kept, { ...ROOMY, maxBytes: 1 })).toMatchObject({ objects: 1, fits: "no" });
    kept.store.put("snapshot", Buffer.from("of no use"));
    kept.store.sync();
    expect(planGc(kept, ROOMY)).toMatchObject({ objects: 1, fits: "yes" });
  });
});

describe("gc of a store over its limit", () => {
  it("lets the oldest go, no more than is needed, says so first, and frees what it said", () => {
    const kept = scene();
    const refs = [1, 2, 3, 4, 5].map((number) => kept.keep(tree(number), prompt(number), number));
    const before = kept.store.storedBytes();
    const plan = planGc(kept, { retention: RETENTION, maxBytes: before - 1_100 });
    expect(plan.release).toEqual([refs[0]]);
    expect(kept.refs.all()).toEqual(refs);
    performGc(kept, plan);
    expect(kept.refs.all()).toEqual(refs.slice(1));
    expect(kept.store.storedBytes()).toBeLessThanOrEqual(before - 1_100);
    expect(plan.release.some(({ snapshot }) => kept.isThere(snapshot))).toBe(false);
    expect(refs.slice(1).map(({ snapshot }) => kept.read(snapshot))).toEqual([2, 3, 4, 5].map(tree));
  });

  it("never lets go of what must be kept, and says when it does not fit", () => {
    const kept = scene();
    const refs = [1, 2, 3, 4].map((number) => kept.keep(tree(number), prompt(number), number));
    const plan = planGc(kept, { retention: RETENTION, maxBytes: 1 });
    expect(plan).toMatchObject({ release: refs.slice(0, 2), fits: "no" });
    performGc(kept, plan);
    expect(refs.slice(2).map(({ snapshot }) => kept.read(snapshot))).toEqual([3, 4].map(tree));
  });

  it("does not let go of a reference whose snapshot another one keeps: that would free nothing", () => {
    const kept = scene();
    const old = kept.keep(tree(1), prompt(1), 1);
    const others = [2, 3].map((number) => kept.keep(tree(number), prompt(number), number));
    const same = kept.keep(tree(1), prompt(1, TWO), 4);
    const plan = planGc(kept, { retention: RETENTION, maxBytes: 1 });
    expect(plan.release).toEqual([]);
    performGc(kept, plan);
    expect([old, ...others, same].map(({ snapshot }) => kept.read(snapshot))).toEqual([1, 2, 3, 1].map(tree));
  });

  it("counts what two old ones share as freed with the newer of them", () => {
    const kept = scene();
    const shared = { "both.txt": text("of both", 3_000) };
    const refs = [
      kept.keep({ ...shared, a: "1" }, prompt(1), 1),
      kept.keep({ ...shared, a: "2" }, prompt(2), 2),
      ...[3, 4].map((number) => kept.keep(tree(number), prompt(number), number)),
    ];
    const plan = planGc(kept, { retention: RETENTION, maxBytes: kept.store.storedBytes() - 2_000 });
    expect(plan).toMatchObject({ release: refs.slice(0, 2), fits: "yes" });
  });
});

describe("gc of a damaged store", () => {
  it("removes what is known to be of others, and names the checkpoint, when a snapshot cannot be read", () => {
    const kept = scene();
    const lost = kept.keep(tree(1), prompt(7), 1);
    const dropped = kept.put(tree(2));
    const snapshot = asObjectHash(lost.snapshot);
    for (const { id } of kept.store.segments()) kept.store.rewrite(id, (hash) => hash !== snapshot);
    const careful = planGc(kept, ROOMY);
    expect(careful).toMatchObject({
      release: [],
      damaged: [
        { snapshot: lost.snapshot, names: [`${ONE}:7`], why: expect.stringContaining(lost.snapshot) },
      ],
    });
    performGc(kept, careful);
    expect(kept.isThere(dropped)).toBe(false);
    expect(kept.store.has(hashObject("content", Buffer.from(text("own 1", 1_000))))).toBe(true);
    const plan = planGc(kept, { ...ROOMY, damaged: "release" });
    expect(plan.release).toEqual([lost]);
    performGc(kept, plan);
    expect([kept.refs.all(), kept.count()]).toEqual([[], 0]);
  });

  it("continues if only a content is missing", () => {
    const kept = scene();
    const { snapshot } = kept.keep(tree(1), prompt(1), 1);
    const content = kept.contentOf(text("own 1", 1_000));
    for (const { id } of kept.store.segments()) kept.store.rewrite(id, (hash) => hash !== content);
    kept.put(tree(2));
    performGc(kept, planGc(kept, ROOMY));
    expect(kept.isThere(snapshot)).toBe(true);
  });
});
