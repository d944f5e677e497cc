import { createHash } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { nodePath } from "../../../src/disk/held-folder.ts";
import type { PathOutcome, RestoreRequest, RestoreStep } from "../../../src/ports/workspace-files.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import type { FileState, PathBytes } from "../../../src/record/files.ts";
import type { ObjectHash, SessionId, SnapshotId } from "../../../src/record/ids.ts";
import {
  performRestore,
  type RestoreContext,
  RestoreJournal,
} from "../../../src/snapshots/restoring/restore.ts";
import { realWorkspaceDisk } from "../../../src/snapshots/workspace/real-workspace-disk.ts";
import type { WorkspaceDisk } from "../../../src/snapshots/workspace/workspace-disk.ts";
import { SimulatedDisk, systemError } from "../../../src/testing/disk/simulated-disk.ts";
import { ManualClock } from "../../../src/testing/simulated-system.ts";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";

/** A tree as tests describe it, written and read without the code under test: the node at each path. */
export type Tree = Readonly<Record<PathBytes, Node>>;
export type Node =
  | { readonly kind: "file"; readonly bytes: string; readonly mode: number }
  | { readonly kind: "folder"; readonly mode: number }
  | { readonly kind: "link"; readonly target: PathBytes };

export const file = (bytes: string, mode = 0o644): Node => ({ kind: "file", bytes, mode });
export const folder = (mode = 0o755): Node => ({ kind: "folder", mode });
export const link = (target: PathBytes): Node => ({ kind: "link", target });

/** The real file system without syncing: these tests cut no power, and run hundreds of restores. */
export const unsyncedDisk: WorkspaceDisk = {
  ...realWorkspaceDisk,
  writeNew: (path, bytes, mode) => {
    writeFileSync(nodePath(path), bytes, { flag: "wx", mode: 0o600 });
    chmodSync(nodePath(path), mode);
  },
  sync: async (paths) => {
    const gone = paths.filter((path) => lstatSync(nodePath(path), { throwIfNoEntry: false }) === undefined);
    return new Map(gone.map((path) => [path, systemError("ENOENT", "nothing to sync")]));
  },
};

export const JOURNAL = "/journal";
const session = "abcdefghjk" as SessionId;
export const journey = { from: "an entry", left: "5".repeat(64) as SnapshotId };

/** A workspace, the contents captured from it, and everything needed to restore it. */
export class Scene {
  readonly root: PathBytes;
  readonly outside: string;
  readonly journal: RestoreJournal;
  readonly journalDisk = new SimulatedDisk();
  readonly clock = new ManualClock();
  readonly contents = new Map<string, Buffer>();

  constructor(place: string) {
    this.root = join(place, "work");
    this.outside = join(place, "outside");
    this.journal = new RestoreJournal(this.journalDisk, JOURNAL);
    for (const path of [this.root, this.outside]) mkdirSync(path);
    chmodSync(this.root, 0o755);
  }

  /** The names in the journal's folder. */
  journalFiles(): string[] {
    return this.journalDisk.list(JOURNAL);
  }

  deps(changes: Partial<RestoreContext> = {}): RestoreContext {
    const { root, journal, clock } = this;
    const content = (hash: string): Buffer => {
      const bytes = this.contents.get(hash);
      if (bytes === undefined) throw new WorldlineError("object-missing", { kind: "content", hash });
      return bytes;
    };
    return { root, journal, clock, content, workspaceDisk: unsyncedDisk, ...changes };
  }

  request(steps: readonly RestoreStep[], changes: Partial<RestoreRequest> = {}): RestoreRequest {
    return { session, journey, steps, commit: async () => {}, ...changes };
  }

  /** The steps that lead from one tree to the other, with all contents in the store. */
  steps(before: Tree, after: Tree): RestoreStep[] {
    const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    for (const node of [...Object.values(before), ...Object.values(after)]) {
      if (node.kind === "file") this.contents.set(hashOf(node.bytes), Buffer.from(node.bytes, "latin1"));
    }
    return paths
      .filter((path) => JSON.stringify(before[path]) !== JSON.stringify(after[path]))
      .map((path) => ({ path, before: stateOf(before[path]), after: stateOf(after[path]) }));
  }

