import { problemIn, WorldlineError } from "../../src/record/error.ts";
import { isWithin, type PathBytes } from "../../src/record/files.ts";
import { type HeldSession, openSessionOn, type Stage, type Verified, verifyStage } from "../stage.ts";
import { type Difference, differences, type Survey, Surveyor } from "../survey.ts";
import type { Damage } from "./damages.ts";
import { type Kills, killRestores } from "./kills.ts";
import { seeded, Targets } from "./targets.ts";
import { isOff, type Trial, type TrialContext, tryDamage } from "./trial.ts";

/** The results of a whole proof. */
export interface Proof {
  readonly trials: readonly Trial[];
  readonly kills: Kills;
  /** git's own files: their number, and the files that differ from the copy. */
  readonly git: { readonly paths: number; readonly changed: readonly Difference[] };
  /** All paths: their number, and the paths that differ from the copy. */
  readonly whole: { readonly paths: number; readonly changed: readonly Difference[] };
  readonly store: Verified;
}

export interface ProofRequest {
  readonly stage: Stage;
  readonly sample: PathBytes;
  readonly damages: readonly Damage[];
  readonly seed: number;
  readonly kills: number;
  readonly signal: AbortSignal;
  readonly onTrial: (index: number, damage: Trial["damage"]) => void;
  readonly onKill: (index: number) => void;
}

/** Returns how many rows of the table are wrong. */
export function rowsOff({ trials, kills, git, whole, store }: Proof): number {
  const claims = [
    kills.torn.length > 0 || kills.failure !== undefined,
    git.changed.length > 0,
    whole.changed.length > 0,
    store.faults > 0,
  ];
  return trials.filter(isOff).length + claims.filter(Boolean).length;
}

/** Tries all damages and kills, one after another, each starting with the workspace as it was copied. */
export async function proveFiles(request: ProofRequest): Promise<Proof> {
  const { stage, sample } = request;
  const random = seeded(request.seed);
  const surveyor = new Surveyor(stage.workspace);
  const copied = await surveyor.survey();
  const held = await openSessionOn(stage);
  try {
    const leftOut = await leftOutOf(held);
    const targets = new Targets({ survey: copied, leftOut, sample }, random);
    const context: TrialContext = { stage, held, surveyor, targets, sample };
    const trials = await tryAll(context, request, copied);
    const base = await surveyor.survey();
    const { kills: count, onKill, signal } = request;
    const kills = await killRestores(context, { count, random, base, onKill, signal });
    if (signal.aborted) throw cancelled();
    const changed = differences(copied, await surveyor.survey());
    const ofGit = (path: PathBytes): boolean => `/${path}/`.includes("/.git/");
    return {
      trials,
      kills,
      git: {
        paths: [...copied.keys()].filter(ofGit).length,
        changed: changed.filter(({ path }) => ofGit(path)),
      },
      whole: { paths: copied.size, changed },
      store: await verifyStage(stage),
    };
  } finally {
    await held.close();
  }
}

async function tryAll(
  context: TrialContext,
  request: ProofRequest,
  copied: Survey,
): Promise<readonly Trial[]> {
  const trials: Trial[] = [];
  let base = copied;
  for (const [index, damage] of request.damages.entries()) {
    if (request.signal.aborted) throw cancelled();
    request.onTrial(index, damage.name);
    const between = index % 2 === 0 ? "checkpoint" : "nothing";
    const trial = await tryDamage(context, damage, { base, between }).catch(
      (error: unknown): Trial => failed(damage.name, error),
    );
    trials.push(trial);
    // A failure must be reported only once, so the next trial is compared with the workspace as it is now.
    if (isOff(trial)) base = await context.surveyor.survey();
  }
  return trials;
}

function failed(damage: Trial["damage"], error: unknown): Trial {
  const failure = error instanceof Error ? error.message : String(error);
  return { damage, targets: [], paths: 0, unrestored: [], unredone: [], unclean: [], stayed: [], failure };
}

async function leftOutOf({ session, files }: HeldSession): Promise<readonly PathBytes[]> {
  const at = await session.filesAt(await session.checkpoint());
  if (!("snapshot" in at)) {
    throw new WorldlineError("copy-not-captured", "why" in at ? { why: problemIn(at) } : {});
  }
  const states = await files.list(at.snapshot);
  const out = states.filter(({ state }) => state.kind === "left-out").map(({ path }) => path);
  return out.filter((path) => !out.some((other) => other !== path && isWithin(path, other)));
}

function cancelled(): WorldlineError {
  return new WorldlineError("nothing-touched", {});
}
