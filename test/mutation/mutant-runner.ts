import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { type RunnerTestCase, type RunnerTestSuite, TestRunner } from "vitest";

/** What Stryker's instrumented code reads and counts. */
interface Instrumented {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: { static: Hits; perTest: Record<string, Hits> };
}
type Hits = Record<string, number>;

const folder = process.env["WORLDLINE_MUTATION_FOLDER"] ?? "";
const phase = process.env["WORLDLINE_MUTATION_PHASE"] ?? "quick";
const results = join(folder, "results");
const code: Instrumented = {};
Object.assign(globalThis, { __stryker__: code });
const coverage = { static: {} as Hits, perTest: {} as Record<string, Hits> };
code.mutantCoverage = coverage;

/** A test that takes longer runs in the second phase, only with the mutants that no quick test notices. */
const QUICK_MS = 150;
const MIN_TIMEOUT_MS = 3_000;
/** So long after its timeout, the code of a mutant does not return to the event loop. */
const STUCK_MS = 5_000;

/**
 * Runs each test once for every mutant that it executes, in the same process. In the phase `survey`, only records which
 * mutants the test executes; in the phase `nearest`, only tries the mutants that `scripts/mutate/try-mutants.mjs` planned
 * for the test. Starting a process for each mutant, as
 * Stryker does, takes a second for each, and a test of a use case takes a twentieth of that.
 */
export default class MutantRunner extends TestRunner {
  readonly #watchdog = startWatchdog();
  #known = readResults();

  override async onBeforeRunSuite(suite: RunnerTestSuite) {
    await super.onBeforeRunSuite(suite);
    // The other process may have found more mutants meanwhile.
    if ("filepath" in suite) this.#known = readResults();
  }

  override async onAfterRunSuite(suite: RunnerTestSuite) {
    await super.onAfterRunSuite(suite);
    if (!("filepath" in suite)) return;
    write(`static ${Object.keys(coverage.static).join(",")}`);
    write(`done ${phase}:${suite.name}`);
  }

  async runTask(test: RunnerTestCase) {
    if (phase === "nearest" && !this.#known.plannedTests.has(test.id)) return;
    const run = bodyOf(test);
    // What runs only once in a process, such as loading a module on demand, belongs to the first round.
    try {
      await this.#covering("static", run);
    } catch (error) {
      write(`failed ${test.file.name} ${test.name}`);
      throw error;
    }
    const started = performance.now();
    const hits = await this.#covering(test.id, run);
    const tookMs = performance.now() - started;
    if (phase === "survey")
      return write(`covers ${Object.keys(hits).join(",")} ${test.id} ${Math.ceil(tookMs)}`);
    if (phase === "quick" && tookMs > QUICK_MS) return write(`slow ${test.id}`);
    if (phase === "slow" && !this.#known.slow.has(test.id)) return;
    write(`covered ${Object.keys(hits).join(",")}`);
    const timeoutMs = Math.max(MIN_TIMEOUT_MS, 5 * tookMs);
    for (const [mutant, count] of Object.entries(hits)) {
      if (this.#known.killed.has(mutant) || this.#known.passed.has(`${mutant} ${test.id}`)) continue;
      if (phase === "nearest" && !this.#known.planned.has(`${mutant} ${test.id}`)) continue;
      await this.#tryMutant(mutant, { test, run, count, timeoutMs });
    }
  }

  async #covering(name: string, run: () => Promise<void>): Promise<Hits> {
    coverage.perTest = {};
    code.currentTestId = name;
    try {
      await run();
    } finally {
      code.currentTestId = undefined;
    }
    const hits = coverage.perTest[name] ?? {};
    if (name === "static") Object.assign(coverage.static, hits);
    return hits;
  }

  async #tryMutant(
    mutant: string,
    {
      test,
      run,
      count,
      timeoutMs,
    }: { test: RunnerTestCase; run: () => Promise<void>; count: number; timeoutMs: number },
  ) {
    write(`try ${mutant} ${test.id} ${process.pid}`);
    this.#watchdog.postMessage(timeoutMs + STUCK_MS);
    Object.assign(code, { activeMutant: mutant, hitCount: 0, hitLimit: 100 * count + 1_000 });
    const passed = await passes(run, timeoutMs);
    Object.assign(code, { activeMutant: undefined, hitCount: undefined, hitLimit: undefined });
    this.#watchdog.postMessage(undefined);
    write(`${passed ? "pass" : "kill"} ${mutant} ${test.id}`);
    if (passed) return;
    this.#known.killed.add(mutant);
    // A mutant may leave the process in a state in which every later test would fail.
    if (!(await passes(run, timeoutMs))) process.kill(process.pid, "SIGKILL");
  }
}

/** Runs the body of a test and then what it registered with `onTestFinished`. */
function bodyOf(test: RunnerTestCase) {
  const body = TestRunner.getTestFn(test);
  return async () => {
    try {
      await body();
    } finally {
      const hooks = (test as { onFinished?: ((context: unknown) => unknown)[] }).onFinished?.splice(0) ?? [];
      for (const hook of hooks.reverse()) await hook(test.context);
    }
  };
}

async function passes(run: () => Promise<void>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  const ended = run().then(
    () => true,
    () => false,
  );
  const passed = await Promise.race([ended, timeout]);
  clearTimeout(timer);
  return passed;
}

function write(line: string) {
  appendFileSync(results, `${line}\n`);
}

function readResults() {
  const lines = existsSync(results) ? readFileSync(results, "utf8").split("\n") : [];
  const open = new Map<string, { mutant: string; pid: number }>();
  for (const line of lines) {
    const [what, mutant = "", test = "", pid = ""] = line.split(" ");
    if (what === "try") open.set(`${mutant} ${test}`, { mutant, pid: Number(pid) });
    if (what === "pass" || what === "kill") open.delete(`${mutant} ${test}`);
  }
  const all = (prefix: string) =>
    lines.filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length));
  return {
    killed: new Set([
      ...all("kill ").map((each) => each.split(" ")[0] ?? ""),
      // These mutants ended the process that ran them.
      ...[...open.values()].filter(({ pid }) => !isRunning(pid)).map(({ mutant }) => mutant),
    ]),
    passed: new Set(all("pass ")),
    slow: new Set(all("slow ")),
    planned: new Set(all("plan ")),
    plannedTests: new Set(all("plan ").map((each) => each.split(" ")[1])),
  };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Ends this process if a mutant is stuck in a loop that never returns to the event loop. */
function startWatchdog() {
  const watchdog = new Worker(
    `const { parentPort } = require("node:worker_threads");
    let timer;
    parentPort.on("message", (limitMs) => {
      clearTimeout(timer);
      if (limitMs !== undefined) timer = setTimeout(() => process.kill(process.pid, "SIGKILL"), limitMs);
    });`,
    { eval: true },
  );
  watchdog.unref();
  return watchdog;
}
