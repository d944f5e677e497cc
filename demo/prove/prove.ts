import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { type AppContext, interruptible } from "../../src/app/context.ts";
import { currentFolder } from "../../src/app/places/workspace.ts";
import { WorldlineError } from "../../src/record/error.ts";
import type { PathBytes } from "../../src/record/files.ts";
import { closest } from "../../src/record/options.ts";
import { openStage, type Stage } from "../stage.ts";
import { type Copied, copyFolder } from "./copy-folder.ts";
import { type Damage, damages } from "./damages.ts";
import { plantSample } from "./plant-sample.ts";
import { type Proof, proveFiles, rowsOff } from "./proof.ts";

const KILLS = 12;
const SEED = 1;
const LIMIT_GIB = 2;
const GIB = 2 ** 30;
const FILES_EACH = 100_000;
/** The sample folder, planted next to the user's own files so that every kind of damage has a target. */
const SAMPLE = "worldline-prove-sample";

export interface ProveOptions {
  /** The folder to copy; by default a sample is created. */
  readonly folder: string | undefined;
  /** Only these kinds of damage; empty for all. */
  readonly damage: readonly string[];
  readonly kills: number | undefined;
  readonly seed: number | undefined;
  /** The size of the largest folder that is copied, in GiB. */
  readonly limit: number | undefined;
  readonly keep: "keep" | "remove";
  readonly onProgress: (progress: ProveProgress) => void;
}

type ProveProgress =
  | { readonly doing: "copy"; readonly files: number }
  /** `from` and `copied` are absent if a sample was created. */
  | {
      readonly doing: "begin";
      readonly from: string | undefined;
      readonly copied: Copied | undefined;
      readonly workspace: string;
    }
  | { readonly doing: "damage"; readonly index: number; readonly of: number; readonly damage: Damage["name"] }
  | { readonly doing: "kill"; readonly index: number; readonly of: number };

/** A whole proof, and what it was made with. */
export interface Proved extends Proof {
  readonly folder: string | undefined;
  readonly copied: Copied | undefined;
  readonly seed: number;
  /** How many rows of the table are wrong. */
  readonly off: number;
  /** The temporary folder, if it was kept. */
  readonly kept: string | undefined;
}

/** Copies a folder, damages the copy in many ways, and checks that each damage is undone and redone. */
export async function proveFolder(context: AppContext, options: ProveOptions): Promise<Proved> {
  const request = {
    from: options.folder === undefined ? undefined : folderOf(context, options.folder),
    kills: options.kills ?? KILLS,
    seed: options.seed ?? SEED,
    limit: options.limit ?? LIMIT_GIB,
    damages: damagesNamed(options.damage),
    onProgress: options.onProgress,
  };
  // The work stays interruptible during long steps, because the temporary folder must be removed after an interrupt.
  return interruptible(context, async (signal) => {
    const stage = openStage("prove");
    try {
      const proved = await perform({ ...request, stage, signal });
      return { ...proved, kept: options.keep === "keep" ? stage.folder : undefined };
    } finally {
      if (options.keep === "remove") stage.remove();
    }
  });
}

function damagesNamed(names: readonly string[]): readonly Damage[] {
  if (names.length === 0) return damages;
  const known = damages.map(({ name }) => name);
  for (const name of names) {
    if (known.some((each) => each === name)) continue;
    const meant = closest(name, known);
    throw new WorldlineError("damage-unknown", {
      given: name,
      known,
      ...(meant === undefined ? {} : { meant }),
    });
  }
  return damages.filter(({ name }) => names.includes(name));
}

interface ProveRequest extends Pick<ProveOptions, "onProgress"> {
  readonly from: string | undefined;
  readonly kills: number;
  readonly seed: number;
  readonly limit: number;
  readonly damages: readonly Damage[];
  readonly stage: Stage;
  readonly signal: AbortSignal;
}

async function perform(request: ProveRequest): Promise<Omit<Proved, "kept">> {
  const { from, stage, seed, kills, signal, onProgress } = request;
  const copied = await copy(request);
  const sample: PathBytes = from === undefined ? "" : freeName(stage.workspace, SAMPLE);
  plantSample(stage.workspace, sample);
  onProgress({ doing: "begin", from, copied, workspace: stage.workspace });
  const { length: of } = request.damages;
  const proof = await proveFiles({
    stage,
    sample,
    damages: request.damages,
    seed,
    kills,
    signal,
    onTrial: (index, damage) => onProgress({ doing: "damage", index: index + 1, of, damage }),
    onKill: (index) => onProgress({ doing: "kill", index: index + 1, of: kills }),
  });
  return { ...proof, folder: from, copied, seed, off: rowsOff(proof) };
}

async function copy({ from, stage, limit, signal, onProgress }: ProveRequest): Promise<Copied | undefined> {
  if (from === undefined) return undefined;
  return copyFolder({
    from,
    to: stage.workspace,
    limits: { files: limit * FILES_EACH, bytes: limit * GIB },
    onProgress: (files) => onProgress({ doing: "copy", files }),
    signal,
  });
}

function freeName(folder: string, name: string): string {
  return existsSync(join(folder, name)) ? freeName(folder, `${name}-too`) : name;
}

function folderOf({ surroundings }: AppContext, given: string): string {
  const path = resolve(currentFolder(surroundings.cwd), given);
  try {
    return realpathSync(path);
  } catch (cause) {
    throw new WorldlineError("folder-to-prove-missing", { folder: path }, { cause });
  }
}
