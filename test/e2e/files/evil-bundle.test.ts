import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSnapshotObjects } from "../../../src/open-files.ts";
import type { ExportedPart, SnapshotObject } from "../../../src/ports/snapshot-objects.ts";
import type { SessionId, SnapshotId } from "../../../src/record/ids.ts";
import { type Line, linesIn, packed, withSnapshot } from "../../support/raw-bundle.ts";
import { diamond, nested, rawContent, rawFolder, rawSnapshot } from "../../support/raw-objects.ts";
import { openScene, type Scene, scene } from "./scene.ts";

type Part = Exclude<ExportedPart, { readonly part: "snapshots" }>;

interface Evil {
  readonly root: string;
  readonly objects: readonly SnapshotObject[];
}

function folderOf(name: string, mode?: number): Evil {
  const content = rawContent("#!/bin/sh\n");
  const own = rawFolder([
    { kind: "file", name, hash: content.hash, ...(mode === undefined ? {} : { mode }) },
  ]);
  return { root: own.hash, objects: [content, own] };
}

/** Every file in a home with its size, to detect anything that an import wrote. */
function filesIn(home: string): readonly string[] {
  return readdirSync(home, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => `${name} ${statSync(join(home, name)).size}`);
}

describe("a bundle with files that no capture makes", () => {
  let own: Scene;
  let good: readonly Line[];
  beforeAll(async () => {
    own = openScene();
    own.sh("echo one > a.txt");
    await own.checkpoint();
    await own.json(["sessions", "export", "--format", "bundle", "--output", "good.bundle"]);
    good = linesIn(readFileSync(join(own.workspace, "good.bundle")));
  });
  afterAll(() => own.remove());

  it.each<[string, () => Evil, string]>([
    ["100,000 nested folders", () => nested(100_000), "a path longer than 4,095 bytes"],
    ["a folder twice in itself, 60 levels deep", () => diamond(60), "more than 5,000,000 paths"],
    ["another spelling of .git", () => folderOf(".GIT"), "some file systems treat as .git"],
    ["a setuid program", () => folderOf("run", 0o4755), "setuid"],
  ])("is refused as a whole, and nothing is written: %s", async (_what, make, words) => {
    const { home, workspace, worldline } = own;
    const evil = make();
    const bundle = packed(withSnapshot(good, rawSnapshot(evil.root, workspace), evil.objects));
    writeFileSync(join(workspace, "evil.bundle"), bundle);
    const before = filesIn(home);
    const said = await worldline(["sessions", "import", "evil.bundle"]);
    expect(said).toMatchObject({ code: 42, stdout: "", stderr: expect.stringContaining(words) });
    expect(said.stderr).toContain("Nothing was imported.");
    expect(filesIn(home)).toEqual(before);
  });
});

/** Imports snapshots the way an older version did, which checked less. */
async function poison({ home, workspace }: Scene, evils: readonly Evil[]): Promise<void> {
  const store = openSnapshotObjects({ home });
  const then = async (): Promise<void> => {};
  for (const [at, { root, objects }] of evils.entries()) {
    const snapshot = rawSnapshot(root, workspace);
    const keptFor = { session: `evvvvvvvv${at}` as SessionId, checkpoint: 1, on: "prompt" } as const;
    const id = snapshot.hash as string as SnapshotId;
    await store.bring({
      parts: partsOf([...objects, snapshot]),
      keep: [{ snapshot: id, keptFor, at: "2026-01-01T00:00:00.000Z" }],
      workspace,
      then,
    });
  }
  store.close();
}

async function* partsOf(objects: readonly SnapshotObject[]): AsyncGenerator<Part> {
  for (const object of objects) yield { part: "object", ...object };
}

describe("a store that an older version took such snapshots into", () => {
  it("is verified, measured, searched and collected, and all other files are restored", async () => {
    const own = scene();
    const { workspace, home, sh, json, worldline, checkpoint, rewind } = own;
    sh("echo 'the key is tulip-7' > a.txt; mkdir d; echo two > d/b.txt");
    await checkpoint();
    await poison(own, [nested(3_000), diamond(60)]);
    sh("echo changed > a.txt; rm -r d");
    await checkpoint();

    expect(await worldline(["store", "verify"])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/evvvvvvvv0:1.*\n.*more paths or longer paths.*\n.*evvvvvvvv1:1/u),
    });
    expect(await json(["store", "du"])).toMatchObject({ damaged: [] });
    expect(await json(["checkpoints", "--all"])).toMatchObject({
      checkpoints: [{ number: 2 }, { number: 1 }],
    });
    await rewind(1);
    expect(sh("cat a.txt d/b.txt")).toBe("the key is tulip-7\ntwo\n");
    expect(await json(["forget", "tulip-7", "--yes"])).toMatchObject({ files: { contents: 1, erased: 1 } });
    expect(await json(["store", "gc", "--yes"])).toMatchObject({ released: [], damaged: [] });
    // Once the references to these snapshots are gone, the store is sound again.
    for (const at of [0, 1]) rmSync(join(home, "snapshots", "refs", `evvvvvvvv${at}.jsonl`));
    await json(["store", "gc", "--yes"]);
    rmSync(join(workspace, "a.txt"));
    expect(await worldline(["store", "verify"])).toMatchObject({ code: 0 });
    await rewind(2);
    expect(sh("cat a.txt")).toBe("changed\n");
  });
});
