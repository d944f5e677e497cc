import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import picomatch from "picomatch";
import { createSandbox } from "./mutate/sandbox.mjs";
import { tryMutants } from "./mutate/try-mutants.mjs";
import { root, run } from "./run-command.mjs";
import { sourceFiles } from "./source-files.mjs";

// Mutation testing: changes the code in small ways, one at a time, and counts how many changes the tests of the same
// folder notice.
//   npm run mutate                                 all areas; writes docs/mutation.md
//   npm run mutate -- record travel                some areas; updates their rows
//   npm run mutate -- travel src/travel/rewind.ts  some files of an area; writes nothing, prints the survivors
//   npm run mutate -- app src/app/redo.ts test/app/redo.test.ts  the same, with these tests instead of the area's
// test/mutation/accepted/ lists the mutants that do not need a test, with the reasons.

const packageFolder = join(root, "test", "mutation");
const modules = join(packageFolder, "node_modules");
const results = join(root, ".build", "mutation");
const page = join(root, "docs", "mutation.md");

/** The code to mutate in each area, and the tests that must notice the mutants. */
const AREAS = {
  record: { sources: ["src/record/**/*.ts"], tests: ["test/record/**/*.test.ts"] },
  timeline: { sources: ["src/timeline/**/*.ts"], tests: ["test/timeline/**/*.test.ts"] },
  travel: { sources: ["src/travel/**/*.ts"], tests: ["test/travel/**/*.test.ts"] },
  permissions: {
    sources: ["src/agent/permissions/**/*.ts"],
    // Excludes the fuzz test: it runs the commands that permissions allow, and a mutant could allow any command.
    tests: ["test/agent/permissions/!(fuzz).test.ts"],
  },
  app: {
    sources: ["src/app/**/*.ts"],
    // The commands call the use cases in the same process, and are where many of them are tested.
    tests: ["test/app/**/*.test.ts", "test/cli/**/*.test.ts"],
    // Almost every test opens a session and executes thousands of mutants; with all of them, a run would take days.
    testsPerMutant: 16,
  },
};

/** @typedef {keyof typeof AREAS} Area */
/** @typedef {import("./mutate/sandbox.mjs").Location} Location */
/** @typedef {{ file: string, code: string, mutator: string, replacement: string }} MutantId */
/** @typedef {MutantId & { line: number, status: string }} Tried */

async function installStryker() {
  if (existsSync(join(modules, "@stryker-mutator", "instrumenter"))) return true;
  console.log("Installing Stryker's mutators into test/mutation");
  const { code } = await run("npm", ["ci", "--ignore-scripts"], { cwd: packageFolder });
  return code === 0;
}

/**
 * @param {string} source
 * @param {Location} location Counts from zero.
 */
function codeAt(source, { start, end }) {
  const line = source.split("\n")[start.line] ?? "";
  return line.slice(start.column, start.line === end.line ? end.column : undefined);
}

/**
 * Tries every mutant of an area, or of some of its files.
 * @param {Area} area @param {readonly string[]} files
 * @returns {Promise<Tried[]>}
 */
async function mutate(area, files) {
  const isSource = picomatch([...AREAS[area].sources]);
  const namedSources = files.filter((each) => !each.startsWith("test/"));
  const sources =
    namedSources.length > 0 ? namedSources : sourceFiles("src").filter((each) => isSource(each));
  const isTest = picomatch([...AREAS[area].tests]);
  const namedTests = files.filter((each) => each.startsWith("test/"));
  const tests = namedTests.length > 0 ? namedTests : sourceFiles("test").filter((each) => isTest(each));
  // Read now, because the files may change during the run.
  const textOf = new Map(sources.map((file) => [file, readFileSync(join(root, file), "utf8")]));
  // Several runs may try different files at the same time.
  const sandbox = join(results, `${area}-${process.pid}`);
  const mutants = await createSandbox(sandbox, { modules, sources });
  console.log(`${area}: ${mutants.length} mutants in ${sources.length} files`);
  const { testsPerMutant } = /** @type {{ testsPerMutant?: number }} */ (AREAS[area]);
  const statusOf = await tryMutants(sandbox, { tests, testsPerMutant }).finally(() =>
    rmSync(sandbox, { recursive: true, force: true }),
  );
  return mutants.map(({ id, fileName: file, mutatorName: mutator, replacement, location }) => ({
    file,
    line: location.start.line + 1,
    code: codeAt(textOf.get(file) ?? "", location),
    mutator,
    replacement,
    status: statusOf(id),
  }));
}

