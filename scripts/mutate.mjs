import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./run-command.mjs";

// Mutation testing: changes the code in small ways, one at a time, and counts how many changes the tests of the same
// folder notice.
//   npm run mutate                                 all areas; writes docs/mutation.md
//   npm run mutate -- record travel                some areas; updates their rows
//   npm run mutate -- travel src/travel/rewind.ts  some files of an area; writes nothing, prints the survivors
// test/mutation/accepted/ lists the mutants that do not need a test, with the reasons.

const packageFolder = join(root, "test", "mutation");
const modules = join(packageFolder, "node_modules", "@stryker-mutator");
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
    tests: ["test/agent/permissions/{commands,decide,laws,rules,suggested,unasked}.test.ts"],
  },
  app: { sources: ["src/app/**/*.ts"], tests: ["test/app/**/*.test.ts"] },
};

/** @typedef {keyof typeof AREAS} Area */
/** @typedef {{ line: number, column: number }} Position */
/** @typedef {{ start: Position, end: Position }} Location */
/** @typedef {{ mutatorName: string, replacement: string, status: string, location: Location }} Mutant */
/** @typedef {{ files: Record<string, { source: string, mutants: readonly Mutant[] }> }} Report */
/** @typedef {{ file: string, code: string, mutator: string, replacement: string }} MutantId */
/** @typedef {MutantId & { line: number, status: string }} Survivor */

/**
 * @param {Area} area
 * @param {readonly string[]} files
 */
function strykerOptions(area, files) {
  const some = files.length > 0;
  return {
    testRunner: "vitest",
    plugins: [join(modules, "vitest-runner", "dist", "src", "index.js")],
    vitest: { configFile: "vitest.mutation.config.ts", related: false },
    mutate: some ? files : AREAS[area].sources,
    coverageAnalysis: "perTest",
    // A mutant that is active only while a module loads would need a separate process.
    ignoreStatic: true,
    concurrency: 2,
    timeoutMS: 10_000,
    tempDirName: ".build/stryker",
    ignorePatterns: [
      "/dist",
      "/.build",
      "/bench",
      "/docs/pictures",
      "/test/claude-sdk",
      "/test/fixtures/homes",
    ],
    reporters: ["progress", "json"],
    jsonReporter: { fileName: reportOf(area) },
    incremental: !some,
    incrementalFile: join(results, `${area}.incremental.json`),
    allowConsoleColors: false,
  };
}

/** @param {Area} area */
const reportOf = (area) => join(results, `${area}.json`);

async function installStryker() {
  if (existsSync(join(modules, "core")) && existsSync(join(modules, "vitest-runner"))) return true;
  console.log("Installing Stryker into test/mutation (65 MB)");
  const { code } = await run("npm", ["ci", "--ignore-scripts"], { cwd: packageFolder });
  return code === 0;
}

/**
 * @param {Area} area
 * @param {readonly string[]} files
 */
async function mutate(area, files) {
  mkdirSync(results, { recursive: true });
  const config = join(results, `${area}.config.json`);
  writeFileSync(config, JSON.stringify(strykerOptions(area, files), undefined, 2));
  const env = { ...process.env, WORLDLINE_MUTATION_TESTS: AREAS[area].tests.join("\n") };
  const { code } = await run(process.execPath, [join(modules, "core", "bin", "stryker.js"), "run", config], {
    env,
  });
  return code === 0;
}

/**
 * @param {string} source
 * @param {Location} location
 */
function codeAt(source, { start, end }) {
  const line = source.split("\n")[start.line - 1] ?? "";
  return line.slice(start.column - 1, start.line === end.line ? end.column - 1 : undefined);
}

/** @param {Area} area */
function readReport(area) {
  /** @type {Report} */
  const report = JSON.parse(readFileSync(reportOf(area), "utf8"));
  return Object.entries(report.files).flatMap(([file, { source, mutants }]) =>
    mutants.map(({ status, mutatorName: mutator, replacement, location }) => {
      return {
        status,
        file,
        line: location.start.line,
        code: codeAt(source, location),
        mutator,
        replacement,
      };
    }),
  );
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

/** @param {Area} area */
function summarize(area) {
  const tried = readReport(area).filter(({ status }) => !["Ignored", "CompileError"].includes(status));
  const accepted = new Set(acceptedIn(area).map(identity));
  const survivors = tried.filter(({ status }) => status === "Survived" || status === "NoCoverage");
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

Printed by \`npm run mutate\` (Stryker). Each mutant is a small change to the code: a condition that is always true, a removed call, an empty string. A mutant is *noticed* if a test of the same folder fails. *Accepted* mutants survive and
do not need a test; \`test/mutation/accepted/\` gives the reason for each. *Open* mutants still need a test. The score is the share of mutants that are noticed or accepted.

| ${HEAD.join(" | ")} |
|---|---:|---:|---:|---:|---:|
${lines.join("\n")}

Code that runs only while a module loads is not mutated. Tests of other folders and tests that run the built program do not count here.
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
let failed = 0;
const rows = rowsOfPage();
for (const area of /** @type {Area[]} */ (named.length > 0 ? named : Object.keys(AREAS))) {
  if (!(await mutate(area, files))) {
    failed += 1;
    continue;
  }
  const { tried, noticed, accepted, open } = summarize(area);
  const score = `${((100 * (noticed + accepted)) / tried).toFixed(1)}%`;
  rows.set(area, `| ${[area, tried, noticed, accepted, open.length, score].join(" | ")} |`);
  console.log(rows.get(area));
  const list = open.map((each) => `${JSON.stringify(each)}\n`).join("");
  if (files.length > 0) console.log(list);
  else writeFileSync(join(results, `${area}.open.jsonl`), list);
}
if (files.length === 0) writePage(rows);
process.exitCode = failed > 0 ? 1 : 0;
