import { build } from "./build.mjs";
import { runTests } from "./run-tests.mjs";

await build();
const { passed, failed } = await runTests("vitest.torture.config.ts", {
  env: { WORLDLINE_TORTURE: process.env["WORLDLINE_TORTURE"] ?? "1" },
  args: process.argv.slice(2),
});
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
