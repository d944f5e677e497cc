import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { listExecutions } from "../../../src/executions/list-executions.ts";
import { openExecution } from "../../../src/open-execution.ts";
import { openStore } from "../../../src/open-store.ts";
import { ManualClock } from "../../../src/testing/testing.ts";
import { startChild } from "../../crash/children/child.ts";

export interface KillPlace {
  readonly folder: string;
  /** The address of the store. */
  readonly store: string;
}

export interface KilledReport {
  readonly runs: number;
  /** The steps that took effect, in order; a step that took effect twice is listed twice. */
  readonly effects: readonly string[];
  /** The steps that were reported as unfinished. */
  readonly reported: readonly string[];
  /** The steps that succeeded in the end. */
  readonly succeeded: readonly number[];
}

const MAX_RUNS = 80;

/**
 * Runs a program that is killed in a step, after its effect and before its end is recorded, and starts it
 * again.
 */
export async function dieInStep(place: KillPlace): Promise<KilledReport> {
  const script = await bundleProgram(place.folder);
  await startChild(script, [place.folder, place.store, "dying"]).ended;
  await startChild(script, [place.folder, place.store, "dying"]).ended;
  return reportOf(place, 2);
}

/**
 * How the execution is listed after the program was killed between two steps, in a step, and after it has
 * finished.
 */
export async function listedStatuses(place: KillPlace): Promise<readonly string[]> {
  const script = await bundleProgram(place.folder);
  const statuses: string[] = [];
  for (const mode of ["stopping", "dying", ""]) {
    await startChild(script, [place.folder, place.store, mode]).ended;
    const store = openStore(place.store, { home: join(place.folder, "home") });
    const [listed] = await listExecutions(store);
    statuses.push(`${listed?.status} after ${listed?.last?.name}`);
    await store.close();
  }
  return statuses;
}

/** Kills the program at random moments derived from the seed, until it finishes. */
export async function killUntilDone(place: KillPlace, seed: number): Promise<KilledReport> {
  const script = await bundleProgram(place.folder);
  const dice = new ManualClock({ seed });
  let runs = 0;
  while (!existsSync(join(place.folder, "ended"))) {
    runs += 1;
    if (runs > MAX_RUNS) throw new Error("The program never came to its end.");
    const child = startChild(script, [place.folder, place.store]);
    await child.said("opened", 1);
    await Promise.race([sleep(dice.below(40)), child.ended]);
    await child.kill();
  }
  return reportOf(place, runs);
}

async function reportOf({ folder, store }: KillPlace, runs: number): Promise<KilledReport> {
  const execution = await openExecution("killed", { home: join(folder, "home"), workspace: folder, store });
  const here = await execution.checkpoints({ branch: "here" });
  await execution.close();
  return {
    runs,
    effects: linesOf(join(folder, "effects")),
    reported: linesOf(join(folder, "reported")),
    succeeded: here.filter(({ status }) => status === "success").map(({ index }) => index),
  };
}

function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
}

/** Bundles the program, because Node 20 cannot run TypeScript. */
async function bundleProgram(folder: string): Promise<string> {
  const outfile = join(folder, "program.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("./program.ts", import.meta.url))],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    logLevel: "error",
  });
  symlinkSync(fileURLToPath(new URL("../../../node_modules", import.meta.url)), join(folder, "node_modules"));
  return outfile;
}
