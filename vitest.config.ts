import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Their files may share a process one after the other, which saves loading the same modules two hundred times. */
const together = [
  "test/{record,timeline,travel,ports,strings,show,app,tui,machine,cli,agent,hosts,snapshots,disk,finder,demo}/**/*.test.ts",
  "test/stores/{memory.test.ts,{files,sqlite}/**/*.test.ts}",
];

export default defineConfig({
  resolve: {
    // The longer name first: an alias also matches as a prefix.
    alias: {
      "worldline/testing": file("src/testing/testing.ts"),
      worldline: file("src/index.ts"),
    },
  },
  test: {
    projects: [
      { extends: true, test: { name: "together", include: together, isolate: false } },
      {
        extends: true,
        test: {
          name: "apart",
          include: ["test/**/*.test.ts", "examples/**/*.test.ts"],
          exclude: [...together, "test/torture/**", "**/node_modules/**"],
        },
      },
    ],
    setupFiles: ["test/setup/isolate.ts"],
    globalSetup: ["test/support/postgres/global-setup.ts"],
    // Child processes, not threads: tests change the environment and the working directory.
    pool: "forks",
    // Not one less, as by default: many tests wait for programs that they started.
    maxWorkers: "100%",
    // A bound on hanging, not a claim about speed: speed is measured in bench/.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
