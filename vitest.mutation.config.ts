import { defineConfig } from "vitest/config";

/** Only the tests of the mutated folder run: `scripts/mutate.mjs` names them. */
const include = (process.env["WORLDLINE_MUTATION_TESTS"] ?? "").split(",");

export default defineConfig({
  test: {
    include,
    exclude: ["**/node_modules/**"],
    setupFiles: ["test/setup/isolate.ts", "test/mutation/seed.ts"],
    isolate: false,
    testTimeout: 60_000,
  },
});
