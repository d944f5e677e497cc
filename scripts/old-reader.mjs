import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build as bundle } from "esbuild";
import { root } from "./run-command.mjs";

// Writes test/fixtures/old-reader/<name>.mjs: this commit's log reader as one file without imports. A test
// uses it to read the logs that later programs write. Readers of older commits are never regenerated.

const [name] = process.argv.slice(2);
const license = readFileSync(join(root, "LICENSE"), "utf8").trim();
const header = `The reading code of Worldline (src/record and src/timeline, from the bytes of a log to the context of a model) as it was
when this file was written, bundled by \`node scripts/old-reader.mjs ${name}\`. Tests read with it what the
current program writes: an older program must find no damage in it, and see the same context. Never edit it or make it again.

${license}`;

if (name === undefined) {
  console.error("Usage: node scripts/old-reader.mjs <name>");
  process.exitCode = 2;
} else {
  const folder = join(root, "test/fixtures/old-reader");
  mkdirSync(folder, { recursive: true });
  await bundle({
    absWorkingDir: root,
    entryPoints: ["scripts/old-reader/reader.ts"],
    outfile: join(folder, `${name}.mjs`),
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "node20.19",
    minifyWhitespace: true,
    banner: { js: `/*\n${header}\n*/` },
    logLevel: "warning",
  });
}
