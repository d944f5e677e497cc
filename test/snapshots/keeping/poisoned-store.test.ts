import { beforeAll, describe, expect, it } from "vitest";
import type { SnapshotObject } from "../../../src/ports/snapshot-objects.ts";
import type { ObjectHash, SnapshotId } from "../../../src/record/ids.ts";
import { compareRoots, listUnder } from "../../../src/snapshots/comparing/compare.ts";
import { openSnapshotContext, type SnapshotContext } from "../../../src/snapshots/context.ts";
import { exportParts } from "../../../src/snapshots/exchange/export-objects.ts";
import { findSecrets } from "../../../src/snapshots/forgetting/find-secrets.ts";
import { ForgottenContents } from "../../../src/snapshots/keeping/forgotten.ts";
import { performGc, planGc } from "../../../src/snapshots/keeping/gc.ts";
import { measureUsage } from "../../../src/snapshots/keeping/usage.ts";
import { verifyStore } from "../../../src/snapshots/keeping/verify.ts";
import type { WorkspaceDisk } from "../../../src/snapshots/workspace/workspace-disk.ts";
import { ManualClock, SimulatedDisk, SimulatedProcesses } from "../../../src/testing/testing.ts";
import { diamond, nested, rawContent, rawFolder, rawSnapshot } from "../../support/raw-objects.ts";
import { minute, ONE, prompt, ROOMY, TWO, WORKSPACE } from "./kept-scene.ts";

interface Kept {
  readonly id: SnapshotId;
  readonly root: ObjectHash;
}

interface Poisoned {
  readonly deps: SnapshotContext;
  readonly good: Kept;
  readonly bad: Kept;
}

/**
 * A store filled by an older version: one snapshot of the user's own, and a forged one that no capture can
 * produce.
 */
function poisoned(evil: {
  readonly root: ObjectHash;
  readonly objects: readonly SnapshotObject[];
}): Poisoned {
  const deps = openSnapshotContext({
    home: "/home",
    disk: new SimulatedDisk(),
    clock: new ManualClock({ seed: 3 }),
    processes: new SimulatedProcesses().start(),
  });
  const content = rawContent("my key");
  const own = rawFolder([{ kind: "file", name: "key.txt", hash: content.hash }]);
  const keep = (root: ObjectHash, objects: readonly SnapshotObject[], session: typeof ONE): Kept => {
    const snapshot = rawSnapshot(root);
    for (const { kind, bytes } of [...objects, snapshot]) deps.objects.put(kind, bytes);
    deps.objects.sync();
    const id = snapshot.hash as string as SnapshotId;
    deps.refs.add([{ keptFor: prompt(1, session), snapshot: id, workspace: WORKSPACE, at: minute(1) }]);
    return { id, root };
  };
  return {
    deps,
    good: keep(own.hash, [content, own], ONE),
    bad: keep(evil.root, evil.objects, TWO),
  };
}

const noFiles = { stat: () => undefined } as Pick<WorkspaceDisk, "stat"> as WorkspaceDisk;
const holdingSecret = {
  what: "content",
  matches: () => true,
  inName: () => false,
  eraseFrom: (text: string) => text,
  inTorn: () => false,
} as const;

