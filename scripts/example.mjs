import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";
import { root } from "./run-command.mjs";

/** Bundles the examples as a module that Node can import. The examples use the built package. */
async function importExamples(/** @type {string} */ folder) {
  const { build: bundle, stop } = await import("esbuild");
  const { outputFiles } = await bundle({
    absWorkingDir: root,
    entryPoints: ["examples/executions/examples.ts"],
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
    alias: { worldline: join(root, "dist", "index.js") },
    packages: "external",
    external: [join(root, "dist", "*")],
  });
  await stop();
  const file = join(folder, "examples.mjs");
  writeFileSync(file, outputFiles[0]?.contents ?? "");
  return (await import(pathToFileURL(file).href)).examples;
}

const { values, positionals } = parseArgs({ options: { store: { type: "string" } }, allowPositionals: true });
await build();
const folder = mkdtempSync(join(tmpdir(), "worldline-example-"));
try {
  const examples = await importExamples(folder);
  const wanted = positionals.length === 0 ? Object.keys(examples) : positionals;
  const unknown = wanted.filter((name) => examples[name] === undefined);
  if (unknown.length > 0) {
    console.error(`Unknown example: ${unknown.join(", ")}. Examples: ${Object.keys(examples).join(", ")}.`);
    process.exitCode = 42;
  }
  for (const name of unknown.length > 0 ? [] : wanted) {
    const [home, workspace] = [join(folder, name, "home"), join(folder, name, "workspace")];
    mkdirSync(workspace, { recursive: true });
    const store = values.store ?? `sqlite:${join(folder, name, "worldline.db")}`;
    console.log(`\n== ${name} (examples/executions/${name}.ts)`);
    await examples[name]({ store, home, workspace }, (/** @type {string} */ line) => console.log(line));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