  /** Plants one tree and restores it to the other. */
  async restore(before: Tree, after: Tree, changes: Partial<RestoreContext> = {}): Promise<PathOutcome[]> {
    this.plant(before);
    return performRestore(this.deps(changes), this.request(this.steps(before, after)));
  }

  plant(tree: Tree): void {
    const paths = Object.keys(tree).sort();
    for (const path of paths) {
      const node = tree[path];
      if (node?.kind === "folder") mkdirSync(this.#bytes(path));
      if (node?.kind === "link") symlinkSync(Buffer.from(node.target, "latin1"), this.#bytes(path));
      if (node?.kind === "file") writeFileSync(this.#bytes(path), Buffer.from(node.bytes, "latin1"));
    }
    for (const path of paths.reverse()) {
      const node = tree[path];
      if (node !== undefined && node.kind !== "link") chmodSync(this.#bytes(path), node.mode);
    }
  }

  /** The current content of the workspace. */
  tree(): Tree {
    return Object.fromEntries(this.#list("").sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Makes everything removable again for the user who runs the tests. */
  unlock(path: PathBytes = ""): void {
    chmodSync(this.#bytes(path), 0o755);
    for (const name of readdirSync(this.#bytes(path), { encoding: "latin1" })) {
      const below = path === "" ? name : `${path}/${name}`;
      if (lstatSync(this.#bytes(below)).isDirectory()) this.unlock(below);
    }
  }

  #list(path: PathBytes): [PathBytes, Node][] {
    return readdirSync(this.#bytes(path), { encoding: "latin1" }).flatMap((name) => {
      const below = path === "" ? name : `${path}/${name}`;
      const bytes = this.#bytes(below);
      const stat = lstatSync(bytes);
      const mode = stat.mode & 0o7777;
      if (stat.isSymbolicLink()) return [[below, link(readlinkSync(bytes, "latin1"))] as [PathBytes, Node]];
      return whileOpen(bytes, mode, (): [PathBytes, Node][] =>
        stat.isDirectory()
          ? [[below, folder(mode)], ...this.#list(below)]
          : [[below, file(readFileSync(bytes, "latin1"), mode)]],
      );
    });
  }

  #bytes(path: PathBytes): Buffer {
    return Buffer.from(path === "" ? this.root : `${this.root}/${path}`, "latin1");
  }
}

/** Opens up a path that its owner may not read while `look` runs; root needs no such help. */
function whileOpen<Result>(place: Buffer, mode: number, look: () => Result): Result {
  if ((mode & 0o500) === 0o500 || process.getuid?.() === 0) return look();
  chmodSync(place, mode | 0o700);
  try {
    return look();
  } finally {
    chmodSync(place, mode);
  }
}

export async function inScene(work: (scene: Scene) => Promise<void>): Promise<void> {
  await inTempFolder(async (place) => {
    const scene = new Scene(place);
    try {
      await work(scene);
    } finally {
      scene.unlock();
    }
  });
}

export function stateOf(node: Node | undefined): FileState | undefined {
  if (node?.kind === "folder") return { ...node, hash: "0".repeat(64) as ObjectHash };
  if (node?.kind !== "file") return node;
  const { bytes, mode } = node;
  return { kind: "file", mode, size: bytes.length, hash: hashOf(bytes) };
}

/** Sorts a tree in the order of `Scene.tree`. */
export function sorted(tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function restoredAll(steps: readonly RestoreStep[]): PathOutcome[] {
  return steps.map(({ path }) => ({ path, outcome: "restored" }));
}

function hashOf(bytes: string): ObjectHash {
  return createHash("sha256").update(Buffer.from(bytes, "latin1")).digest("hex") as ObjectHash;
}
