import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Node 20 cannot run TypeScript, so the child is bundled once, into the test's own folder. */
export async function bundleFilesChild(folder: string): Promise<string> {
  const outfile = join(folder, "files-child.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("./files-child.ts", import.meta.url))],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    mainFields: ["module", "main"],
    external: ["@parcel/watcher"],
    logLevel: "error",
  });
  return outfile;
}
