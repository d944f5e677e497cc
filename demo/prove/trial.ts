import { chmodSync, rmSync } from "node:fs";
import type { FilesOutcome } from "../../src/machine/files/requests.ts";
import { type PathBytes, pathIn } from "../../src/record/files.ts";
import type { HeldSession, Stage } from "../stage.ts";
import { type Difference, differences, type Survey, type Surveyor } from "../survey.ts";
import { placeIn } from "./copy-folder.ts";
import { type Damage, inflict } from "./damages.ts";
import type { Targets } from "./targets.ts";

/** The result of trying one kind of damage. */
export interface Trial {
  readonly damage: Damage["name"];
  readonly targets: readonly PathBytes[];
  /** How many paths the damage changed. */
  readonly paths: number;
  /** Differences after the rewind, after the redo, and at the end. */
  readonly unrestored: readonly Difference[];
  readonly unredone: readonly Difference[];
  readonly unclean: readonly Difference[];
  /** Paths that cannot be captured: the restore left them unchanged and named them in its outcome. */
  readonly stayed: readonly PathBytes[];
  /** The reason if the trial could not be completed. */
  readonly failure?: string;
}

export function isOff({ unrestored, unredone, unclean, failure }: Trial): boolean {
  return failure !== undefined || unrestored.length + unredone.length + unclean.length > 0;
}

export interface TrialContext {
  readonly stage: Stage;
  readonly held: HeldSession;
  readonly surveyor: Surveyor;
  readonly targets: Targets;
  /** The folder of the sample. */
  readonly sample: PathBytes;
}

/**
 * Creates a checkpoint, inflicts the damage, rewinds and compares; then redoes, compares, and rewinds again.
 * Every second trial also creates a checkpoint after the damage. The damage counts as the timeline's own work,
 * like the changes of an agent's shell.
 */
export async function tryDamage(
  context: TrialContext,
  damage: Damage,
  { base, between }: { readonly base: Survey; readonly between: "checkpoint" | "nothing" },
): Promise<Trial> {
  const { held, surveyor, targets: all } = context;
  const { session } = held;
  const targets = all.choose(damage.on);
  const to = await session.checkpoint();
  const failure = await inflictOn(context, damage, targets);
  const damaged = await surveyor.survey();
  const paths = differences(base, damaged).length;
  const trial = {
    damage: damage.name,
    targets,
    paths,
    unrestored: [],
    unredone: [],
    unclean: [],
    stayed: [],
  };
  if (paths === 0) return failure === undefined ? trial : { ...trial, failure };
  if (between === "checkpoint") await session.checkpoint(undefined, { author: "timeline" });
  const how = { choice: "take", author: "timeline" } as const;
  const back = await session.rewind({ to, scope: "files", ...how });
  const kept = staying(context, damage, targets).filter((path) => isNamed(back.files, path));
  const unrestored = differences(base, await surveyor.survey()).filter(({ path }) => !kept.includes(path));
  await session.redo({ wanted: back.journey, ...how });
  const redone = await surveyor.survey();
  const unredone = differences(damaged, redone);
  const isThere = differences(base, redone).length === 0;
  if (!isThere) await session.rewind({ to, scope: "files", ...how });
  for (const path of kept) tidyUp(context, path, base);
  const unclean = differences(base, await surveyor.survey());
  const found = { ...trial, unrestored, unredone, unclean, stayed: kept };
  // Everything that a script did before it failed is still damage.
  return failure === undefined ? found : { ...found, failure };
}

async function inflictOn(
  { stage, targets, sample }: TrialContext,
  { script, input }: Damage,
  chosen: readonly PathBytes[],
): Promise<string | undefined> {
  const { workspace, scratch } = stage;
  return inflict({
    script,
    targets: chosen,
    workspace,
    sample,
    scratch,
    ...(input === "every-file" ? { input: targets.files } : {}),
  });
}

const ROOT = 0;

/** Returns the path that cannot be captured and must therefore stay as the damage left it. */
function staying(
  { sample }: TrialContext,
  { stays }: Damage,
  targets: readonly PathBytes[],
): readonly PathBytes[] {
  if (stays === "fifo") return [sample === "" ? "fifo" : pathIn(sample, "fifo")];
  // root can read the file despite its mode, so the file is captured and restored.
  if (stays === "unreadable") return process.getuid?.() === ROOT ? [] : targets;
  return [];
}

function isNamed({ paths }: FilesOutcome, wanted: PathBytes): boolean {
  return paths.some(({ path, outcome }) => path === wanted && outcome === "kept");
}

/** Removes the path that stayed, so that it does not interfere with the next damage. */
function tidyUp({ stage }: TrialContext, path: PathBytes, base: Survey): void {
  const place = placeIn(stage.workspace, path);
  const before = base.get(path);
  if (before === undefined) rmSync(place, { force: true });
  else chmodSync(place, before.mode);
}
