import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const CHILDREN = {
  writer: new URL("./writer.ts", import.meta.url),
  contender: new URL("./contender.ts", import.meta.url),
};

/** Node 20 cannot run TypeScript: each child is bundled once, into the test's own folder. */
export async function bundleChild(name: keyof typeof CHILDREN, folder: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [fileURLToPath(CHILDREN[name])],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    logLevel: "error",
  });
  return outfile;
}
