import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { PathBytes } from "../../record/files.ts";
import type { SnapshotId } from "../../record/ids.ts";
import type { Change, Effect } from "../finding.ts";
import type { Trials } from "../trials.ts";
import { ddmin, type Minimised, type Outcome } from "./ddmin.ts";
import { takeBack } from "./take-back.ts";
import { byPath, overlayOf, type Unit, unitsOf } from "./units.ts";

/**
 * Maximum number of tries. If the limit is reached, the result still makes the test fail, but it may be larger than
 * necessary.
 */
const MAX_TRIES = 400;

export interface NarrowOptions {
  readonly files: WorkspaceFiles;
  readonly trials: Trials;
  readonly green: SnapshotId;
  readonly red: SnapshotId;
  readonly present: SnapshotId;
  readonly onTry: (of: number) => void;
}

/**
 * The result of narrowing down a difference. "flaky" means that the test contradicted itself. Undefined if nothing in
 * the difference can be applied.
 */
export type Narrowed = Change | "flaky" | undefined;

/**
 * Finds the smallest part of the difference between two states that makes the test fail, and checks whether that part
 * is the whole cause in the present files.
 */
export async function narrow(options: NarrowOptions): Promise<Narrowed> {
  const { files, green, red } = options;
  const units = await unitsOf(await files.compare(green, red), files);
  if (units.length === 0) return undefined;
  try {
    return await narrowUnits(options, units);
  } catch (error) {
    if (error instanceof Contradiction) return "flaky";
    throw error;
  }
}

/**
 * Thrown to end a search when the test contradicts itself, because the search itself distinguishes only red and green.
 */
class Contradiction extends Error {}

async function narrowUnits(options: NarrowOptions, units: readonly Unit[]): Promise<Change | undefined> {
  const search = new Search(options, units);
  // Applying all units results in the red state, so the test must fail with all of them.
  if (units.length > 1 && !(await search.isRed(units))) return undefined;
  const found = await search.minimise(search.test);
  if (!(await search.isRed(found.units))) return undefined;
  const effect = await effectOf(options, found.units);
  const breaking = changeOf("breaks", { ...found, effect, all: units });
  if (effect.state !== "other-causes" || found.units.length === units.length) return breaking;
  return (await repairingChange(options, search)) ?? breaking;
}

/**
 * Returns the part that must be removed for the test to pass, if removing it also fixes the test in the present. This
 * is the better answer if applying only some of the units makes the test fail for another reason, such as an incomplete
 * rename, or if the difference contains two causes.
 */
async function repairingChange(options: NarrowOptions, search: Search): Promise<Change | undefined> {
  const found = await search.minimise(search.testWithout);
  const effect = await effectOf(options, found.units);
  if (effect.state !== "confirmed") return undefined;
  return changeOf("mends", { ...found, effect, all: search.units });
}

class Search {
  readonly units: readonly Unit[];
  readonly #options: NarrowOptions;
  #left = MAX_TRIES;

  constructor(options: NarrowOptions, units: readonly Unit[]) {
    this.#options = options;
    this.units = units;
  }

  /** Tests the green state with some of the units. */
  readonly test = async (some: readonly Unit[]): Promise<Outcome> => {
    const { trials, green, onTry } = this.#options;
    this.#left -= 1;
    onTry(some.length);
    const { outcome } = await trials.changed(green, overlayOf(some));
    if (outcome === "flaky") throw new Contradiction();
    return outcome;
  };

  /**
   * Tests the red state without some of the units. The result is inverted, because the search is for a test that
   * passes.
   */
  readonly testWithout = async (some: readonly Unit[]): Promise<Outcome> => {
    const outcome = await this.test(this.units.filter((unit) => !some.includes(unit)));
    return outcome === "unjudged" ? outcome : outcome === "green" ? "red" : "green";
  };

  async isRed(some: readonly Unit[]): Promise<boolean> {
    const outcome = await this.test(some);
    if (outcome === "green") throw new Contradiction();
    return outcome === "red";
  }

  /** Minimizes by file first, because most files have nothing to do with the failure. */
  async minimise(test: (some: readonly Unit[]) => Promise<Outcome>): Promise<Minimised<Unit>> {
    const byFile = [...byPath(this.units).values()];
    const files = await ddmin(byFile, { test: async (some) => test(some.flat()), tries: this.#left });
    return ddmin(files.units.flat(), { test, tries: this.#left });
  }
}

function changeOf(
  sense: Change["sense"],
  found: Minimised<Unit> & { readonly effect: Effect; readonly all: readonly Unit[] },
): Change {
  const { units, state, effect, all } = found;
  return { units, sense, size: state, renamed: renamedIn(units, all), effect };
}

/** Finds renamed files: deleted files whose content now has another path. */
function renamedIn(gone: readonly Unit[], all: readonly Unit[]): ReadonlyMap<PathBytes, PathBytes> {
  const made = new Map<string, PathBytes>();
  for (const { change } of all) {
    if (change.before === undefined && change.after?.kind === "file")
      made.set(change.after.hash, change.path);
  }
  const renamed = new Map<PathBytes, PathBytes>();
  for (const { change } of gone) {
    const to = change.after === undefined && change.before?.kind === "file" && made.get(change.before.hash);
    if (typeof to === "string") renamed.set(change.path, to);
  }
  return renamed;
}

async function effectOf(options: NarrowOptions, units: readonly Unit[]): Promise<Effect> {
  const { files, trials, present } = options;
  const taken = await takeBack(units, { files, snapshot: present });
  if (taken.state === "changed-since") return taken;
  const tried = await trials.changed(present, taken.overlay);
  if (tried.outcome === "flaky") throw new Contradiction();
  if (tried.outcome === "unjudged") return { state: "unjudged", why: tried.why };
  return tried.outcome === "green"
    ? { state: "confirmed", overlay: taken.overlay }
    : { state: "other-causes" };
}
