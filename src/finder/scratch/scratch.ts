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

/** How long a file must have stood before a test may write to it: a change in the same tick of the clock looks like none. */
const SETTLED_MS = 20;

const READ_AT_ONCE = 100;

const nothing: Overlay = new Map();

/**
 * A copy of the workspace as it was, somewhere else. It is written once and then changed by what differs from one state to
 * the next; whatever a test leaves in it is removed before that.
 */
export class Scratch {
  /** Where the copy is. */
  readonly folder: string;
  /** What is linked to the workspace's own, because it is not captured. */
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

  /** `present` says what is there now and is not captured: large ignored folders, and files over the limit. */
  static async open(files: WorkspaceFiles, present: SnapshotId): Promise<Scratch> {
    const linked = (await files.list(present)).flatMap(({ path, state }) => (isLinked(state) ? [path] : []));
    await removeLeftovers();
    return new Scratch(files, linked);
  }

  /** Makes the copy what the snapshot holds, but for the overlay. Stops while it reads, with CANCELLED. */
  async goTo(snapshot: SnapshotId, overlay: Overlay = nothing, signal?: AbortSignal): Promise<void> {
    // Should anything fail half way, the next one begins with all that was touched.
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

  /** Resolves when the copy may be worked in. */
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
      // Reading is synchronous below: without a pause no signal of this process would ever be heard.
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

/** How a path is to be in a scratch copy: as a snapshot has it, with other bytes, or not there at all. */
export type Wanted = FileState | WrittenFile | undefined;

/** A file that no snapshot holds. */
export interface WrittenFile {
  readonly kind: "written";
  readonly mode: number;
  readonly bytes: Uint8Array;
}

/** What is otherwise than in a snapshot. */
export type Overlay = ReadonlyMap<PathBytes, Wanted>;
