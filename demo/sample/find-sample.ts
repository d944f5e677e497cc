import { resolve } from "node:path";
import { type AppContext, interruptible } from "../../src/app/context.ts";
import type { SampleAnswer, SampleProgress } from "../../src/app/find.ts";
import type { Environment } from "../../src/app/places/home.ts";
import { currentFolder } from "../../src/app/places/workspace.ts";
import { WorldlineError } from "../../src/record/error.ts";
import { closest } from "../../src/record/options.ts";
import { type Repair, repair } from "./repair.ts";
import { openSampleStage, type SampleStage, type TriedWay, tryWay } from "./try-way.ts";
import { type SampleWay, sampleWays } from "./ways.ts";

/**
 * The way of breaking the sample that the worker repairs. The worker tries later changes first, so its
 * first guesses are wrong here.
 */
const MENDED = "a one-line edit";
const AT_ONCE = 2;

export interface FindSampleOptions {
  /** Only these ways of breaking the sample; empty for all. */
  readonly named: readonly string[];
  /** A folder to use instead of a temporary one. This folder is not removed. */
  readonly keep: string | undefined;
  /** Replaces the ways, for tests in which the command must fail. */
  readonly ways?: readonly SampleWay[];
  readonly onProgress: (progress: FindSampleProgress) => void;
}

type FindSampleProgress =
  | { readonly doing: "begin"; readonly ways: number }
  | { readonly doing: "way"; readonly index: number; readonly of: number; readonly way: string }
  | { readonly doing: "repair"; readonly way: string };

interface Proof {
  readonly ways: readonly TriedWay[];
  /** The worker's repair; absent if the way that it repairs was not selected. */
  readonly repair?: Repair;
}

/** The results for all ways, and the repair. */
export interface TestedSamples extends Proof {
  /** How many rows and claims are wrong. */
  readonly off: number;
  /** The folder in which the samples were kept; undefined if they were removed. */
  readonly kept: string | undefined;
}

function countOff({ ways, repair: mended }: Proof): number {
  const claims = mended?.claims ?? [];
  return ways.filter(({ wrong }) => wrong.length > 0).length + claims.filter(({ holds }) => !holds).length;
}

/** Breaks samples and checks the finder's answers. */
export async function findSample(context: AppContext, options: FindSampleOptions): Promise<TestedSamples> {
  const ways = waysNamed(options.named, options.ways ?? sampleWays);
  const { environment, cwd } = context.surroundings;
  const kept = options.keep === undefined ? undefined : resolve(currentFolder(cwd), options.keep);
  const stage = openSampleStage(environment, kept);
  try {
    const proof = await interruptible(context, async (signal) => {
      const made = await prove(context, { stage, ways, signal, onProgress: options.onProgress });
      if (signal.aborted) throw cancelled();
      return made;
    });
    return { ...proof, off: countOff(proof), kept };
  } finally {
    stage.remove();
  }
}

interface ProofRequest extends Pick<FindSampleOptions, "onProgress"> {
  readonly stage: SampleStage;
  readonly ways: readonly SampleWay[];
  readonly signal: AbortSignal;
}

async function prove(context: AppContext, { stage, ways, signal, onProgress }: ProofRequest): Promise<Proof> {
  onProgress({ doing: "begin", ways: ways.length });
  let begun = 0;
  const tried = await someAtOnce(ways, (way) => {
    if (signal.aborted) throw cancelled();
    begun += 1;
    onProgress({ doing: "way", index: begun, of: ways.length, way: way.name });
    return tryWay(way, { place: stage.place(way.name), signal });
  });
  const mended = ways.find(({ name }) => name === MENDED);
  if (mended === undefined) return { ways: tried };
  onProgress({ doing: "repair", way: mended.name });
  return { ways: tried, repair: await repair(context, mended, { place: stage.place("repair"), signal }) };
}

/**
 * Runs the work for a few items at a time, and returns the results in the order of the items. If one item
 * fails, the running ones finish first, so that the stage can be removed.
 */
async function someAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, lane));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return results;
}

function waysNamed(names: readonly string[], known: readonly SampleWay[]): readonly SampleWay[] {
  for (const name of names) {
    if (known.some((way) => way.name === name)) continue;
    const all = known.map((way) => way.name);
    const meant = closest(name, all);
    throw new WorldlineError("sample-way-unknown", {
      given: name,
      known: all,
      ...(meant === undefined ? {} : { meant }),
    });
  }
  return names.length === 0 ? known : known.filter(({ name }) => names.includes(name));
}

function cancelled(): WorldlineError {
  return new WorldlineError("nothing-touched", {});
}

/** For the terminal: breaks a sample in a random way and lets the finder find the cause, all in a temporary folder. */
export async function findInSample(
  environment: Environment,
  onProgress: (progress: SampleProgress) => void,
  signal: AbortSignal,
): Promise<SampleAnswer> {
  const way = anyWay();
  const stage = openSampleStage(environment);
  try {
    const place = stage.place("sample");
    onProgress({ doing: "break", folder: place.workspace, steps: way.steps.length });
    const { answer, wrong } = await tryWay(way, { place, signal, onProgress });
    if (answer === undefined) throw failed(wrong.map(({ said }) => said).join(" "));
    return { answer, verdict: wrong.length === 0 ? "right" : "wrong" };
  } finally {
    stage.remove();
  }
}

/** Returns a random way whose cause the finder can name. */
function anyWay(): SampleWay {
  const ways = sampleWays.filter(({ culprit }) => culprit !== "cannot-tell");
  const way = ways[Math.floor(Math.random() * ways.length)];
  if (way === undefined) throw new Error("No way to break the sample is defined.");
  return way;
}

function failed(why: string): WorldlineError {
  return new WorldlineError("finder-failed", { why });
}