/** @param {Area} area @returns {readonly MutantId[]} */
function acceptedIn(area) {
  const path = join(packageFolder, "accepted", `${area}.json`);
  if (!existsSync(path)) return [];
  /** @type {readonly { why: string, mutants: readonly MutantId[] }[]} */
  const groups = JSON.parse(readFileSync(path, "utf8"));
  return groups.flatMap(({ mutants }) => mutants);
}

/** @param {MutantId} mutant */
const identity = ({ file, code, mutator, replacement }) => JSON.stringify([file, code, mutator, replacement]);

/** @param {Area} area @param {readonly Tried[]} mutants */
function summarize(area, mutants) {
  const tried = mutants.filter(({ status }) => status !== "Ignored");
  const accepted = new Set(acceptedIn(area).map(identity));
  const survivors = tried.filter(({ status }) => status !== "Killed");
  const open = survivors.filter((mutant) => !accepted.has(identity(mutant)));
  const noticed = tried.length - survivors.length;
  return { tried: tried.length, noticed, accepted: survivors.length - open.length, open };
}

const HEAD = ["area", "mutants", "noticed", "accepted", "open", "score"];

/** Returns the rows of the page by area, so that a run of one area keeps the rows of the other areas. */
function rowsOfPage() {
  const text = existsSync(page) ? readFileSync(page, "utf8") : "";
  const rows = [...text.matchAll(/^\| (\w+) \|.*\|$/gm)].filter(([, area]) => area !== "area");
  return new Map(rows.map(([row, area]) => [area, row]));
}

/** @param {Map<string | undefined, string>} rows */
function writePage(rows) {
  const lines = Object.keys(AREAS).flatMap((area) => rows.get(area) ?? []);
  writeFileSync(
    page,
    `# Mutation testing

Printed by \`npm run mutate\`, which uses the mutators of Stryker. Each mutant is a small change to the code: a condition that is always true, a removed call, an empty string. A mutant is *noticed* if a test of the same folder fails. The tests of \`app\` include those of the command line, which calls the use cases in the same process; each of its mutants is tried with the 16 tests that execute the fewest other mutants. *Accepted* mutants survive and
do not need a test; \`test/mutation/accepted/\` gives the reason for each. *Open* mutants still need a test. The score is the share of mutants that are noticed or accepted.

| ${HEAD.join(" | ")} |
|---|---:|---:|---:|---:|---:|
${lines.join("\n")}

Code that runs only once in a process, for example while a module loads, is not mutated. Tests of any other folder and tests that run the built program do not count here.
`,
  );
}

const given = process.argv.slice(2);
const files = given.filter((each) => each.includes("/"));
const named = given.filter((each) => !each.includes("/"));
const unknown = named.filter((each) => !(each in AREAS));
if (unknown.length > 0 || (files.length > 0 && named.length !== 1)) {
  console.error(
    `Usage: npm run mutate -- [area...], or one area and files. Areas: ${Object.keys(AREAS).join(", ")}.`,
  );
  process.exit(2);
}
if (!(await installStryker())) {
  console.error("Stryker could not be installed from the npm registry.");
  process.exit(1);
}
const rows = rowsOfPage();
for (const area of /** @type {Area[]} */ (named.length > 0 ? named : Object.keys(AREAS))) {
  const { tried, noticed, accepted, open } = summarize(area, await mutate(area, files));
  const score = `${((100 * (noticed + accepted)) / tried).toFixed(1)}%`;
  const row = `| ${[area, tried, noticed, accepted, open.length, score].join(" | ")} |`;
  const list = open.map((each) => `${JSON.stringify(each)}\n`).join("");
  console.log(files.length > 0 ? list + row : row);
  if (files.length > 0) continue;
  writeFileSync(join(results, `${area}.open.jsonl`), list);
  rows.set(area, row);
  writePage(rows);
}
