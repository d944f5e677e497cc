import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { removeTree } from "../../disk/remove-tree.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { type FileState, type PathBytes, pathIn, pathOfText } from "../../record/files.ts";
import type { SnapshotId } from "../../record/ids.ts";
import { cancelled } from "../trials.ts";
import { makeTemporaryFolder, removeLeftovers } from "./temporary-folder.ts";
import { type Placed, ScratchTree } from "./tree.ts";

/** How old a file must be before a test may write to it. A change within the same clock tick would not be noticed. */
const SETTLED_MS = 20;

const READ_AT_ONCE = 100;

const nothing: Overlay = new Map();

/**
 * A copy of the workspace in another folder. The copy is written once. After that, going to another state removes what
 * a test left in the copy, and changes only the paths that differ.
 */
export class Scratch {
  /** The folder that contains the copy. */
  readonly folder: string;
  /** Paths that are not captured, and are therefore links to the workspace's own files. */
  readonly linked: readonly PathBytes[];
  readonly #root: string;
  readonly #files: WorkspaceFiles;
  readonly #tree: ScratchTree;
  #at: SnapshotId | undefined;
  #overlay: Overlay = nothing;
  #dirty: readonly PathBytes[] = [];
  #writtenAt = 0;

  private constructor(files: WorkspaceFiles, linked: readonly PathBytes[]) {
    this.#root = makeTemporaryFolder();
    this.folder = join(this.#root, "copy");
    mkdirSync(this.folder, { mode: 0o700 });
    this.#files = files;
    this.#tree = new ScratchTree(this.folder);
    this.linked = linked;
  }

  /**
   * Opens a copy. `present` lists the paths that exist now but are not captured: large ignored folders, and files over
   * the limit.
   */
  static async open(files: WorkspaceFiles, present: SnapshotId): Promise<Scratch> {
    const linked = (await files.list(present)).flatMap(({ path, state }) => (isLinked(state) ? [path] : []));
    await removeLeftovers();
    return new Scratch(files, linked);
  }

  /**
   * Makes the copy match the snapshot with the overlay applied. The work can be cancelled while files are being read.
   * In that case, it throws CANCELLED.
   */
  async goTo(snapshot: SnapshotId, overlay: Overlay = nothing, signal?: AbortSignal): Promise<void> {
    // If this fails halfway, the next call begins with all paths that were touched.
    this.#dirty = [...this.#dirty, ...this.#tree.sweep(), ...this.#overlay.keys()];
    const wanted = new Map<PathBytes, Wanted>();
    for (const path of this.#dirty) {
      wanted.set(path, await this.#files.stateAt(snapshot, path));
    }
    for (const { path, state } of await this.#differing(snapshot)) wanted.set(path, state);
    for (const [path, state] of overlay) wanted.set(path, state);
    this.#dirty = [...wanted.keys()];
    this.#at = snapshot;
    this.#overlay = overlay;
    this.#tree.link(new Map());
    this.#tree.change(await this.#contentsOf(wanted, signal));
    this.#tree.link(this.#targets());
    this.#dirty = [];
    this.#writtenAt = Date.now();
  }

  /** Resolves when a test may run in the copy. */
  async settled(): Promise<void> {
    await setTimeout(Math.max(0, this.#writtenAt + SETTLED_MS - Date.now()));
  }

  remove(): void {
    removeTree(pathOfText(this.#root));
  }

  async #differing(
    snapshot: SnapshotId,
  ): Promise<readonly { readonly path: PathBytes; readonly state: Wanted }[]> {
    if (this.#at === undefined) return this.#files.list(snapshot);
    if (this.#at === snapshot) return [];
    return (await this.#files.compare(this.#at, snapshot)).map(({ path, after }) => ({ path, state: after }));
  }

  async #contentsOf(
    wanted: ReadonlyMap<PathBytes, Wanted>,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<PathBytes, Placed | undefined>> {
    const placed = new Map<PathBytes, Placed | undefined>();
    for (const [path, state] of wanted) {
      if (path === "") continue;
      // The reads below are synchronous. Without a pause, this process would not receive signals.
      if (placed.size % READ_AT_ONCE === 0) await setImmediate();
      if (signal?.aborted === true) throw cancelled();
      placed.set(path, await this.#placedOf(state));
    }
    return placed;
  }

  async #placedOf(state: Wanted): Promise<Placed | undefined> {
    switch (state?.kind) {
      case "file":
        return { kind: "file", mode: state.mode, bytes: await this.#files.content(state.hash) };
      case "written":
        return { kind: "file", mode: state.mode, bytes: state.bytes };
      case "left-out":
        return undefined;
      default:
        return state;
    }
  }

  #targets(): ReadonlyMap<PathBytes, PathBytes> {
    const workspace = pathOfText(this.#files.folder);
    return new Map(this.linked.map((path) => [path, pathIn(workspace, path)]));
  }
}

function isLinked(state: FileState): boolean {
  return state.kind === "left-out" && (state.why === "ignored" || state.why === "too-large");
}

/** The desired state of a path in a scratch copy: from a snapshot, with other bytes, or absent. */
export type Wanted = FileState | WrittenFile | undefined;

/** A file that is not in any snapshot. */
export interface WrittenFile {
  readonly kind: "written";
  readonly mode: number;
  readonly bytes: Uint8Array;
}

/** The paths that differ from a snapshot. */
export type Overlay = ReadonlyMap<PathBytes, Wanted>;
