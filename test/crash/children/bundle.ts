import { existsSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const CHILDREN = {
  writer: new URL("./writer.ts", import.meta.url),
  contender: new URL("./contender.ts", import.meta.url),
};

export async function bundleChild(name: keyof typeof CHILDREN, folder: string): Promise<string> {
  return bundleProgram(CHILDREN[name], folder);
}

/** Node 20 cannot run TypeScript, so the program is bundled once, into the test's own folder. */
export async function bundleProgram(source: URL, folder: string): Promise<string> {
  const outfile = join(folder, `${basename(source.pathname, ".ts")}.mjs`);
  // Packages that cannot be bundled are resolved from a node_modules folder next to the bundle.
  const modules = join(folder, "node_modules");
  if (!existsSync(modules)) symlinkSync(MODULES, modules);
  await build({
    entryPoints: [fileURLToPath(source)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    mainFields: ["module", "main"],
    external: ["@parcel/watcher", "@vscode/ripgrep", "libsql", "pg"],
    banner: {
      js: 'const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
  return outfile;
}
