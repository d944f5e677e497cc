import { describe, expect, it } from "vitest";
import { type PathBytes, pathOfText } from "../../../src/record/files.ts";
import { ignoredIn } from "../../../src/snapshots/comparing/ignored-in.ts";
import type { FolderEdit } from "../../../src/snapshots/comparing/update-folders.ts";
import { FolderCache, type Snapshot } from "../../../src/snapshots/objects/tree-objects.ts";
import { fileOf } from "../arbitrary-states.ts";
import { MemoryObjects } from "../memory-objects.ts";
import { rootOf } from "./workspace-model.ts";

interface Workspace {
  readonly outside?: string;
  /** The contents of `.gitignore` files, by the folder they are in. */
  readonly rules: Record<PathBytes, string>;
  readonly files?: Record<PathBytes, FolderEdit>;
}

function ignored({ outside, rules, files = {} }: Workspace, paths: readonly PathBytes[]): PathBytes[] {
  const objects = new MemoryObjects();
  const edits = new Map<PathBytes, FolderEdit>(Object.entries(files));
  for (const [folder, text] of Object.entries(rules)) {
    const hash = objects.put("content", Buffer.from(text));
    edits.set(folder === "" ? ".gitignore" : `${folder}/.gitignore`, { ...fileOf(text), hash });
  }
  const snapshot: Snapshot = {
    root: rootOf(objects, edits),
    workspace: "/w",
    outsideRules: outside === undefined ? undefined : objects.put("content", Buffer.from(outside)),
  };
  return [...ignoredIn(new FolderCache(objects), snapshot, paths)];
}

describe("what is ignored in a snapshot", () => {
  it("is what the rules say that it holds, each for its own folder", () => {
    const workspace = { rules: { "": "*.log\n", a: "/local\n!kept.log\n" } };
    expect(
      ignored(workspace, ["x.log", "a/x.log", "a/kept.log", "kept.log", "a/local", "local", "a/b/local", ""]),
    ).toEqual(["x.log", "a/x.log", "kept.log", "a/local"]);
  });

  it("is also what rules outside of the workspace say, unless its own say otherwise", () => {
    const workspace = { outside: "*.swp\n*.bak\n", rules: { "": "!*.bak\n" } };
    expect(ignored(workspace, ["a.swp", "a/b.swp", "a.bak"])).toEqual(["a.swp", "a/b.swp"]);
  });

  it("is everything below an ignored folder, whatever the folder's own rules say", () => {
    const workspace = { rules: { "": "build/\n", build: "!*\n" } };
    expect(ignored(workspace, ["build", "build/a", "build/b/c", "src/build"])).toEqual([
      "build",
      "build/a",
      "build/b/c",
    ]);
  });

  it("is what was left out for being ignored, with everything below", () => {
    const files: Record<PathBytes, FolderEdit> = { node_modules: { kind: "left-out", why: "ignored" } };
    expect(ignored({ rules: { "": "node_modules/\n" }, files }, ["node_modules", "node_modules/a"])).toEqual([
      "node_modules",
      "node_modules/a",
    ]);
  });

  it("is not decided by a link that is called .gitignore", () => {
    const files: Record<PathBytes, FolderEdit> = { ".gitignore": { kind: "link", target: "/etc/rules" } };
    expect(ignored({ rules: {}, files }, ["a"])).toEqual([]);
  });

  it("has names as bytes, and rules as text", () => {
    const path = pathOfText("é.txt");
    expect(ignored({ rules: { "": "é.*\n" } }, [path, "e.txt"])).toEqual([path]);
  });

  it("is nothing if there are no rules", () => {
    expect(ignored({ rules: {} }, ["a", "a/b", ".env"])).toEqual([]);
  });
});
