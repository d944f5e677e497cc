import { build } from "./build.mjs";
import { runChecks } from "./check.mjs";
import { provideNeeds } from "./needs.mjs";
import { runTests } from "./run-tests.mjs";

/** A build that fails is one failure; the checks that follow say more about why. */
async function tryBuild() {
  try {
    console.log(`build: ${await build()}`);
    return { passed: 1, failed: 0 };
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return { passed: 0, failed: 1 };
  }
}

/** What the tests need is fetched while the sources are built and checked: neither waits for the other. */
async function buildAndCheck() {
  const built = await tryBuild();
  return { built, checked: await runChecks() };
}

const [leftOut, { built, checked }] = await Promise.all([provideNeeds(), buildAndCheck()]);
const tested = await runTests("vitest.config.ts", { args: process.argv.slice(2) });

const passed = built.passed + checked.passed + tested.passed;
const failed = built.failed + checked.failed + tested.failed;
for (const each of leftOut) console.log(`left out: ${each}`);
if (tested.skipped > 0) console.log(`${tested.skipped} skipped`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
