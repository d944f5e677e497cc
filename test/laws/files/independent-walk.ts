import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { PathState } from "../../../src/ports/workspace-files.ts";
import { folderOf, type PathBytes, pathIn } from "../../../src/record/files.ts";

/** A comparable description of the content at each path. */
export type Tree = ReadonlyMap<PathBytes, string>;

/** Lists everything below a folder without sharing any code with the product's walker. */
export function walk(root: string): Map<PathBytes, string> {
  const tree = new Map<PathBytes, string>();
  visit(root, "", tree);
  return tree;
}

function visit(root: string, path: PathBytes, tree: Map<PathBytes, string>): void {
  const place = bytesOf(path === "" ? root : `${root}/${path}`);
  const stat = lstatSync(place);
  const mode = (stat.mode & 0o7777).toString(8);
  if (stat.isDirectory()) {
    tree.set(path, `folder ${mode}`);
    for (const name of readdirSync(place, { encoding: "latin1" })) visit(root, pathIn(path, name), tree);
  } else if (stat.isSymbolicLink()) {
    tree.set(path, `link ${readlinkSync(place, { encoding: "latin1" })}`);
  } else if (stat.isFile()) {
    tree.set(path, `file ${mode} ${createHash("sha256").update(readFileSync(place)).digest("hex")}`);
  } else tree.set(path, "special");
}

export function bytesOf(path: PathBytes): Buffer {
  return Buffer.from(path, "latin1");
}

/** A snapshot, described the same way. */
export function told(list: readonly PathState[]): Map<PathBytes, string> {
  return new Map(list.map(({ path, state }) => [path, wordsFor(state)]));
}

function wordsFor(state: PathState["state"]): string {
  switch (state.kind) {
    case "folder":
      return `folder ${state.mode.toString(8)}`;
    case "link":
      return `link ${state.target}`;
    case "file":
      return `file ${state.mode.toString(8)} ${state.hash}`;
    case "left-out":
      return `left-out ${state.why}`;
    default:
      return state satisfies never;
  }
}

export function isLeftOut(words: string | undefined): boolean {
  return words?.startsWith("left-out") === true;
}

/** Whether one of these is the path itself or a folder above it. */
export function isAtOrBelow(path: PathBytes, tops: ReadonlySet<PathBytes>): boolean {
  for (let at = path; at !== ""; at = folderOf(at)) if (tops.has(at)) return true;
  return tops.has("");
}

/**
 * The tree as the snapshot should describe it: left-out paths appear as in the snapshot, and nothing below
 * them.
 */
export function asSeenBy(snapshot: Tree, tree: Tree): Map<PathBytes, string> {
  const leftOut = new Set([...snapshot].filter(([, words]) => isLeftOut(words)).map(([path]) => path));
  const seen = new Map<PathBytes, string>();
  for (const [path, words] of tree) {
    if (leftOut.has(path)) seen.set(path, snapshot.get(path) ?? words);
    else if (!isAtOrBelow(path, leftOut)) seen.set(path, words);
  }
  return seen;
}

/** The paths at which two trees differ. */
export function differences(one: Tree, other: Tree): PathBytes[] {
  const paths = new Set([...one.keys(), ...other.keys()]);
  return [...paths].filter((path) => one.get(path) !== other.get(path)).sort();
}
