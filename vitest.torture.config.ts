import { defineConfig } from "vitest/config";
import everyday from "./vitest.config.ts";

// One project of its own instead of those of every day.
const { projects: _, ...alike } = everyday.test ?? {};

export default defineConfig({
  ...everyday,
  test: {
    ...alike,
    include: ["test/torture/**/*.test.ts"],
    exclude: [],
    testTimeout: 3_600_000,
    hookTimeout: 600_000,
    // One file at a time: the counts are large and the files would only starve each other.
    fileParallelism: false,
  },
});
