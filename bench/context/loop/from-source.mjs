import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { withTempDir } from "../../temp-dir.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Bundles code that neither the library nor the command line exports, and imports it. `entry` is TypeScript, with paths
 * relative to the project's folder.
 * @param {string} entry
 */
export async function fromSource(entry) {
  const { build } = await import("esbuild");
  // The bundle is inside the project, so that packages resolve. It is no longer needed once it has been
  // imported.
  return withTempDir(async (folder) => {
    const outfile = join(folder, "bundle.mjs");
    await build({
      absWorkingDir: root,
      stdin: { contents: entry, resolveDir: root, loader: "ts" },
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20.19",
      external: ["@parcel/watcher", "@vscode/ripgrep", "undici"],
      mainFields: ["module", "main"],
      banner: {
        js: 'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);',
      },
      logLevel: "warning",
    });
    return import(pathToFileURL(outfile).href);
  });
}
