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
import { dirname, join } from "node:path";
import { keepReachable } from "./build/declarations.mjs";
import { noticesFor } from "./build/notices.mjs";
import { undeclaredIn, unusedIn } from "./build/packages.mjs";
import { stampOfBuild, stampOfSources } from "./build-stamp.mjs";
import { lazyPiTui } from "./lazy-pi-tui.mjs";
import { plainBuiltins } from "./plain-builtins.mjs";
import { installed, isStarted, root, run } from "./run-command.mjs";

const WORKER = "src/snapshots/capturing/worker.ts";

/** @typedef {{ folder: string, entries: Record<string, string>, doors: Record<string, string> }} Bundle */

/** @type {Bundle} */
const commandLine = { folder: "cli", entries: { cli: "src/main.ts", "cli/worker": WORKER }, doors: {} };

/**
 * The bundles that are built, in addition to the declarations. Each is bundled separately, and code that its entries
 * share goes into chunks in `folder`. `doors` are files in front of a bundle, for code that must not be bundled
 * because it finds a file next to itself. The two bundles are separate because otherwise their shared code would be
 * split into smaller chunks, which made importing the library 40 ms slower.
 * @type {readonly Bundle[]}
 */
const bundles = [
  commandLine,
  {
    folder: "library",
    entries: {
      "library/index": "src/index.ts",
      "library/testing": "src/testing/testing.ts",
      "library/worker": WORKER,
    },
    doors: { "index.js": "./library/index.js", "testing/testing.js": "../library/testing.js" },
  },
];

/**
 * Packages that are imported at run time instead of being bundled: packages that load a binary next to their
 * own files, and packages that only some users install.
 */
const external = ["@anthropic-ai/claude-agent-sdk", "@parcel/watcher", "@vscode/ripgrep", "libsql", "pg"];

/** The files that `src/disk/packaged-file.ts` finds next to the chunk that reads or starts them. */
const packageFiles = {
  "tree-sitter-bash.wasm": "node_modules/tree-sitter-bash/tree-sitter-bash.wasm",
  "web-tree-sitter.wasm": "node_modules/web-tree-sitter/web-tree-sitter.wasm",
};
const readsPackageFiles = "src/disk/packaged-file.ts";

const dist = join(root, "dist");
const shebang = "#!/usr/bin/env node\n";

const common = /** @type {const} */ ({
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20.19",
  // Reduces the code to parse at every start. Names are kept for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  // The notices of bundled packages are in one file: scripts/build/notices.mjs.
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});

/** Writes one .d.ts per source file, so that the types that users see have the same names as in the sources. */
async function declare(/** @type {string} */ out) {
  const { code, output } = await run(installed("tsc"), ["-p", "tsconfig.build.json", "--outDir", out], {
    show: "collect",
  });
  if (code !== 0) throw new Error(`tsc could not write the declarations:\n${output}`);
  const doors = bundles.flatMap((each) => Object.keys(each.doors));
  keepReachable(
    out,
    doors.map((each) => each.replace(/\.js$/, ".d.ts")),
  );
}

/**
 * The sources are bundled because reading many small files is most of the start-up time. The bundle is split because
 * code that is imported with `await import(...)` must not slow down the start.
 * @param {Pick<Bundle, "folder" | "entries">} bundle
 * @param {string} out
 * @returns {import("esbuild").BuildOptions & { metafile: true }}
 */
function optionsOf({ folder, entries }, out) {
  return {
    ...common,
    entryPoints: entries,
    outdir: out,
    chunkNames: `${folder}/[name]-[hash]`,
    splitting: true,
    format: "esm",
    // Prefer a package's ES modules, because only ES modules can be split and tree-shaken.
    mainFields: ["module", "main"],
    external,
    plugins: [lazyPiTui, plainBuiltins],
    // commander is CommonJS and loads `node:events` with `require`, which ES modules do not have. The banner
    // uses `globalThis.process`, because a bundled package may declare its own `process` at the top level.
    banner: {
      js: 'const require = globalThis.process.getBuiltinModule("node:module").createRequire(import.meta.url);',
    },
  };
}

