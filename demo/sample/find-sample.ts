import { resolve } from "node:path";
import { interruptible } from "../../src/app/context.ts";
import { pathDocument } from "../../src/app/files/paths.ts";
import { currentFolder } from "../../src/app/places/workspace.ts";
import { textOf } from "../../src/cli/commands/find/text.ts";
import type { Frame } from "../../src/cli/frame.ts";
import { reportingFrame } from "../../src/cli/frame.ts";
import type { JsonDocument } from "../../src/cli/output.ts";
import { openProgress } from "../../src/cli/output.ts";
import { WorldlineError } from "../../src/record/error.ts";
import { closest } from "../../src/record/options.ts";
import { type Repair, repair } from "./repair.ts";
import { sampleText } from "./sample-text.ts";
import { openSampleStage, type SampleStage, type TriedWay, tryWay } from "./try-way.ts";
import { type SampleWay, sampleWays } from "./ways.ts";

/**
 * The way of breaking the sample that the worker repairs. The worker tries later changes first, so its
 * first guesses are wrong here.
 */
const MENDED = "an edit of one line";
const AT_ONCE = 2;

export interface FindSampleOptions {
  /** Only these ways of breaking the sample; empty for all. */
  readonly named: readonly string[];
  /** A folder to use instead of a temporary one. This folder is not removed. */
  readonly keep: string | undefined;
  /** Replaces the ways, for tests in which the command must fail. */
  readonly ways?: readonly SampleWay[];
}

/** The results for all ways, and the repair. */
export interface Proof {
  readonly ways: readonly TriedWay[];
  /** The worker's repair; absent if the way that it repairs was not selected. */
  readonly repair?: Repair;
}

/** How many rows and claims are wrong. */
function countOff({ ways, repair: mended }: Proof): number {
  const claims = mended?.claims ?? [];
  return ways.filter(({ wrong }) => wrong.length > 0).length + claims.filter(({ holds }) => !holds).length;
}

/** Breaks samples and checks the finder's answers. Returns 0 only if all answers and claims are right. */
export async function findSample(frame: Frame, options: FindSampleOptions): Promise<0 | 1> {
  const ways = waysNamed(options.named, options.ways ?? sampleWays);
  const { output, surroundings } = frame;
  const keep =
    options.keep === undefined ? undefined : resolve(currentFolder(surroundings.cwd), options.keep);
  const stage = openSampleStage(surroundings.environment, keep);
  try {
    const proof = await interruptible(frame, async (signal) => {
      const made = await prove(frame, { stage, ways, signal });
      if (signal.aborted) throw cancelled();
      return made;
    });
    const off = countOff(proof);
    output.answer(sampleDocument(proof, { off, kept: keep }), () =>
      sampleText(frame, proof, { off, kept: keep }),
    );
    return off === 0 ? 0 : 1;
  } finally {
    stage.remove();
  }
}

interface ProofRequest {
  readonly stage: SampleStage;
  readonly ways: readonly SampleWay[];
  readonly signal: AbortSignal;
}

async function prove(frame: Frame, { stage, ways, signal }: ProofRequest): Promise<Proof> {
  const { strings, output } = frame;
  const { sample } = strings.find;
  if (output.mode === "text") output.notice(sample.title(ways.length));
  const progress = openProgress(frame);
  try {
    let begun = 0;
    const tried = await someAtOnce(ways, (way) => {
      if (signal.aborted) throw cancelled();
      begun += 1;
      progress.show(sample.trying(begun, ways.length, sample.way(way.name)));
      return tryWay(way, { frame, place: stage.place(way.name), signal });
    });
    const mended = ways.find(({ name }) => name === MENDED);
    if (mended === undefined) return { ways: tried };
    progress.show(sample.mending(sample.way(mended.name)));
    return { ways: tried, repair: await repair(mended, { frame, place: stage.place("repair"), signal }) };
  } finally {
    progress.clear();
  }
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

export interface Outcome {
  /** How many rows and claims are wrong. */
  readonly off: number;
  /** The folder in which the samples were kept; undefined if they were removed. */
  readonly kept: string | undefined;
}

/** The proof as JSON. */
function sampleDocument({ ways, repair }: Proof, { off, kept }: Outcome): JsonDocument {
  return { off, ways: ways.map(wayDocument), repair: repair ?? null, kept: kept ?? null };
}

function wayDocument({ name, answer, wrong }: TriedWay) {
  return {
    name,
    verdict: answer?.finding.verdict ?? null,
    checkpoint: (answer?.change && answer.border?.red.places[0]?.checkpoint) ?? null,
    paths: (answer?.paths ?? []).map(({ path, what }) => ({ ...pathDocument(path), what })),
    author: answer?.author ?? null,
    right: wrong.length === 0,
    wrong,
  };
}

/**
 * For the terminal: breaks a sample in a random way, lets the finder find the cause, and compares the answer
 * with what was done, all in a temporary folder.
 */
export async function findInSample(
  frame: Frame,
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const words = frame.strings.terminal.app.sample;
  const way = anyWay();
  const stage = openSampleStage(frame.surroundings.environment);
  try {
    const place = stage.place("sample");
    onLine(words.made(place.workspace));
    onLine(words.broken(way.steps.length));
    onLine(words.asked);
    const context = { frame: reportingFrame(frame, onLine), place, signal, progress: "reported" } as const;
    const { answer, wrong } = await tryWay(way, context);
    if (answer === undefined) throw failed(wrong.map(({ said }) => said).join(" "));
    for (const line of textOf(frame, answer, { state: "not-asked" }).split("\n")) {
      // The sample is about to be removed, so the undo hint would be useless.
      if (line !== frame.strings.find.undoWith) onLine(line);
    }
    onLine(wrong.length === 0 ? words.right : words.wrong);
    onLine(words.gone);
  } finally {
    stage.remove();
  }
}

/** Returns a random way whose cause the finder can name. */
function anyWay(): SampleWay {
  const ways = sampleWays.filter(({ culprit }) => culprit !== "cannot-tell");
  const way = ways[Math.floor(Math.random() * ways.length)];
  if (way === undefined) throw new Error("There is no way to break the sample.");
  return way;
}

function failed(why: string): WorldlineError {
  return new WorldlineError("finder-failed", { why });
}
