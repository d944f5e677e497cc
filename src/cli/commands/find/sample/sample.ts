import { resolve } from "node:path";
import { interruptible } from "../../../../app/interrupts.ts";
import { currentFolder } from "../../../../app/places/workspace.ts";
import { type SampleWay, sampleWays } from "../../../../finder/sample/ways.ts";
import { closest } from "../../../../record/closest.ts";
import { WorldlineError } from "../../../../record/error.ts";
import type { Frame } from "../../../command/frame.ts";
import { openProgress } from "../../../output/progress.ts";
import { type Repair, repair } from "./repair.ts";
import { sampleDocument } from "./sample-document.ts";
import { sampleText } from "./sample-text.ts";
import { openSampleStage, type SampleStage } from "./stage.ts";
import { type TriedWay, tryWay } from "./try-way.ts";

/** What the worker mends: with guesses that have to be wrong, because later changes are tried first. */
const MENDED = "an edit of one line";
const AT_ONCE = 2;

export interface SampleWish {
  /** Only these; all of them where there are none. */
  readonly named: readonly string[];
  /** A folder to make it in, and to leave it there. */
  readonly keep: string | undefined;
  /** For tests, which have to see it fail too. */
  readonly ways?: readonly SampleWay[];
}

/** All that was found out. */
export interface Proof {
  readonly ways: readonly TriedWay[];
  /** Absent where the way that the worker mends was not asked for. */
  readonly repair?: Repair;
}

/** How much of it does not hold. */
function countOff({ ways, repair: mended }: Proof): number {
  const claims = mended?.claims ?? [];
  return ways.filter(({ wrong }) => wrong.length > 0).length + claims.filter(({ holds }) => !holds).length;
}

/** Proves the finder on samples that it breaks itself: 0 only if everything holds. */
export async function findSample(frame: Frame, wish: SampleWish): Promise<0 | 1> {
  const ways = waysNamed(wish.named, wish.ways ?? sampleWays);
  const { output, surroundings } = frame;
  const keep = wish.keep === undefined ? undefined : resolve(currentFolder(surroundings.cwd), wish.keep);
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
    stage.strike();
  }
}

interface Proving {
  readonly stage: SampleStage;
  readonly ways: readonly SampleWay[];
  readonly signal: AbortSignal;
}

async function prove(frame: Frame, { stage, ways, signal }: Proving): Promise<Proof> {
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

/** In their order. When one fails the others come to their end first, so that the stage can go. */
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
    throw new WorldlineError("INPUT_INVALID", `The sample cannot be broken by "${name}".`, {
      hint: meant === undefined ? `Known: ${all.join("; ")}` : `Did you mean "${meant}"?`,
    });
  }
  return names.length === 0 ? known : known.filter(({ name }) => names.includes(name));
}

function cancelled(): WorldlineError {
  return new WorldlineError("CANCELLED", "Cancelled; nothing of yours was touched.");
}
