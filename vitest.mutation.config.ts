import { defineConfig } from "vitest/config";
import suite from "./vitest.config.ts";

/** Only the tests of the mutated folder run: `scripts/mutate.mjs` names them. */
const include = (process.env["WORLDLINE_MUTATION_TESTS"] ?? "").split("\n");

export default defineConfig({
  // Without the aliases, `worldline` would be what was built from the code before it was mutated.
  resolve: suite.resolve ?? {},
  test: {
    include,
    exclude: ["**/node_modules/**"],
    runner: "test/mutation/mutant-runner.ts",
    setupFiles: ["test/setup/isolate.ts", "test/mutation/seed.ts"],
    globalSetup: ["test/support/postgres/global-setup.ts"],
    pool: "forks",
    isolate: false,
    maxWorkers: 2,
    testTimeout: 60_000,
  },
});
