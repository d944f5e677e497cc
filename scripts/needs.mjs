import { claudeSdkForTests } from "./claude-sdk.mjs";
import { claudeSdkSource } from "./needs/claude-sdk.mjs";
import { debianPackage, isOnPath, postgresPackage } from "./needs/debian.mjs";
import { canInstallDependencies, registrySource } from "./needs/registry.mjs";
import { findPostgres } from "./postgres-server.mjs";

/**
 * @typedef {object} Need Software that tests use and `npm ci` does not install.
 * @property {string} name
 * @property {string} tests The tests that use it.
 * @property {() => boolean | Promise<boolean>} isThere
 * @property {Source} source
 *
 * @typedef {object} Source Where to get a need.
 * @property {string} place For users who install it themselves.
 * @property {string} installing What the installation does, in words.
 * @property {() => Promise<string | undefined>} hindrance Why this script does not install it.
 * @property {() => Promise<boolean>} install Installs it, and returns whether this succeeded.
 */

/** @type {readonly Need[]} */
const needs = [
  {
    name: "tmux",
    tests: "the terminal inside tmux",
    isThere: () => isOnPath("tmux"),
    source: debianPackage("tmux"),
  },
  {
    name: "postgres",
    tests: "sessions in Postgres, on local servers that the tests start",
    isThere: () => findPostgres() !== undefined,
    source: postgresPackage,
  },
  {
    name: "the Claude Agent SDK",
    tests: "Claude on our timeline, with the SDK's own program against a server on loopback",
    isThere: () => claudeSdkForTests() !== undefined,
    source: claudeSdkSource,
  },
  {
    name: "the npm registry",
    tests: "the package, installed into an empty project as a tarball and from git",
    isThere: canInstallDependencies,
    source: registrySource,
  },
];

/** @param {Source} source */
async function install({ place, installing, hindrance, install: installIt }) {
  if (process.env["WORLDLINE_TEST_INSTALL"] === "0") {
    return console.log(`  not installed (WORLDLINE_TEST_INSTALL=0); ${place}`);
  }
  const hindered = await hindrance();
  if (hindered !== undefined) return console.log(`  not installed automatically (${hindered}); ${place}`);
  console.log(`  installing: ${installing}`);
  if (!(await installIt())) console.log(`  installation failed; ${place}`);
}

/**
 * Reports what the tests need, and installs what is missing if that is allowed.
 * @returns {Promise<readonly string[]>} The tests that are left out of this run, with the reasons.
 */
export async function provideNeeds() {
  const leftOut = [];
  for (const { name, tests, isThere, source } of needs) {
    const there = await isThere();
    console.log(`needs ${name} for tests of ${tests}: ${there ? "there" : "missing"}`);
    if (there) continue;
    await install(source);
    if (!(await isThere())) leftOut.push(`tests of ${tests}: missing ${name.replace(/^the /u, "")}`);
  }
  return leftOut;
}
