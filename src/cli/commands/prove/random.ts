const MULTIPLIER = 1_664_525;
const INCREMENT = 1_013_904_223;
const MODULUS = 2 ** 32;

/** The same numbers for the same seed: what was found can be found again. Whole numbers below the argument. */
export function seeded(seed: number): (below: number) => number {
  let state = seed % MODULUS;
  return (below) => {
    state = (Math.imul(state, MULTIPLIER) + INCREMENT) >>> 0;
    return Math.floor((state / MODULUS) * below);
  };
}
