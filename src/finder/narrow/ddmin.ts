/**
 * The result of the test with some of the units. "unjudged" counts as not failing, because only a failure proves
 * anything.
 */
export type Outcome = "red" | "green" | "unjudged";

export interface Minimised<Unit> {
  readonly units: readonly Unit[];
  /**
   * "minimal": if any one of the units is omitted, the test does not fail. "given-up": there were no tries left to
   * prove this.
   */
  readonly state: "minimal" | "given-up";
}

export interface DdminOptions<Unit> {
  /** Runs the test with exactly these units. Called only once for each set. */
  readonly test: (units: readonly Unit[]) => Promise<Outcome>;
  readonly tries: number;
}

/**
 * Finds a minimal failing set by delta debugging. Minimal means that none of its units can be omitted. The caller must
 * already know that the set of all units fails and that the empty set passes.
 */
export async function ddmin<Unit>(
  units: readonly Unit[],
  { test, tries }: DdminOptions<Unit>,
): Promise<Minimised<Unit>> {
  const asked = new TestCache(units, test, tries);
  let failing = units;
  let pieces = 2;
  while (failing.length > 1) {
    const smaller = await asked.firstRed(candidates(failing, pieces));
    if (smaller === "given-up") return { units: failing, state: "given-up" };
    if (smaller !== undefined) {
      // If the test fails with one piece alone, the piece is split into new pieces. If it fails with everything except
      // one piece, the rest is split as finely as before.
      const isPiece = smaller.length <= Math.ceil(failing.length / pieces) && pieces > 2;
      pieces = isPiece ? 2 : Math.max(2, pieces - 1);
      failing = smaller;
    } else if (pieces >= failing.length) return { units: failing, state: "minimal" };
    else pieces *= 2;
    pieces = Math.min(pieces, failing.length);
  }
  return { units: failing, state: "minimal" };
}

/** Yields the sets to try: first each piece alone, and then everything except one piece. */
function* candidates<Unit>(units: readonly Unit[], pieces: number): Generator<readonly Unit[]> {
  const cut = piecesOf(units, pieces);
  yield* cut;
  if (cut.length > 2) {
    for (const piece of cut) yield units.filter((unit) => !piece.includes(unit));
  }
}

function piecesOf<Unit>(units: readonly Unit[], pieces: number): (readonly Unit[])[] {
  const count = Math.min(pieces, units.length);
  return Array.from({ length: count }, (_, index) =>
    units.slice(Math.floor((index * units.length) / count), Math.floor(((index + 1) * units.length) / count)),
  );
}

class TestCache<Unit> {
  readonly #places: ReadonlyMap<Unit, number>;
  readonly #test: DdminOptions<Unit>["test"];
  readonly #known = new Map<string, Outcome>();
  #left: number;

  constructor(units: readonly Unit[], test: DdminOptions<Unit>["test"], tries: number) {
    this.#places = new Map(units.map((unit, place) => [unit, place]));
    this.#test = test;
    this.#left = tries;
  }

  async firstRed(sets: Iterable<readonly Unit[]>): Promise<readonly Unit[] | undefined | "given-up"> {
    for (const units of sets) {
      const outcome = await this.#outcome(units);
      if (outcome === "given-up") return outcome;
      if (outcome === "red") return units;
    }
    return undefined;
  }

  async #outcome(units: readonly Unit[]): Promise<Outcome | "given-up"> {
    const key = units.map((unit) => this.#places.get(unit)).join(",");
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#left <= 0) return "given-up";
    this.#left -= 1;
    const outcome = await this.#test(units);
    this.#known.set(key, outcome);
    return outcome;
  }
}
