import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, run } from "../run-command.mjs";

/** Of no use to the tests that notice mutants, and large. */
const LEFT_OUT =
  /^(?:bench|docs\/pictures|test\/claude-sdk|test\/fixtures\/homes|test\/mutation\/accepted)\//u;

/** @typedef {{ line: number, column: number }} Position */
/** @typedef {{ start: Position, end: Position }} Location */
/** @typedef {{ id: string, fileName: string, mutatorName: string, replacement: string, location: Location }} Mutant */

/** @param {string} modules The folder of Stryker's packages. */
async function loadInstrumenter(modules) {
  const entry = join(modules, "@stryker-mutator", "instrumenter", "dist", "src", "index.js");
  const { Instrumenter } = await import(pathToFileURL(entry).href);
  const silent = () => {};
  const logger = { debug: silent, info: silent, warn: silent, isDebugEnabled: () => false };
  return new Instrumenter(logger);
}

/**
 * Copies the project, and puts all mutants of the sources into the copy. Each is switched on by its id while the code
 * runs.
 * @param {string} folder @param {{ modules: string, sources: readonly string[] }} options
 * @returns {Promise<Mutant[]>}
 */
export async function createSandbox(folder, { modules, sources }) {
  rmSync(folder, { recursive: true, force: true });
  const listed = await run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    show: "collect",
  });
  const files = listed.output.split("\0").filter((each) => each !== "" && !LEFT_OUT.test(each));
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file), { verbatimSymlinks: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const instrumenter = await loadInstrumenter(modules);
  const { files: mutated, mutants } = await instrumenter.instrument(
    sources.map((name) => ({ name, mutate: true, content: readFileSync(join(root, name), "utf8") })),
    { plugins: null, ignorers: [], excludedMutations: [] },
  );
  for (const { name, content } of mutated) writeFileSync(join(folder, name), content);
  return mutants;
}
