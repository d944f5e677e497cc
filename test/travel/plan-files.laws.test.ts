import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Choice } from "../../src/record/entry.ts";
import { type FileState, folderOf, isSameState, isWithin, type PathBytes } from "../../src/record/files.ts";
import type { ObjectHash } from "../../src/record/ids.ts";
import { type FilesPlan, type FilesRequest, planFiles } from "../../src/travel/plan-files.ts";

/** A small tree with something at each of a few names; folders nest. */
type Tree = { readonly [name: string]: Tree | "file-1" | "file-2" | "link" | "left-out" };

const tree: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree; node: Tree[string] }>((tie) => ({
  tree: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("node"), { maxKeys: 3 }),
  node: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("file-1" as const, "file-2" as const, "link" as const, "left-out" as const),
    tie("tree"),
  ),
})).tree;

const folder: FileState = { kind: "folder", mode: 0o755, hash: "f" as ObjectHash };

function flat(root: Tree, under = ""): Map<PathBytes, FileState> {
  const states = new Map<PathBytes, FileState>();
  for (const [name, node] of Object.entries(root)) {
    const path = under === "" ? name : `${under}/${name}`;
    states.set(path, stateOf(node));
    if (typeof node === "object") for (const [each, state] of flat(node, path)) states.set(each, state);
  }
  return states;
}

function stateOf(node: Tree[string]): FileState {
  if (typeof node === "object") return folder;
  if (node === "link") return { kind: "link", target: "x" };
  if (node === "left-out") return { kind: "left-out", why: "ignored" };
  return { kind: "file", mode: 0o644, size: 1, hash: node as ObjectHash };
}

const story = fc
  .record({
    now: tree.map((root) => flat(root)),
    past: tree.map((root) => flat(root)),
    touched: fc.array(fc.nat(), { maxLength: 6 }),
    guarded: fc.array(fc.nat(), { maxLength: 3 }),
    choice: fc.constantFrom<Choice>("keep", "take", "merge"),
    only: fc.option(
      fc.array(fc.constantFrom("a", "b", "a/a", "a/b", "b/c", "c/a/b"), { minLength: 1, maxLength: 2 }),
      {
        nil: undefined,
      },
    ),
  })
  .map(({ now, past, touched, guarded, choice, only }) => {
    const paths = [...new Set([...now.keys(), ...past.keys()])].sort();
    const changes = paths
      .map((path) => ({ path, before: now.get(path), after: past.get(path) }))
      .filter(({ before, after }) => !isSameState(before, after));
    const picked = (at: number): PathBytes => changes[at % changes.length]?.path ?? "none";
    const edit = { before: undefined, after: undefined };
    const request: FilesRequest = {
      changes,
      outside: new Map(touched.map((at) => [picked(at), [edit]])),
      guarded: new Set(guarded.map(picked)),
      choice,
      ...(only === undefined ? {} : { only }),
    };
    return { now, request };
  });

/** The workspace after the plan was carried out. */
function made(now: ReadonlyMap<PathBytes, FileState>, { steps }: FilesPlan): Map<PathBytes, FileState> {
  const after = new Map(now);
  for (const step of steps) {
    if (step.after === undefined) after.delete(step.path);
    else after.set(step.path, step.after);
  }
  return after;
}

const touchedBy = ({ steps }: FilesPlan): ReadonlySet<PathBytes> => new Set(steps.map(({ path }) => path));

describe("planning what happens to files", () => {
  it("law: nothing that was not captured is touched, nor what lies below it", () => {
    fc.assert(
      fc.property(story, ({ request }) => {
        const hidden = request.changes.filter(
          ({ before, after }) => before?.kind === "left-out" || after?.kind === "left-out",
        );
        for (const path of touchedBy(planFiles(request))) {
          expect(hidden.some((each) => isWithin(path, each.path))).toBe(false);
        }
      }),
    );
  });

  it("law: with keep, no path that the outside changed is touched", () => {
    fc.assert(
      fc.property(story, ({ request }) => {
        const touched = touchedBy(planFiles({ ...request, choice: "keep" }));
        for (const path of request.outside.keys()) expect(touched.has(path)).toBe(false);
      }),
    );
  });

  it("law: with take, everything is as it was but what is guarded or was not captured, and their folders", () => {
    fc.assert(
      fc.property(story, ({ request }) => {
        const { only: _only, ...all } = request;
        const plan = planFiles({ ...all, choice: "take" });
        const allowed = ["not-captured", "never-captured", "ignored", "holds-kept", "needs-kept"];
        for (const { why } of plan.kept) expect(allowed).toContain(why);
        const isFree = plan.kept.every(({ why }) => why === "holds-kept" || why === "needs-kept");
        if (isFree) expect(plan.kept).toEqual([]);
      }),
    );
  });

  it("law: a guarded path is never deleted", () => {
    fc.assert(
      fc.property(story, ({ request }) => {
        for (const { path, after } of planFiles(request).steps) {
          expect(after === undefined && request.guarded.has(path)).toBe(false);
        }
      }),
    );
  });

  it("law: whatever is kept, everything is still in a folder", () => {
    fc.assert(
      fc.property(story, ({ now, request }) => {
        const after = made(now, planFiles(request));
        for (const path of after.keys()) {
          const above = folderOf(path);
          if (above !== "") expect(after.get(above)?.kind).toBe("folder");
        }
      }),
      { numRuns: 500 },
    );
  });

  it("law: every path that differs is done or kept, once", () => {
    fc.assert(
      fc.property(story, ({ request }) => {
        const plan = planFiles(request);
        const told = [...plan.steps, ...plan.kept].map(({ path }) => path).sort();
        expect(told).toEqual(plan.changes.map(({ path }) => path).sort());
      }),
    );
  });
});
