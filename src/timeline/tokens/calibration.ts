/** One reply's word on the whole context it was sent: what we had guessed, and what the provider counted. */
export interface Sample {
  /** The raw estimate of the whole context. */
  readonly estimated: number;
  /** The provider's count of the same context, cached tokens included. */
  readonly actual: number;
}

/** What a session has learnt about its provider's tokenizer. */
export interface Calibration {
  /** True tokens per estimated one. */
  readonly factor: number;
  /** What the estimate never sees (tool schemas, a hidden prompt), and the error it has gathered so far. */
  readonly overhead: number;
}

/** Before the first usage: the estimate as it is. */
export const UNCALIBRATED: Calibration = { factor: 1, overhead: 0 };

/** No tokenizer in use is further from the estimate; beyond lies a mistaken sample, such as an image. */
const FACTOR_MIN = 0.4;
const FACTOR_MAX = 2.5;

/** A growth this far from the typical one counts as if it were this far: it is seen, but cannot rule. */
const SPREAD = 1.5;

/** Estimated tokens' worth of trust in factor 1, so that a first tiny growth does not swing it. */
const PRIOR = 500;

/**
 * Learns from the replies of one branch, oldest first, all from one model.
 *
 * The factor comes from how the context grew between replies, not from its size: a provider counts tool
 * schemas that the estimate never sees, and a constant vanishes in a difference. The overhead is then set so
 * that the last sample is met exactly. A context that shrank (a backtrack, a compaction) teaches nothing
 * about the factor.
 */
export function calibrationOf(samples: readonly Sample[]): Calibration {
  const last = samples.at(-1);
  if (last === undefined) return UNCALIBRATED;
  const factor = factorOf(growthsOf(samples));
  return { factor, overhead: last.actual - factor * last.estimated };
}

/** The true size of a text whose raw estimate is `raw`, as far as this session can tell. */
export function calibrated(raw: number, calibration: Calibration): number {
  return Math.round(raw * calibration.factor);
}

/**
 * The true size of a whole context whose raw estimate is `raw`: the last counted size, plus the calibrated
 * growth since, or minus the calibrated loss.
 */
export function calibratedContext(raw: number, calibration: Calibration): number {
  return Math.max(0, Math.round(calibration.overhead + raw * calibration.factor));
}

interface Growth {
  readonly ratio: number;
  readonly weight: number;
}

function growthsOf(samples: readonly Sample[]): Growth[] {
  const growths: Growth[] = [];
  samples.forEach((sample, index) => {
    const earlier = samples[index - 1];
    if (earlier === undefined) return;
    const estimated = sample.estimated - earlier.estimated;
    const actual = sample.actual - earlier.actual;
    if (!(estimated > 0 && actual > 0)) return;
    growths.push({ ratio: actual / estimated, weight: estimated });
  });
  return growths;
}

function factorOf(growths: readonly Growth[]): number {
  const typical = clamp(medianOf(growths), FACTOR_MIN, FACTOR_MAX);
  let actual = PRIOR;
  let estimated = PRIOR;
  for (const { ratio, weight } of growths) {
    actual += weight * clamp(ratio, typical / SPREAD, typical * SPREAD);
    estimated += weight;
  }
  return clamp(actual / estimated, FACTOR_MIN, FACTOR_MAX);
}

/** The weighted median ratio; 1 when there is none. */
function medianOf(growths: readonly Growth[]): number {
  const half = growths.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let reached = 0;
  for (const { ratio, weight } of growths.toSorted((a, b) => a.ratio - b.ratio)) {
    reached += weight;
    if (reached >= half) return ratio;
  }
  return 1;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
