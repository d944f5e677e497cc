import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const MODULES = fileURLToPath(new URL("../../../../node_modules", import.meta.url));

/** Node 20 cannot run TypeScript: the child is bundled once, into the test's own folder. */
export async function bundleAgentChild(folder: string): Promise<string> {
  const outfile = join(folder, "agent-child.mjs");
  // What cannot be bundled is found beside the bundle.
  symlinkSync(MODULES, join(folder, "node_modules"));
  await build({
    entryPoints: [fileURLToPath(new URL("./agent-child.ts", import.meta.url))],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    mainFields: ["module", "main"],
    external: ["@parcel/watcher", "@vscode/ripgrep", "undici"],
    banner: {
      js: 'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
  return outfile;
}
