import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Node 20 cannot run TypeScript: each child is bundled once, into the test's own folder. */
export async function bundleChild(name: "writer" | "contender", folder: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [fileURLToPath(new URL(`./${name}.ts`, import.meta.url))],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    logLevel: "error",
  });
  return outfile;
}
