import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { nodePath } from "../../../src/disk/held-folder.ts";
import { isWithin, type PathBytes, pathIn } from "../../../src/record/files.ts";
import { type CoverageLimits, DEFAULT_LIMITS } from "../../../src/snapshots/finding/coverage.ts";
import type { Findings } from "../../../src/snapshots/finding/findings.ts";
import { Walker, type WalkerOptions } from "../../../src/snapshots/finding/walker.ts";
import { realWorkspaceDisk } from "../../../src/snapshots/workspace/real-workspace-disk.ts";

/** A clock so far ahead that every timestamp is old enough to be trusted. */
const later = (): number => Date.now() + 60_000;

export function partsFor(
  root: string,
  more: Partial<WalkerOptions> & { limits?: Partial<CoverageLimits> } = {},
): WalkerOptions {
  const { limits, ...parts } = more;
  return {
    disk: realWorkspaceDisk,
    root,
    coverage: { limits: { ...DEFAULT_LIMITS, ...limits } },
    outsideRules: "",
    now: later,
    ...parts,
  };
}

/** A walker that has already scanned everything. */
export function walked(parts: WalkerOptions): Walker {
  const walker = new Walker(parts);
  walker.scan({ folders: "all" });
  return walker;
}

/** One sorted line for each finding. */
export function told({ found, gone }: Findings): string[] {
  return [
    ...found.map(({ path, kind, why }) => `${kind}${why === undefined ? "" : ` (${why})`} ${path}`),
    ...gone.map((path) => `gone ${path}`),
  ].sort();
}

/** Changes a workspace by byte paths. */
export class Tree {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  at(path: PathBytes): string | Buffer {
    return nodePath(`${this.root}/${path}`);
  }

  file(path: PathBytes, content: string | Buffer = "content"): this {
    const folder = path.lastIndexOf("/");
    if (folder > 0) this.folder(path.slice(0, folder));
    writeFileSync(this.at(path), content);
    return this;
  }

  files(folder: PathBytes, count: number): this {
    for (let number = 0; number < count; number++) this.file(`${folder}/file-${number}`);
    return this;
  }

  folder(path: PathBytes): this {
    mkdirSync(this.at(path), { recursive: true });
    return this;
  }

  link(path: PathBytes, target: string): this {
    symlinkSync(target, this.at(path));
    return this;
  }

  /** Creates a FIFO with mkfifo, because Node cannot create one. */
  pipe(path: PathBytes): this {
    execFileSync("/usr/bin/env", ["mkfifo", `${this.root}/${path}`]);
    return this;
  }

  remove(path: PathBytes): this {
    // rmSync does not accept byte paths.
    const stat = lstatSync(this.at(path));
    if (stat.isDirectory()) {
      for (const name of readdirSync(this.at(path), { encoding: "latin1" })) this.remove(pathIn(path, name));
    }
    rmSync(this.at(path) as string, { recursive: stat.isDirectory() });
    return this;
  }

  chmod(path: PathBytes, mode: number): this {
    chmodSync(this.at(path), mode);
    return this;
  }

  rename(from: PathBytes, to: PathBytes): this {
    renameSync(this.at(from), this.at(to));
    return this;
  }
}

export type Model = Map<PathBytes, string>;

/** Applies findings to a model of the workspace, reading the files as a capture would. */
export function apply(model: Model, { found, gone }: Findings, tree: Tree): void {
  for (const path of gone) forget(model, path);
  for (const { path, kind, why, mode } of found) {
    if (kind !== "folder") forget(model, path);
    model.set(path, kind === "left-out" ? `left-out ${why}` : described(tree, path, mode));
  }
}

function forget(model: Model, path: PathBytes): void {
  for (const each of [...model.keys()]) if (isWithin(each, path)) model.delete(each);
}

function described(tree: Tree, path: PathBytes, mode: number): string {
  const stat = lstatSync(tree.at(path));
  if (stat.isDirectory()) return `folder ${mode.toString(8)}`;
  if (stat.isSymbolicLink()) return `link ${readlinkSync(tree.at(path), { encoding: "latin1" })}`;
  return `file ${mode.toString(8)} ${readFileSync(tree.at(path), "latin1")}`;
}

/** Lists everything in the workspace by a walk that shares no code with the walker. */
export function everythingIn(tree: Tree, path: PathBytes = "", model: Model = new Map()): Model {
  const stat = lstatSync(tree.at(path));
  model.set(path, described(tree, path, stat.mode & 0o7777));
  if (!stat.isDirectory()) return model;
  for (const name of readdirSync(tree.at(path), { encoding: "latin1" })) {
    if (name === ".git") model.set(pathIn(path, name), "left-out git");
    else everythingIn(tree, pathIn(path, name), model);
  }
  return model;
}
