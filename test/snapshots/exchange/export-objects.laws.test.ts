import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ExportedPart } from "../../../src/ports/snapshot-objects.ts";
import type { PathBytes } from "../../../src/record/files.ts";
import type { ObjectHash, SnapshotId } from "../../../src/record/ids.ts";
import { listUnder } from "../../../src/snapshots/comparing/compare.ts";
import { ignoredIn } from "../../../src/snapshots/comparing/ignored-in.ts";
import type { FolderEdit } from "../../../src/snapshots/comparing/update-folders.ts";
import type { SnapshotContext } from "../../../src/snapshots/context.ts";
import { CheckingObjects } from "../../../src/snapshots/exchange/check-objects.ts";
import { exportParts } from "../../../src/snapshots/exchange/export-objects.ts";
import { FolderCache, readSnapshot, writeSnapshot } from "../../../src/snapshots/objects/tree-objects.ts";
import { rootOf } from "../comparing/workspace-model.ts";
import { MemoryObjects } from "../memory-objects.ts";

interface Model {
  readonly files: readonly { readonly path: PathBytes; readonly text: string }[];
  readonly rules: readonly { readonly folder: PathBytes; readonly text: string }[];
  readonly outside: string | undefined;
}

const anyFolder = fc.array(fc.constantFrom("x", "y"), { maxLength: 3 }).map((names) => names.join("/"));
const anyRules = fc
  .array(fc.constantFrom("a", "b", "x/", "/x", "y/a", "!a", "!x/", "*", ".gitignore", "**/y", "/y/x/"), {
    maxLength: 3,
  })
  .map((lines) => lines.join("\n"));
const anyModel: fc.Arbitrary<Model> = fc.record({
  files: fc.array(
    fc.record({
      path: fc
        .tuple(anyFolder, fc.constantFrom("a", "b"))
        .map(([folder, name]) => (folder === "" ? name : `${folder}/${name}`)),
      text: fc.constantFrom("one", "two", "three", "four", "a"),
    }),
    { maxLength: 8 },
  ),
  rules: fc.array(fc.record({ folder: anyFolder, text: anyRules }), { maxLength: 3 }),
  outside: fc.option(anyRules, { nil: undefined }),
});

function snapshotOf(objects: MemoryObjects, { files, rules, outside }: Model): SnapshotId {
  const all = [
    ...files,
    ...rules.map(({ folder, text }) => ({
      path: folder === "" ? ".gitignore" : `${folder}/.gitignore`,
      text,
    })),
  ];
  const edits = new Map<PathBytes, FolderEdit>(
    all.map(({ path, text }) => {
      const hash = objects.put("content", Buffer.from(text));
      return [path, { kind: "file", mode: 0o644, size: text.length, hash }];
    }),
  );
  const outsideRules = outside === undefined ? undefined : objects.put("content", Buffer.from(outside));
  return writeSnapshot(objects, { root: rootOf(objects, edits), workspace: "/w", outsideRules });
}

function scene(models: readonly Model[]) {
  const objects = new MemoryObjects();
  const snapshots = [...new Set(models.map((model) => snapshotOf(objects, model)))];
  const folders = new FolderCache(objects);
  const deps = { objects, folders } as unknown as SnapshotContext;
  const parts = (ignored: "leave-out" | "include"): ExportedPart[] => [
    ...exportParts(deps, { snapshots, ignored }),
  ];
  return { objects, folders, snapshots, parts };
}

/** A slow reference that looks at every path of every snapshot. */
function unignored({ objects, folders, snapshots }: ReturnType<typeof scene>): Set<ObjectHash> {
  const found = new Set<ObjectHash>();
  for (const id of snapshots) {
    const snapshot = readSnapshot(objects, id);
    if (snapshot.outsideRules !== undefined) found.add(snapshot.outsideRules);
    const states = listUnder(folders, snapshot.root, "");
    const ignored = ignoredIn(
      folders,
      snapshot,
      states.map(({ path }) => path),
    );
    for (const { path, state } of states)
      if (state.kind === "file" && !ignored.has(path)) found.add(state.hash);
  }
  return found;
}

const contentsIn = (parts: readonly ExportedPart[]): ObjectHash[] =>
  parts.flatMap((part) => (part.part === "object" && part.kind === "content" ? [part.hash] : []));

describe("taking snapshots along", () => {
  it("law: leaves out exactly what is ignored at every path of every snapshot, and names it", () => {
    fc.assert(
      fc.property(fc.array(anyModel, { minLength: 1, maxLength: 3 }), (models) => {
        const told = scene(models);
        const some = told.parts("leave-out");
        const all = contentsIn(told.parts("include"));
        const wanted = unignored(told);
        expect(contentsIn(some).sort()).toEqual([...wanted].sort());
        const absent = some.flatMap((part) => (part.part === "absent" ? [part.hash] : []));
        expect(absent.sort()).toEqual(all.filter((hash) => !wanted.has(hash)).sort());
      }),
    );
  });

  it("law: gives each object once, and nothing that the check on the other side refuses", () => {
    fc.assert(
      fc.property(
        fc.array(anyModel, { minLength: 1, maxLength: 3 }),
        fc.constantFrom("leave-out", "include"),
        (models, ignored) => {
          const { parts, snapshots } = scene(models);
          const check = new CheckingObjects();
          const faults = parts(ignored).map((part) => {
            if (part.part === "snapshots") return undefined;
            return part.part === "object" ? check.object(part) : check.absent(part.hash);
          });
          expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
          expect(check.finish(snapshots)).toBeUndefined();
        },
      ),
    );
  });
});
