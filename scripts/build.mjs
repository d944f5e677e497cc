import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { stampOfBuild, stampOfSources } from "./build-stamp.mjs";
import { lazyPiTui } from "./lazy-pi-tui.mjs";
import { plainBuiltins } from "./plain-builtins.mjs";
import { installed, isStarted, root, run } from "./run-command.mjs";

const dist = join(root, "dist");
/** The file where the program starts. */
const mainFile = "src/cli/main.ts";
const shebang = "#!/usr/bin/env node\n";

/** The library: one .js and one .d.ts per source file, so that a stack trace names a file one can read. */
async function buildLibrary(/** @type {string} */ out) {
  const { code, output } = await run(installed("tsc"), ["-p", "tsconfig.build.json", "--outDir", out], {
    show: "collect",
  });
  if (code !== 0) throw new Error(`tsc could not build the library:\n${output}`);
}

/**
 * The command line: bundled, because reading many small files is most of a start. Split, because a command
 * imported with `await import(...)` must not be paid for by the others.
 * @param {string} out
 * @returns {import("esbuild").BuildOptions}
 */
export function commandLineOptions(out) {
  return {
    absWorkingDir: root,
    // The worker is started by its path, relative to the chunk that starts it.
    entryPoints: { cli: mainFile, "cli/worker": "src/snapshots/workers/worker.ts" },
    outdir: out,
    chunkNames: "cli/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    // Four load or name a binary beside their own files; turndown is loaded by a thread, from its path; pg and Claude's SDK are whoever's who wants them.
    external: [
      "@anthropic-ai/claude-agent-sdk",
      "@parcel/watcher",
      "@vscode/ripgrep",
      "libsql",
      "pg",
      "turndown",
      "web-tree-sitter",
    ],
    plugins: [lazyPiTui, plainBuiltins],
    // What is not there need not be parsed at every start. Names stay, for whoever reads a stack trace.
    minifyWhitespace: true,
    minifySyntax: true,
    // The ES modules of a package, where it has them: only those can be split and shaken.
    mainFields: ["module", "main"],
    // commander is CommonJS inside and asks for `node:events` with `require`, which ES modules do not have. Of `globalThis`,
    // because a package may have a `process` of its own at its top level, as turndown has.
    banner: {
      js: 'const require = globalThis.process.getBuiltinModule("node:module").createRequire(import.meta.url);',
    },
    logLevel: "warning",
  };
}

/** Bundles the command line and makes it a program that can be started. */
async function buildCommandLine(/** @type {string} */ out) {
  const { build: bundle, stop } = await import("esbuild");
  await bundle(commandLineOptions(out));
  // Its helper would stay, with all its memory, for as long as whoever built.
  await stop();
  const entry = join(out, "cli.js");
  const code = readFileSync(entry, "utf8");
  writeFileSync(entry, code.startsWith("#!") ? code : shebang + code);
  chmodSync(entry, 0o755);
}

/** Beside the chunk that reads it. Its package is 20 MB, mostly of sources, and so not one that is shipped. */
export function copyGrammar(/** @type {string} */ out) {
  const name = "tree-sitter-bash.wasm";
  copyFileSync(join(root, "node_modules/tree-sitter-bash", name), join(out, "cli", name));
}

/** Puts a finished build in the place of the old one. Of two that finish together, either will do. */
function replaceDist(/** @type {string} */ finished, /** @type {string} */ stamp) {
  rmSync(dist, { recursive: true, force: true });
  try {
    renameSync(finished, dist);
  } catch (error) {
    if (stampOfBuild(dist) !== stamp) throw error;
  }
}

/** Whether dist/ was built from other sources than these. */
export function isOutdated() {
  return stampOfBuild(dist) !== stampOfSources();
}

/**
 * Builds dist/ unless it was built from exactly these sources. It is built aside and then put in place, so
 * that a build that fails leaves the old one working.
 * @returns {Promise<"built" | "unchanged">}
 */
export async function build() {
  if (!isOutdated()) return "unchanged";
  const stamp = stampOfSources();
  mkdirSync(join(root, ".build"), { recursive: true });
  const aside = mkdtempSync(join(root, ".build", "dist-"));
  try {
    // Both to their end, even if one fails: the other would still be writing into the folder removed below.
    const parts = await Promise.allSettled([buildLibrary(aside), buildCommandLine(aside)]);
    for (const part of parts) if (part.status === "rejected") throw part.reason;
    copyGrammar(aside);
    writeFileSync(join(aside, ".stamp"), stamp);
    chmodSync(aside, 0o755);
    replaceDist(aside, stamp);
    return "built";
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

if (isStarted(import.meta.url)) {
  const started = performance.now();
  try {
    const outcome = await build();
    console.log(`build: ${outcome} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
