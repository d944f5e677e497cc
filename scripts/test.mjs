import { build } from "./build.mjs";
import { runChecks } from "./check.mjs";
import { provideNeeds } from "./needs.mjs";
import { runAsOrdinaryUser } from "./ordinary-user.mjs";
import { runTests } from "./run-tests.mjs";

/** A failed build counts as one failure; the checks that follow explain it. */
async function tryBuild() {
  try {
    console.log(`build: ${await build()}`);
    return { passed: 1, failed: 0 };
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return { passed: 0, failed: 1 };
  }
}

/** Installs what the tests need while the sources are being built and checked. */
async function buildAndCheck() {
  const built = await tryBuild();
  return { built, checked: await runChecks() };
}

const [leftOut, { built, checked }] = await Promise.all([provideNeeds(), buildAndCheck()]);
const tested = await runTests("vitest.config.ts", { args: process.argv.slice(2) });
// When specific tests were selected, nothing else runs.
const onceMore = process.argv.length > 2 ? undefined : await runAsOrdinaryUser();

const parts = [built, checked, tested, ...(onceMore === undefined ? [] : [onceMore])];
const passed = parts.reduce((sum, part) => sum + part.passed, 0);
const failed = parts.reduce((sum, part) => sum + part.failed, 0);
const skipped = tested.skipped + (onceMore?.skipped ?? 0);
for (const each of [...leftOut, ...(onceMore?.leftOut ?? [])]) console.log(`left out: ${each}`);
if (skipped > 0) console.log(`${skipped} skipped`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
