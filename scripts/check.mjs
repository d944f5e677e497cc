import { join } from "node:path";
import { installed, isStarted, root, run } from "./run-command.mjs";

const script = (/** @type {string} */ name) => [process.execPath, `scripts/${name}.mjs`];

/**
 * Lets tsc check again only what has changed since the last check.
 * @param {string} name
 */
const incremental = (name) => [
  "--incremental",
  "--tsBuildInfoFile",
  join(root, "node_modules", ".cache", `${name}.tsbuildinfo`),
];

/** @type {readonly (readonly [name: string, command: readonly string[]])[]} */
const checks = [
  ["format and lint", [installed("biome"), "check", "--error-on-warnings", "."]],
  ["types", [installed("tsc"), "-p", "tsconfig.json", ...incremental("types")]],
  [
    "declarations",
    [installed("tsc"), "-p", "tsconfig.build.json", "--noEmit", ...incremental("declarations")],
  ],
  ["sizes and promises", [installed("oxlint"), "--deny-warnings"]],
  ["boundaries", script("check-boundaries")],
  ["purity", script("check-purity")],
  ["texts of errors", script("check-error-texts")],
  ["lockfile", script("check-lockfile")],
  ["descriptions of tools", [...script("generate-descriptions"), "--check"]],
  ["unused code", [installed("knip")]],
];

// Otherwise, Biome writes a log into the user's home.
const env = { ...process.env, XDG_CACHE_HOME: join(root, "node_modules", ".cache") };

/** @param {string} name @param {readonly string[]} command */
async function check(name, [command = "", ...args]) {
  const started = performance.now();
  const { code, output } = await run(command, args, { env, show: "collect" });
  return { name, passed: code === 0, output, seconds: (performance.now() - started) / 1000 };
}

/**
 * Runs all checks in parallel, and prints them in order. A failing check does not hide the next one.
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function runChecks() {
  const running = checks.map(([name, command]) => check(name, command));
  let failed = 0;
  for (const one of running) {
    const { name, passed, output, seconds } = await one;
    console.log(`${passed ? "ok    " : "FAILED"} ${name} (${seconds.toFixed(1)} s)`);
    if (!passed) {
      failed += 1;
      console.log(output.trimEnd());
    }
  }
  return { passed: checks.length - failed, failed };
}

if (isStarted(import.meta.url)) {
  const { failed } = await runChecks();
  process.exitCode = failed > 0 ? 1 : 0;
}
