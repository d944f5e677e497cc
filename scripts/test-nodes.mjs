import { existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { root, run } from "./run-command.mjs";

// Runs the suite on newer versions of Node: `npm run test:nodes`, or `npm run test:nodes -- 24 test/machine` for one
// version and some folders. The binaries come from the packages that the npm package `node` depends on. Installing
// those packages does not run any scripts.

const VERSIONS = ["22", "24"];

const given = process.argv.slice(2);
const versions = given[0] !== undefined && /^\d+$/u.test(given[0]) ? [given[0]] : VERSIONS;
const folders = given.filter((each) => !/^\d+$/u.test(each));

/**
 * Returns the folder of that version's `node`, which is installed in .build/ the first time.
 * @param {string} version
 */
async function provideNode(version) {
  const prefix = join(root, ".build", "nodes", version);
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const bin = join(prefix, "node_modules", name, "bin");
  if (existsSync(join(bin, "node"))) return bin;
  mkdirSync(prefix, { recursive: true });
  const options = ["--prefix", prefix, "--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit"];
  const { code } = await run("npm", ["install", ...options, `${name}@${version}`], { cwd: prefix });
  return code === 0 && existsSync(join(bin, "node")) ? bin : undefined;
}

/** @type {string[]} */
const failed = [];
for (const version of versions) {
  const bin = await provideNode(version);
  if (bin === undefined) {
    console.error(`Node ${version} could not be installed from the npm registry.`);
    failed.push(version);
    continue;
  }
  const node = join(bin, "node");
  await run(node, ["--version"]);
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` };
  const { code } = await run(node, ["scripts/test.mjs", ...folders], { env });
  if (code !== 0) failed.push(version);
}
console.log(
  failed.length === 0
    ? `Passed on Node ${versions.join(" and ")}.`
    : `Failed on Node ${failed.join(" and ")}.`,
);
process.exitCode = failed.length > 0 ? 1 : 0;
