import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { run } from "../run-command.mjs";

/** So many processes in a row may end early without finishing a file. */
const MAX_ROUNDS = 200;

/** @typedef {"Killed" | "Survived" | "NoCoverage" | "Ignored"} Status */

/** In the phase `nearest`, a test that takes longer tries no mutants. */
const MAX_NEAREST_MS = 2_000;

/** Reads what `test/mutation/mutant-runner.ts` wrote. @param {string} folder */
function readResults(folder) {
  const path = join(folder, "results");
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  /** @type {Record<"kill" | "covered" | "static" | "done" | "failed", Set<string>>} */
  const found = {
    kill: new Set(),
    covered: new Set(),
    static: new Set(),
    done: new Set(),
    failed: new Set(),
  };
  /** @type {Map<string, string>} */
  const open = new Map();
  for (const line of lines) {
    const [what = "", first = "", second = ""] = line.split(" ");
    if (what === "try") open.set(`${first} ${second}`, first);
    else if (what === "pass" || what === "kill") open.delete(`${first} ${second}`);
    if (what === "failed") found.failed.add(line.slice(what.length + 1));
    else if (what in found)
      for (const each of first.split(",")) found[/** @type {keyof typeof found} */ (what)].add(each);
  }
  const surveyed = lines
    .filter((line) => line.startsWith("covers "))
    .map((line) => line.split(" "))
    .map(([, mutants = "", test = "", tookMs]) => ({
      mutants: mutants.split(","),
      test,
      tookMs: Number(tookMs),
    }));
  return { ...found, open, surveyed };
}

/**
 * Runs the tests until each has tried its mutants. A mutant can end the process that runs the tests, so each round
 * goes on where the last one ended.
 * @param {string} folder @param {{ phase: "quick" | "slow" | "survey" | "nearest", tests: readonly string[] }} options
 */
async function runPhase(folder, { phase, tests }) {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const left = tests.filter((each) => !readResults(folder).done.has(`${phase}:${each}`));
    if (left.length === 0) return;
    const env = {
      ...process.env,
      WORLDLINE_MUTATION_TESTS: left.join("\n"),
      WORLDLINE_MUTATION_PHASE: phase,
      WORLDLINE_MUTATION_FOLDER: folder,
    };
    const args = ["node_modules/vitest/vitest.mjs", "run", "--config", "vitest.mutation.config.ts"];
    const { code, output } = await run(process.execPath, args, { cwd: folder, env, show: "collect" });
    const { open, done, failed } = readResults(folder);
    if (failed.size > 0)
      throw new Error(`These tests fail without a mutant:\n${[...failed].join("\n")}\n${output}`);
    // These mutants ended the process that ran them.
    for (const pair of open.keys()) appendFileSync(join(folder, "results"), `kill ${pair}\n`);
    const finished = left.filter((each) => done.has(`${phase}:${each}`)).length;
    console.log(`  ${phase} tests: ${tests.length - left.length + finished} of ${tests.length} files`);
    // The files that are still left have no tests here, for example because they need a program that is not installed.
    if (code === 0) return;
    if (finished === 0 && / FAIL /u.test(output)) throw new Error(output);
  }
  throw new Error(`The tests did not end in ${MAX_ROUNDS} rounds.`);
}

/**
 * Plans which tests try which mutants. A test that executes few other mutants is more likely to be about this one.
 * @param {string} folder @param {number} testsPerMutant
 */
function planNearest(folder, testsPerMutant) {
  /** @type {Map<string, { test: string, cost: number }[]>} */
  const testsOf = new Map();
  for (const { mutants, test, tookMs } of readResults(folder).surveyed) {
    if (tookMs > MAX_NEAREST_MS) continue;
    const cost = mutants.length * tookMs;
    for (const mutant of mutants) {
      const known = testsOf.get(mutant);
      if (known === undefined) testsOf.set(mutant, [{ test, cost }]);
      else known.push({ test, cost });
    }
  }
  const plan = [...testsOf].flatMap(([mutant, tests]) =>
    tests
      .sort((one, other) => one.cost - other.cost)
      .slice(0, testsPerMutant)
      .map(({ test }) => `plan ${mutant} ${test}\n`),
  );
  appendFileSync(join(folder, "results"), plan.join(""));
}

/**
 * Runs the tests of a sandbox with every mutant that they execute, or each mutant with some of the tests.
 * @param {string} folder @param {{ tests: readonly string[], testsPerMutant?: number | undefined }} options
 * @returns {Promise<(mutant: string) => Status>}
 */
export async function tryMutants(folder, { tests, testsPerMutant }) {
  rmSync(join(folder, "results"), { force: true });
  if (testsPerMutant === undefined) {
    await runPhase(folder, { phase: "quick", tests });
    await runPhase(folder, { phase: "slow", tests });
  } else {
    await runPhase(folder, { phase: "survey", tests });
    planNearest(folder, testsPerMutant);
    await runPhase(folder, { phase: "nearest", tests });
  }
  const found = readResults(folder);
  const covered = new Set([...found.covered, ...found.surveyed.flatMap(({ mutants }) => mutants)]);
  return (mutant) => {
    if (found.kill.has(mutant)) return "Killed";
    if (covered.has(mutant)) return "Survived";
    return found.static.has(mutant) ? "Ignored" : "NoCoverage";
  };
}
