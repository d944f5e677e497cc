import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../run-command.mjs";

const entry = `
export { openScene, SHOP } from "./test/e2e/terminal/support/scene.ts";
export { byPrompt, calls, goesBack, speaksOn } from "./test/e2e/terminal/support/replies.ts";
export { Pty } from "./test/e2e/terminal/support/pty.ts";
export { stringsFor } from "./src/strings/strings.ts";
export { openModelServer, scripted } from "./src/testing/testing.ts";
`;

/**
 * Loads from the sources the functions that drive the terminal's tests.
 * @returns {Promise<Pick<typeof import("../../test/e2e/terminal/support/scene.ts"), "openScene" | "SHOP">
 *   & Pick<typeof import("../../test/e2e/terminal/support/replies.ts"), "byPrompt" | "calls" | "goesBack" | "speaksOn">
 *   & Pick<typeof import("../../test/e2e/terminal/support/pty.ts"), "Pty">
 *   & Pick<typeof import("../../src/strings/strings.ts"), "stringsFor">
 *   & Pick<typeof import("../../src/testing/testing.ts"), "openModelServer" | "scripted">>}
 */
export async function loadHarness() {
  const { build: bundle } = await import("esbuild");
  const parent = join(root, ".build");
  mkdirSync(parent, { recursive: true });
  // The bundle is inside the project, so that packages resolve. It is no longer needed once it has been
  // imported.
  const folder = mkdtempSync(join(parent, "pictures-"));
  try {
    const outfile = join(folder, "harness.mjs");
    await bundle({
      absWorkingDir: root,
      stdin: { contents: entry, resolveDir: root, loader: "ts" },
      outfile,
      bundle: true,
      packages: "external",
      format: "esm",
      platform: "node",
      target: "node20.19",
      logLevel: "warning",
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
