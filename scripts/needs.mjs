import { readFileSync, writeFileSync } from "node:fs";
import { findPostgres } from "./postgres-server.mjs";
import { run } from "./run-command.mjs";

/**
 * @typedef {(...packages: string[]) => Promise<boolean>} Install
 * @typedef {object} Need What tests use and npm cannot bring.
 * @property {string} command
 * @property {string} debian The Debian package that has it.
 * @property {string} tests Which tests.
 * @property {() => boolean} [find] Where it may stand beside the PATH.
 * @property {{ says: string, by: (install: Install) => Promise<boolean> }} [care] What installing it takes besides.
 */

/** @type {readonly Need[]} */
const needs = [
  { command: "tmux", debian: "tmux", tests: "the terminal inside tmux" },
  {
    command: "postgres",
    debian: "postgresql",
    tests: "sessions in Postgres, on servers of their own on loopback",
    find: () => findPostgres() !== undefined,
    care: { says: "without its cluster: no server is set up and none is started", by: installWithoutCluster },
  },
];

/** Where Debian says whether its package makes a cluster "main", which would run from then on. */
const CLUSTERS = "/etc/postgresql-common/createcluster.conf";

/**
 * The package that brings the setting comes first; then it is switched off for as long as the server is installed, and put back.
 * @param {Install} install
 */
async function installWithoutCluster(install) {
  if (!(await install("postgresql-common"))) return false;
  const before = readFileSync(CLUSTERS);
  writeFileSync(CLUSTERS, `${before}\ncreate_main_cluster = false\n`);
  try {
    return await install("postgresql");
  } finally {
    writeFileSync(CLUSTERS, before);
  }
}

/** @param {string} command */
async function isOnPath(command) {
  const { code } = await run("sh", ["-c", `command -v ${command}`], { show: "collect" });
  return code === 0;
}

/** @param {Need} need */
async function isThere({ command, find }) {
  return find === undefined ? isOnPath(command) : find();
}

/** @type {Install} */
async function aptGet(...packages) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const get = async (/** @type {string[]} */ ...words) => (await run("apt-get", words, { env })).code === 0;
  const installing = ["install", "-y", "--no-install-recommends", ...packages];
  // A machine that has never asked knows no packages.
  return (await get(...installing)) || ((await get("update")) && (await get(...installing)));
}

/**
 * Where that is plainly allowed: as root on Debian.
 * @param {Need} need
 */
async function install({ debian, care }) {
  if (process.env["WORLDLINE_TEST_INSTALL"] === "0") {
    return console.log(`  not installed, as WORLDLINE_TEST_INSTALL=0 wants it; the package is ${debian}`);
  }
  if (process.getuid?.() !== 0 || !(await isOnPath("apt-get"))) {
    return console.log(`  not installed from here (that takes root on Debian); the package is ${debian}`);
  }
  console.log(`  installing it: apt-get install ${debian}${care === undefined ? "" : `, ${care.says}`}`);
  const isInstalled = await (care === undefined ? aptGet(debian) : care.by(aptGet));
  if (!isInstalled) console.log(`  apt-get could not install ${debian}`);
}

/**
 * Says what the tests need, and installs what is missing where it may.
 * @returns {Promise<readonly string[]>} What is left out of this run, and why.
 */
export async function provideNeeds() {
  const leftOut = [];
  for (const need of needs) {
    const { command, tests } = need;
    const there = await isThere(need);
    console.log(`needs ${command} for tests of ${tests}: ${there ? "there" : "missing"}`);
    if (there) continue;
    await install(need);
    if (!(await isThere(need))) leftOut.push(`tests of ${tests}: there is no ${command}`);
  }
  return leftOut;
}