describe.each([
  ["5,000 nested folders", () => nested(5_000), "bytes"],
  ["a folder twice in itself, 60 levels deep", () => diamond(60), "paths"],
] as const)("a store with a snapshot of %s", (_what, make, excess) => {
  let scene: Poisoned;
  beforeAll(() => {
    scene = poisoned(make());
  });

  it("is verified: that snapshot is a problem, and the other is not", () => {
    const { deps, bad } = scene;
    const forgotten = new ForgottenContents(deps.disk, deps.places.root);
    const found = verifyStore({ store: deps.objects, refs: deps.refs, forgotten });
    expect(found.snapshots).toBe(2);
    expect(found.problems.map(({ snapshot, names }) => [snapshot, names])).toEqual([[bad.id, [`${TWO}:1`]]]);
    expect(found.problems[0]?.paths[0]?.what).toBe("beyond-limits");
  });

  it("is searched to forget: everything is found, and all places of the other snapshot are listed", () => {
    const { deps, bad } = scene;
    const found = findSecrets({ store: deps, disk: noFiles }, holdingSecret);
    expect(found.contents).toHaveLength(2);
    expect(found.snapshots).toBe(2);
    expect(found.places).toContain(`${WORKSPACE}/key.txt`);
    expect(found.unlisted).toEqual([bad.id]);
  });

  it("is searched for a path to forget: what any snapshot has below it", () => {
    const { deps } = scene;
    const found = findSecrets({ store: deps, disk: noFiles }, { what: "path", path: `${WORKSPACE}/key.txt` });
    expect(found.contents).toEqual([rawContent("my key").hash]);
    expect([...found.places]).toEqual([`${WORKSPACE}/key.txt`]);
    const below = { what: "path", path: `${WORKSPACE}/${excess === "paths" ? "a" : "d"}` } as const;
    expect(findSecrets({ store: deps, disk: noFiles }, below).contents).toEqual([rawContent("x").hash]);
  });

  it("is measured and collected, and nothing is lost", () => {
    const { deps, good, bad } = scene;
    expect(measureUsage(deps.objects, deps.refs).damaged).toEqual([]);
    deps.objects.put("content", Buffer.from("of nobody"));
    deps.objects.sync();
    const plan = planGc({ store: deps.objects, refs: deps.refs }, ROOMY);
    expect([plan.release, plan.damaged]).toEqual([[], []]);
    const nobodys = rawContent("of nobody").hash;
    expect([nobodys, good.root, bad.root].map(plan.isKept)).toEqual([false, true, true]);
  });

  it("exports the other snapshot, and this one as missing", () => {
    const { deps, good, bad } = scene;
    const [first, ...rest] = exportParts(deps, { snapshots: [good.id, bad.id], ignored: "leave-out" });
    expect(first).toEqual({ part: "snapshots", there: [good.id], missing: [bad.id] });
    expect(rest).toHaveLength(3);
  });

  it("refuses to compare or list it, and says why", () => {
    const { deps, good, bad } = scene;
    const [own, evil] = [good, bad].map(({ root }) => ({ kind: "folder", mode: 0o755, hash: root }) as const);
    const refusal = expect.objectContaining({
      code: "SNAPSHOT_DAMAGED",
      message: expect.stringContaining(excess),
    });
    expect(() => compareRoots(deps.folders, own, evil)).toThrow(refusal);
    expect(() => listUnder(deps.folders, evil as never, "")).toThrow(refusal);
    expect(listUnder(deps.folders, own as never, "").map(({ path }) => path)).toEqual(["", "key.txt"]);
  });
});

describe("a store with a snapshot of which a folder is lost", () => {
  const lost = rawFolder([]);
  const kept = rawContent("kept beside it");
  const orphan = rawContent("only what is lost could say whose");
  const root = rawFolder([
    { kind: "folder", name: "a-lost", hash: lost.hash },
    { kind: "folder", name: "b", hash: rawFolder([{ kind: "file", name: "f", hash: kept.hash }]).hash },
  ]);
  const objects = [root, rawFolder([{ kind: "file", name: "f", hash: kept.hash }]), kept, orphan];

  it("collects what is known to be of others, and nothing that may be its own", () => {
    const { deps, good, bad } = poisoned({ root: root.hash, objects });
    // The other session is deleted, so its snapshot is known but has no reference.
    deps.refs.dropSession(ONE);
    const plan = planGc({ store: deps.objects, refs: deps.refs }, ROOMY);
    expect(plan.damaged).toEqual([
      {
        snapshot: bad.id,
        names: [`${TWO}:1`],
        why: `The folder ${lost.hash} is not in the snapshot store.`,
        reason: "object-missing",
        params: { kind: "folder", hash: lost.hash },
      },
    ]);
    expect(plan.release).toEqual([]);
    performGc({ store: deps.objects, refs: deps.refs, announce: () => undefined }, plan);
    deps.objects.refresh();
    expect([good.root, rawContent("my key").hash].map((hash) => deps.objects.has(hash))).toEqual([
      false,
      false,
    ]);
    expect(objects.map(({ hash }) => deps.objects.has(hash))).toEqual([true, true, true, true]);
  });

  it("releases it, and its own objects, on request", () => {
    const { deps, good, bad } = poisoned({ root: root.hash, objects });
    const plan = planGc({ store: deps.objects, refs: deps.refs }, { ...ROOMY, damaged: "release" });
    expect([plan.release.map(({ snapshot }) => snapshot), plan.damaged]).toEqual([[bad.id], []]);
    performGc({ store: deps.objects, refs: deps.refs, announce: () => undefined }, plan);
    deps.objects.refresh();
    expect([good.root, orphan.hash].map((hash) => deps.objects.has(hash))).toEqual([true, false]);
  });
});
