import {
  type BisectVerdict,
  type Border,
  type Next,
  nextNewer,
  nextTry,
  type Question,
} from "./bisect/bisect.ts";
import type { Run, RunResult } from "./bisect/tally.ts";
import type { Change, ConfirmedChange } from "./finding.ts";
import type { Narrowed } from "./narrow/narrow.ts";

export interface SearchGround extends Question {
  /** Runs the test once. */
  readonly run: (next: Extract<Next, { do: "try" }>) => Promise<RunResult>;
  /** What of the difference it was, and whether it still matters. */
  readonly changeAt: (border: Border) => Promise<Narrowed>;
  /** The newest state behind a border, before the present, in which the change is not there; undefined for none. */
  readonly lastWithout: (change: Change, border: Border) => Promise<number | undefined>;
}

export type SearchVerdict =
  | Exclude<BisectVerdict, { verdict: "found" | "range" }>
  | { readonly verdict: "found" | "range"; readonly border: Border; readonly change: ConfirmedChange }
  | {
      readonly verdict: "cannot-tell";
      readonly why: "unconfirmed";
      readonly border: Border;
      readonly change?: Change;
    };

/** So many states are asked, at most, whether it was green again: they are many where it is only a doubt. */
const MOST_PROBES = 50;

/**
 * The change that makes the test fail now. It may have been broken, mended and broken again, so a border counts only if its change is
 * confirmed and has stood ever since; else the states behind it are asked.
 */
export async function search(ground: SearchGround): Promise<SearchVerdict> {
  const history: Run[] = [];
  let at = await asked(ground, history, () => nextTry(ground, history));
  for (;;) {
    if (at.verdict !== "found" && at.verdict !== "range") return at;
    const border: Border = { green: at.green, red: at.red };
    const change = await ground.changeAt(border);
    if (change === "flaky") return { verdict: "flaky", state: border.red, border };
    const newer = { after: border.red, probes: await probesBehind(ground, border, change) };
    const next = await asked(ground, history, () => nextNewer(ground, history, newer));
    if (next.verdict === "flaky") return { border, ...next };
    if (next.verdict !== "found" && next.verdict !== "range") return settled(at.verdict, border, change);
    at = next;
  }
}

async function asked(ground: SearchGround, history: Run[], ask: () => Next): Promise<BisectVerdict> {
  for (;;) {
    const next = ask();
    if (next.do === "answer") return next;
    history.push({ state: next.state, result: await ground.run(next) });
  }
}

function settled(verdict: "found" | "range", border: Border, change: Change | undefined): SearchVerdict {
  if (isConfirmed(change)) return { verdict, border, change };
  return { verdict: "cannot-tell", why: "unconfirmed", border, ...(change === undefined ? {} : { change }) };
}

function isConfirmed(change: Change | undefined): change is ConfirmedChange {
  return change?.effect.state === "confirmed";
}

/** The newest first; evenly spread where they are too many. */
async function probesBehind(
  { states, lastWithout }: SearchGround,
  border: Border,
  change: Change | undefined,
): Promise<readonly number[]> {
  // While a change stands that the test fails with, there is no use in asking.
  const newest = isConfirmed(change) ? await lastWithout(change, border) : states - 2;
  if (newest === undefined) return [];
  const stride = Math.ceil((newest - border.red) / MOST_PROBES);
  const probes: number[] = [];
  for (let state = newest; state > border.red; state -= stride) probes.push(state);
  return probes;
}
