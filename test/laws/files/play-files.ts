import { existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect } from "vitest";
import type { Captured, CaptureRequest, PathOutcome } from "../../../src/ports/workspace-files.ts";
import { isWithin, type PathBytes, shownPath } from "../../../src/record/files.ts";
import type { SnapshotId } from "../../../src/record/ids.ts";
import { snapshotPlaces, workspacePlaces } from "../../../src/snapshots/context.ts";
import type { StoredWorkspaceFiles } from "../../../src/snapshots/workspace-files.ts";
import { type Damage, inflict, LOW_LIMITS } from "./damage.ts";
import { FilesWorld, restoreOf } from "./files-world.ts";
import {
  asSeenBy,
  bytesOf,
  differences,
  isAtOrBelow,
  isLeftOut,
  type Tree,
  told,
  walk,
} from "./independent-walk.ts";
import { MeddlingDisk } from "./meddling-disk.ts";

/** What happens to the capturing process before the capture. */
export type Before = "nothing" | "restart" | "lost-manifest" | "damaged-manifest";

export interface Round {
  readonly damages: readonly Damage[];
  /** "known": the caller names the changed paths, correctly. */
  readonly look: "everything" | "known";
  readonly before: Before;
  /** Changes by other programs during the capture, after this many looks. */
  readonly during?: { readonly looks: number; readonly damages: readonly Damage[] } | undefined;
}

interface Moment {
  readonly snapshot: SnapshotId;
  readonly tree: Tree;
  readonly told: Tree;
}

/** Plays changes to a workspace and compares each snapshot with an independent walk. */
export class FilesPlay {
  readonly world: FilesWorld;
  readonly moments: Moment[] = [];
  readonly #disk = new MeddlingDisk();
  #files: StoredWorkspaceFiles;
  /** The tree at the last capture; undefined if it is not known exactly. */
  #known: Tree | undefined;

  constructor(folder: string) {
    this.world = new FilesWorld(folder, { workspaceDisk: this.#disk, limits: LOW_LIMITS });
    this.#files = this.world.open();
  }

  async play({ damages, look, before, during }: Round): Promise<void> {
    for (const each of damages) inflict(this.world.workspace, each);
    await this.#before(before);
    if (during !== undefined) await this.#disturbed(look, during);
    else this.moments.push(await this.#exact(look));
  }

  /** Restores an earlier moment and compares every path. */
  async restore(pick: number, before: Before): Promise<void> {
    await this.#before(before);
    const target = this.moments[pick % this.moments.length];
    if (target === undefined) return;
    const present = await this.#exact("everything");
    const uncovered = new Set([...leftOutIn(present.told), ...leftOutIn(target.told)]);
    const steps = (await this.#files.compare(present.snapshot, target.snapshot)).filter(
      ({ path }) => !isAtOrBelow(path, uncovered),
    );
    const outcomes = await this.#files.restore(restoreOf(steps, present.snapshot));
    expect(await this.#files.unfinished()).toEqual([]);
    this.#known = undefined;
    const tree = walk(this.world.workspace);
    const expected = new Map(present.tree);
    for (const { path } of outcomes.filter(({ outcome }) => outcome === "restored")) {
      const words = target.tree.get(path);
      if (words === undefined) expected.delete(path);
      else expected.set(path, words);
    }
    expect(shown(differences(expected, tree))).toEqual([]);
    expect(outcomes.filter((each) => !isExcused(each, uncovered))).toEqual([]);
  }

  async end(): Promise<void> {
    await this.#files.close();
    const upkeep = this.world.upkeep();
    expect(await upkeep.verify()).toMatchObject({ damage: [], problems: [], refDamage: [] });
    upkeep.close();
  }

  async #disturbed(look: Round["look"], { looks, damages }: NonNullable<Round["during"]>): Promise<void> {
    this.#disk.after(looks, () => {
      for (const each of damages) inflict(this.world.workspace, each);
    });
    await this.#capture(look);
    this.#disk.after(0, () => undefined);
    // It is unknown how much of the changes that capture saw; the next one sees all of them.
    this.#known = undefined;
    this.moments.push(await this.#exact("everything"));
  }

  async #exact(look: Round["look"]): Promise<Moment> {
    const tree = walk(this.world.workspace);
    const { snapshot, state, gaps } = await this.#capture(look);
    const seen = told(await this.#files.list(snapshot));
    expect(shown(differences(asSeenBy(seen, tree), seen)), "the snapshot is what is there").toEqual([]);
    expect({ state, gaps }).toEqual({ state: "complete", gaps: [] });
    for (const [path, words] of seen) if (isLeftOut(words)) this.#expectHonest(path, words, tree);
    expect((await this.#capture("everything")).snapshot, "nothing changed").toBe(snapshot);
    this.#known = tree;
    return { snapshot, tree, told: seen };
  }

  async #capture(look: Round["look"]): Promise<Captured> {
    const known = this.#known;
    const paths: CaptureRequest["look"] =
      look === "known" && known !== undefined ? differences(known, walk(this.world.workspace)) : "everything";
    return this.#files.capture({ look: paths });
  }

  /** Checks that every left-out path was left out for a valid reason. */
  #expectHonest(path: PathBytes, words: string, tree: Tree): void {
    const place = bytesOf(`${this.world.workspace}/${path}`);
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (words === "left-out git") expect(name).toBe(".git");
    else if (words === "left-out special") expect(tree.get(path)).toBe("special");
    else if (words === "left-out too-large") {
      expect(lstatSync(place).size).toBeGreaterThan(LOW_LIMITS.maxFileBytes);
    } else {
      expect(words).toBe("left-out ignored");
      if (name !== "node_modules") expect(this.#sizeBelow(path, tree)).toBe("large");
    }
  }

  #sizeBelow(folder: PathBytes, tree: Tree): "large" | "small" {
    const files = [...tree].filter(([path, words]) => isWithin(path, folder) && !words.startsWith("folder"));
    const bytes = files
      .filter(([, words]) => words.startsWith("file"))
      .reduce((sum, [path]) => sum + lstatSync(bytesOf(`${this.world.workspace}/${path}`)).size, 0);
    const isLarge = files.length > LOW_LIMITS.maxIgnoredFiles || bytes > LOW_LIMITS.maxIgnoredBytes;
    return isLarge ? "large" : "small";
  }

  async #before(before: Before): Promise<void> {
    if (before === "nothing") return;
    await this.#files.close();
    this.#files = this.world.open();
    // A new process cannot rely on "known" paths, since these refer to a capture by the same process.
    this.#known = undefined;
    const { manifest } = workspacePlaces(snapshotPlaces(this.world.home), this.world.workspace);
    if (before === "restart" || !existsSync(manifest)) return;
    if (before === "lost-manifest") rmSync(manifest);
    else {
      const bytes = readFileSync(manifest);
      const at = Math.floor(bytes.length / 2);
      bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      writeFileSync(manifest, bytes);
    }
  }
}

/**
 * A folder may be kept if it contains something that was never captured. Nothing else may be kept, and
 * nothing may fail.
 */
function isExcused({ path, outcome }: PathOutcome, uncovered: ReadonlySet<PathBytes>): boolean {
  return (
    outcome === "restored" || (outcome === "kept" && [...uncovered].some((each) => isWithin(each, path)))
  );
}

function leftOutIn(tree: Tree): PathBytes[] {
  return [...tree].filter(([, words]) => isLeftOut(words)).map(([path]) => path);
}

function shown(paths: readonly PathBytes[]): string[] {
  return paths.map(shownPath);
}