/**
 * The options for the command line's bundle. scripts/trips/ bundles it again to measure which source files
 * are executed.
 */
export function commandLineOptions(/** @type {string} */ out) {
  return optionsOf(commandLine, out);
}

/**
 * @param {Bundle} bundle
 * @param {string} out
 */
async function bundle({ folder, entries, doors }, out) {
  const { build: esbuild } = await import("esbuild");
  const { metafile } = await esbuild(optionsOf({ folder, entries }, out));
  for (const [door, path] of Object.entries(doors)) {
    mkdirSync(dirname(join(out, door)), { recursive: true });
    writeFileSync(join(out, door), `export * from ${JSON.stringify(path)};\n`);
  }
  const copied = readsPackageFiles in metafile.inputs ? await copyPackageFiles(join(out, folder)) : [];
  return { metafile, inputs: [...Object.keys(metafile.inputs), ...copied] };
}

/** @returns {Promise<readonly string[]>} The folders that the files come from. */
export async function copyPackageFiles(/** @type {string} */ folder) {
  for (const [name, from] of Object.entries(packageFiles)) copyFileSync(join(root, from), join(folder, name));
  const { build: esbuild } = await import("esbuild");
  const { metafile } = await esbuild({
    ...common,
    // Bundled as CommonJS, because it is started as a worker thread.
    entryPoints: { turndown: "turndown" },
    outdir: folder,
    outExtension: { ".js": ".cjs" },
    format: "cjs",
  });
  return [...Object.values(packageFiles), ...Object.keys(metafile.inputs)];
}

/** Checks that npm installs exactly the packages that the built code imports. */
function checkPackages(/** @type {readonly import("esbuild").Metafile[]} */ metafiles) {
  const declared = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const faults = [
    ...new Set(metafiles.flatMap((each) => undeclaredIn(each, declared))),
    ...unusedIn(metafiles, declared),
  ];
  if (faults.length > 0) throw new Error(faults.join("\n"));
}

/** Builds the code, together with the notices of bundled packages. */
async function buildCode(/** @type {string} */ out) {
  const built = await allOf(bundles.map(async (each) => bundle(each, out)));
  // Otherwise, esbuild's helper process would keep its memory until this process ends.
  await (await import("esbuild")).stop();
  checkPackages(built.map(({ metafile }) => metafile));
  const notices = noticesFor(
    built.flatMap(({ inputs }) => inputs),
    { root, texts: join(root, "scripts/build/licenses") },
  );
  writeFileSync(join(out, "THIRD-PARTY-NOTICES.txt"), notices);
  const entry = join(out, "cli.js");
  const code = readFileSync(entry, "utf8");
  writeFileSync(entry, code.startsWith("#!") ? code : shebang + code);
  chmodSync(entry, 0o755);
}

/**
 * Waits for all promises, even if one fails: otherwise the others would still be writing to a folder that is being
 * removed.
 * @template Result
 * @param {readonly Promise<Result>[]} promises
 */
async function allOf(promises) {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** Moves a finished build into place. If two builds finish at the same time, either may remain. */
function replaceDist(/** @type {string} */ finished, /** @type {string} */ stamp) {
  rmSync(dist, { recursive: true, force: true });
  try {
    renameSync(finished, dist);
  } catch (error) {
    if (stampOfBuild(dist) !== stamp) throw error;
  }
}

/** Whether dist/ was built from different sources. */
export function isOutdated() {
  return stampOfBuild(dist) !== stampOfSources();
}

/**
 * Builds dist/ unless it was built from exactly these sources. The build runs in another folder and is then moved into
 * place, so that a failed build leaves the old build working.
 * @returns {Promise<"built" | "unchanged">}
 */
export async function build() {
  if (!isOutdated()) return "unchanged";
  const stamp = stampOfSources();
  mkdirSync(join(root, ".build"), { recursive: true });
  const aside = mkdtempSync(join(root, ".build", "dist-"));
  try {
    await allOf([declare(aside), buildCode(aside)]);
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
